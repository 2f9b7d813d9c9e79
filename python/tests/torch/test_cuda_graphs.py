"""Steps of training with what each scheme learns, captured in a CUDA graph: nothing is read by the host."""

import pytest
import torch
from cases import ABSOLUTE, BIASES, POINTS, ROTARY, absolute, bias, captured_step_follows, positions_for, rotary

from posenc.torch import _plans

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
LEARNED_BIASES = [case for case in BIASES if bias(case).weights]
LEARNED_ROWS = [case for case in ABSOLUTE if absolute(case).weights and case != "learned scaled"]


def spread(module):
    for parameter in module.parameters():
        torch.nn.init.uniform_(parameter, 0.3, 1.2)


@needs_gpu
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("case", LEARNED_BIASES)
def test_biases(case, dtype):
    module = bias(case, device="cuda")
    spread(module)
    scores = torch.randn(2, 3, 4, 6, device="cuda", dtype=dtype)
    where = {}
    if case in POINTS:
        where = {f"{of}_positions": positions_for(module, 2, n, "cuda") for of, n in (("query", 4), ("key", 6))}
    elif case in ("t5", "kerple", "fire"):
        where = {"query_positions": torch.arange(4, device="cuda")}

    def step():
        out = module.add(scores, scale=0.5, scale_sum=True, **where)
        return out.detach(), *torch.autograd.grad(out.float().square().sum(), list(module.parameters()))

    captured_step_follows(module, step)


@needs_gpu
@pytest.mark.parametrize("case", LEARNED_ROWS)
def test_rows(case):
    module = absolute(case, device="cuda")
    spread(module)
    at = positions_for(module, 2, 5, "cuda")
    x = torch.randn(2, 5, _plans.row_dim(module.handle), device="cuda")

    def step():
        out = module(x, at)
        return out.detach(), *torch.autograd.grad(out.square().sum(), list(module.parameters()))

    captured_step_follows(module, step)


@needs_gpu
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("case", [case for case in ROTARY if "learned" in case])
def test_frequencies(case, dtype):
    module = rotary(case, device="cuda")
    q, k = (torch.randn(2, 5, 2, 8, device="cuda", dtype=dtype, requires_grad=True) for _ in range(2))

    def step():
        out = torch.cat(module(q, k, first=7))
        return out.detach(), *torch.autograd.grad(out.float().square().sum() + out.float().sum(), [q, *module.parameters()])

    captured_step_follows(module, step)


@pytest.mark.parametrize("case", LEARNED_BIASES + LEARNED_ROWS + ["learned frequencies"])
def test_the_host_reads_no_weights(case, monkeypatch):
    """Plans for tensors on CUDA are given the weights as they lie; here the CPU is told to be such a device."""
    made = []

    class Blank:
        def with_weights(self, weights):
            made.extend(weights)
            return "a plan"

    monkeypatch.setattr(_plans, "_following", lambda handle, index: Blank())
    module = rotary("learned") if case == "learned frequencies" else (bias if case in BIASES else absolute)(case)
    weights = [_Elsewhere(w) for w in module.weights]
    assert _plans.plan_of(module.handle, weights, torch.device("cuda:0")) == "a plan"
    assert made == weights


class _Elsewhere:
    """A weight on CUDA which nobody may take to the host."""

    def __init__(self, weight):
        self.shape, self.dtype, self.device = weight.shape, weight.dtype, torch.device("cuda:0")

    def detach(self):
        return self
