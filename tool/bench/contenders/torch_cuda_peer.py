"""PyTorch on a GPU, as models have it: eager, or by torch.compile.

A question is FORM VERB DTYPE SIZES... SETS: calls go round so many sets of tensors. Times are those
of the device, of a graph of all calls where they can be captured.
"""
import functools
import sys
import traceback

import torch
import torch._dynamo
import torch._functorch.config
from serve import serve
from torch_cuda_verbs import VERBS

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
FORMS = {"eager": lambda f: f, "compiled": functools.partial(torch.compile, dynamic=False)}


class Work:
    """call(set) on a stream of its own; so many calls are captured once."""

    def __init__(self, call, sets):
        self.call, self.sets, self.launches = call, sets, {}

    def calls(self, count):
        for i in range(count):
            self.call(i % self.sets)

    def launch(self, count):
        try:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                self.calls(count)
        except Exception:
            traceback.print_exc()
            return functools.partial(self.calls, count)
        graph.replay()
        return graph.replay

    def seconds(self, count):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        with torch.cuda.stream(stream):
            if count not in self.launches:
                self.launches[count] = self.launch(count)
            begin.record()
            self.launches[count]()
            end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3


def prepare(form, verb, dtype, *sizes):
    torch._dynamo.reset()
    torch.cuda.empty_cache()
    try:
        with torch.cuda.stream(stream):
            call, sample = VERBS[verb](FORMS[form], DTYPES[dtype], *sizes)
            compared = [float(n) for n in sample(call(0))]
        torch.cuda.synchronize()
        return Work(call, sizes[-1]), compared
    except Exception:  # no such verb, no memory, nothing that compiles it
        traceback.print_exc()
        return None


if not torch.cuda.is_available():
    sys.exit("no GPU")
torch.set_grad_enabled(False)
torch._functorch.config.donated_buffer = False  # gradients are taken again and again
stream = torch.cuda.Stream()
serve("torch " + torch.__version__.split("+")[0], prepare, Work.seconds)
