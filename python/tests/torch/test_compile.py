"""torch.compile without graph breaks or recompiles across lengths, and torch.export."""

import pytest
import torch
import torch._dynamo.testing

import posenc.torch as pt


class Block(torch.nn.Module):
    """A layer with every kind of encoding."""

    def __init__(self, device):
        super().__init__()
        self.rows = pt.SinusoidalEncoding(dim=16, batch_first=True)
        self.table = pt.LearnedEncoding(rows=64, dim=16, device=device, batch_first=True)
        self.rope = pt.RotaryEncoding(dim=8, layout="half", heads_first=True)
        self.bias = pt.RelativeBias("t5", heads=2, device=device)
        self.alibi = pt.RelativeBias("alibi", heads=2)

    def forward(self, x, positions=None):
        x = self.table(self.rows(x, positions), positions)
        q = x.unflatten(-1, (2, 8)).transpose(1, 2)
        q, k = self.rope(q, q, positions)
        scores = self.alibi.add(self.bias.add(q @ k.transpose(-1, -2)))
        scores = scores + self.bias(q.shape[-2], k.shape[-2], device=x.device, dtype=x.dtype)
        return torch.softmax(scores, -1) @ q


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_once_for_all_lengths(backend, device):
    block = Block(device)
    counter = torch._dynamo.testing.CompileCounterWithBackend(backend)
    torch._dynamo.reset()
    compiled = torch.compile(block, fullgraph=True, backend=counter, dynamic=True)
    frames = set()
    for tokens in (5, 9, 33):
        x = torch.randn(2, tokens, 16, device=device, requires_grad=True)
        ours, theirs = compiled(x), block(x)
        frames.add(counter.frame_count)
        torch.testing.assert_close(ours, theirs)
        gradient = torch.autograd.grad(ours.sum(), [x, *block.parameters()])
        torch.testing.assert_close(gradient, torch.autograd.grad(theirs.sum(), [x, *block.parameters()]))
    assert len(frames) == 1  # what the first length compiled served the others


def test_lengths_become_dynamic_by_themselves(device):
    """Without dynamic=True a second length may compile once more; none after it does."""
    rope = pt.RotaryEncoding(dim=8, layout="half", heads_first=False)
    counter = torch._dynamo.testing.CompileCounter()
    torch._dynamo.reset()
    compiled = torch.compile(lambda q, k, first: rope(q, k, first=first), fullgraph=True, backend=counter)
    for tokens in (4, 5, 6, 7):
        for past in (3, 8, 11):
            q, k = torch.randn(1, tokens, 2, 8, device=device), torch.randn(1, tokens, 1, 8, device=device)
            torch.testing.assert_close(compiled(q, k, past), rope(q, k, first=past))
    assert counter.frame_count <= 3


ALIBI, T5 = pt.RelativeBias("alibi", heads=2), pt.RelativeBias("t5", heads=2)
ROPE, ROWS = pt.RotaryEncoding(dim=8, layout="half", heads_first=False), pt.SinusoidalEncoding(dim=8, batch_first=True)


try:
    from torch.nn.attention.flex_attention import flex_attention
except ImportError:  # PyTorch 2.4
    flex_attention = None
with_flex = pytest.mark.skipif(flex_attention is None, reason="this PyTorch has no FlexAttention")


def attended(x, mod):
    return flex_attention(x, x, x, score_mod=mod)


@pytest.mark.parametrize(
    "made",
    [
        lambda x, n: ALIBI(n, n + 1),
        lambda x, n: T5(n, causal=True),
        lambda x, n: ALIBI(n, query_positions=torch.arange(n), key_positions=torch.arange(n)),
        lambda x, n: ROWS.rows(n),
        lambda x, n: torch.cat(ROPE.cos_sin(n)),
        lambda x, n: ALIBI.add_(x @ x.transpose(-1, -2) + 1),
        lambda x, n: ROWS.embed(torch.arange(n), x[0, 0]),
        pytest.param(lambda x, n: attended(x, pt.score_mod(ALIBI, n)), marks=with_flex),
        pytest.param(lambda x, n: attended(x, pt.score_mod(T5, n)), marks=with_flex),
    ],
)
def test_whatever_makes_tensors_is_compiled_whole(made):
    """Without a tensor that says where: nothing but numbers, or positions, tells the device."""
    torch._dynamo.reset()
    counter = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(made, fullgraph=True, backend=counter)
    for tokens in (4, 5, 6, 7):
        x = torch.randn(1, 2, tokens, 8)
        torch.testing.assert_close(compiled(x, tokens), made(x, tokens))
    assert counter.frame_count <= 2


def test_exported_with_dynamic_length(device, tmp_path):
    block = Block(device).eval()
    x = torch.randn(2, 7, 16, device=device)
    tokens = torch.export.Dim("tokens", min=2, max=64)
    program = torch.export.export(block, (x,), dynamic_shapes={"x": {1: tokens}})
    torch.export.save(program, tmp_path / "block.pt2")
    again = torch.export.load(tmp_path / "block.pt2").module()
    for length in (7, 21):
        x = torch.randn(2, length, 16, device=device)
        torch.testing.assert_close(again(x), block(x))


def test_meta_device():
    block = Block("meta")
    assert block(torch.empty(2, 5, 16, device="meta")).shape == (2, 2, 5, 8)
    assert block.bias(3, 4).is_meta
    real = block.to_empty(device="cpu")
    for module in real.children():
        module.reset_parameters()
    assert real(torch.randn(2, 5, 16)).isfinite().all()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_captured_in_a_cuda_graph():
    block = Block("cuda")
    x, at = torch.randn(2, 5, 16, device="cuda"), torch.arange(5, device="cuda")
    with torch.no_grad():
        block(x, at)  # plans are copied to the device by the first call
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = block(x, at)
        for _ in range(2):
            x.normal_()
            at.add_(3)
            graph.replay()
            torch.testing.assert_close(out, block(x, at))


def test_tracers_and_modes_see_the_ops():
    """Modules call kernels themselves only where nothing else would look at the call."""
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.utils._python_dispatch import TorchDispatchMode

    class Seen(TorchDispatchMode):
        names = ()

        def __torch_dispatch__(self, op, types, arguments=(), given=None):
            self.names += (str(op),)
            return op(*arguments, **(given or {}))

    encoding, x = pt.SinusoidalEncoding(dim=6, batch_first=True), torch.randn(2, 3, 6)
    assert "posenc.add" in make_fx(encoding)(x).code
    with Seen() as seen:
        encoding(x)
    assert "posenc.add.default" in seen.names
    with torch._subclasses.FakeTensorMode() as mode:
        assert encoding(mode.from_tensor(x)).shape == x.shape
    for transform in (torch.vmap(encoding), torch.func.grad(lambda x: encoding(x).sum())):
        with pytest.raises(RuntimeError):  # PyTorch has no transforms of ops written so: it says that
            transform(x)
