"""The gradient of a line of biases that a kernel of its own sums: against attention written out."""

import os
import pathlib
import subprocess
import sys
from typing import NamedTuple

import pytest
import torch
from flex_written import CASES, bias_gradients, flex_written_out, flexible, masked, of_case, tiles_of

import posenc.torch as pt
from posenc.torch import _flex_cache, flex
from posenc.torch import _flex_line as line_of_it

SIZE = line_of_it.SIZE


def plainly(out, pieces, q, k, v, dout, sums, deltas, line, last, scale):
    """What the kernel does."""
    k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], dim=1) for t in (k, v))
    place = torch.arange(SIZE)
    for n, (row, column) in enumerate(tiles_of(pieces)):
        i, j = row * SIZE + place, column * SIZE + place
        at = j - i[:, None] + last
        p = ((q[:, :, i] @ k[:, :, j].mT * scale + line[:, at]) * line_of_it.LOG2E - sums[:, :, i, None]).exp2()
        p = p if pieces.seen is None else torch.where(pieces.seen[n] != 0, p, 0)
        added = (p * (dout[:, :, i] @ v[:, :, j].mT - deltas[:, :, i, None])).sum(0)
        for head in range(len(line)):
            out[head].index_add_(0, at.flatten(), added[head].flatten().to(out.dtype))


OFF = {"atol": 1e-4, "rtol": 1e-4}  # f32 (6e-8) summed over up to 1280 scores of both signs, in another order


class Attention:
    """Attention with a line of biases: tensors, and the gradient of the line by PyTorch."""

    def __init__(self, case, dim=16, v_dim=32, kv=2, scale=0.3):
        self.mask, keep = of_case(case)
        queries, keys = keep.shape
        self.q, self.k, self.v = (torch.randn(2, h, n, d) for h, n, d in ((4, queries, dim), (kv, keys, dim), (kv, keys, v_dim)))
        self.dout, self.scale, self.last = torch.randn(2, 4, queries, v_dim), scale, queries - 1
        line = line_of_it.rounded(torch.randn(4, queries + keys - 1)).float()
        line[:, :3] = -torch.inf
        self.line = line.requires_grad_()
        k, v = (t.repeat_interleave(4 // kv, dim=1) for t in (self.k, self.v))
        scores = self.q @ k.mT * scale + self.line[:, torch.arange(keys) - torch.arange(queries)[:, None] + self.last]
        self.out = masked(scores, keep) @ v
        self.sums = scores.masked_fill(~keep, -torch.inf).logsumexp(-1).detach()
        (self.want,) = torch.autograd.grad(self.out, self.line, self.dout, retain_graph=True)
        self.pieces = line_of_it.pieces_of(queries, keys, torch.device("cpu"), self.mask)

    def gradients(self):
        """Of out and of the line, as they are summed here; twice."""
        out = self.out.detach().requires_grad_()
        learned = line_of_it.with_gradient(out, self.line, self.sums, self.q, self.k, self.v, self.last, self.scale, self.pieces)
        first, again = (torch.autograd.grad(learned, [out, self.line], self.dout, retain_graph=True) for _ in range(2))
        assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(first, again))
        return again


@pytest.mark.parametrize("case", [case for case in CASES if case != "long"])
def test_the_gradient_of_a_line(case, monkeypatch):
    monkeypatch.setattr(line_of_it, "_add", plainly)
    attention = Attention(case)
    for given in (attention.dout, torch.ones(()).expand(attention.dout.shape)):
        attention.dout = given
        (want,) = torch.autograd.grad(attention.out, attention.line, given, retain_graph=True)
        dout, dline = attention.gradients()
        assert torch.equal(dout, given)
        torch.testing.assert_close(dline, want, **OFF)


def test_what_the_graph_of_a_backward_pass_reads_is_kept(monkeypatch):
    monkeypatch.setattr(line_of_it, "_add", plainly)
    attention = Attention("causal")
    monkeypatch.setattr(_flex_cache, "is_captured", lambda device: True)
    monkeypatch.setattr(_flex_cache, "_in_graphs", [])
    attention.gradients()
    assert len(_flex_cache._in_graphs) == 1 and _flex_cache._in_graphs[0] is attention.pieces


INTERPRETED = """
import sys
sys.path.insert(0, sys.argv[1])
import test_flex_line as tests
import torch
for case, dims in (("full", (16, 32)), ("fewer keys", (32, 16)), ("hidden", (16, 16)), ("chunks", (16, 16))):
    attention = tests.Attention(case, *dims)
    attention.q = attention.q.mT.contiguous().mT  # whose numbers of a token are not side by side
    _, dline = attention.gradients()
    torch.testing.assert_close(dline, attention.want, **tests.OFF)
"""


def test_the_kernel_interpreted():
    pytest.importorskip("triton")
    call = [sys.executable, "-c", INTERPRETED, str(pathlib.Path(__file__).parent)]
    done = subprocess.run(call, env={**os.environ, "TRITON_INTERPRET": "1"}, stderr=subprocess.PIPE, text=True)
    if "only 0-dimensional arrays can be converted" in done.stderr:
        pytest.skip("Triton's interpreter is older than NumPy")
    assert done.returncode == 0, done.stderr


NAMES = {"kerple": {}, "dynamic": {}, "clipped": {"max_distance": 200}}


def trained(name, case, dim, v_dim, dtype, device, off):
    """A step with a bias that learns, against attention written out with the same rounding of the line and of the result. off: of
    results and of the gradients of q, k and v, relative: on a GPU probabilities and gradients of scores are rounded to 16 bits."""
    mask, keep = of_case(case, device)
    queries, keys = keep.shape
    bias = pt.RelativeBias(name, heads=4, device=device, **NAMES[name])
    for parameter in bias.parameters():
        torch.nn.init.uniform_(parameter, 0.1, 1.0)
        if name == "dynamic" and parameter.dim() == 2:  # of layers: sums of as many inputs, which stay small
            parameter.data /= parameter.shape[1]
    how, sizes = {"device": device, "dtype": dtype}, ((queries, 4, dim), (keys, 2, dim), (keys, 2, v_dim))
    q, k, v = (torch.randn(2, n, h, d, **how).transpose(1, 2).requires_grad_() for n, h, d in sizes)
    out = pt.flex_attention(q, k, v, bias=bias, block_mask=mask, first_query=5, enable_gqa=True)
    rows = bias(queries, keys, first_query=5, dtype=torch.float32)
    rows = rows + (line_of_it.rounded(rows).float() - rows).detach()
    wide = [t.double().repeat_interleave(4 // t.shape[1], dim=1) for t in (q, k, v)]
    want = masked(wide[0] @ wide[1].mT / dim**0.5 + rows.double(), keep) @ wide[2]
    weight = torch.linspace(-1, 1, out.numel(), device=device).reshape(out.shape)
    got = torch.autograd.grad((out * weight).sum(), [q, k, v, *bias.parameters()])
    wants = torch.autograd.grad((want * weight).sum(), [q, k, v], retain_graph=True)
    for a, b in zip((out, *got[:3]), (want, *wants)):
        assert (a.double() - b.double()).norm() <= off * b.double().norm()
    learned = bias_gradients(bias, rows, q, k, v, out, weight, keep)
    # Both sum in f32 or wider from the same rounded tensors; terms of both signs cancel, and exp2 on a GPU is off by 2e-7. The
    # gradient of a number that is added to all scores is 0 but for rounding, so it is compared with the largest of all.
    most = max(w.norm() for w in learned)
    for a, b in zip(got[3:], learned):
        assert (a - b).norm() <= 1e-3 * max(b.norm(), 1e-2 * most)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dim, v_dim, dtype", [(64, 64, torch.bfloat16), (128, 32, torch.float16)])
def test_training_on_a_gpu(name, case, dim, v_dim, dtype, monkeypatch):
    calls, own = [], line_of_it._add
    monkeypatch.setattr(line_of_it, "_add", lambda *given: calls.append(1) or own(*given))
    trained(name, case, dim, v_dim, dtype, "cuda", 2**-6)
    assert len(calls) == (1 if CASES[case][0] is None else 2)


class Sums(NamedTuple):
    """PyTorch's AuxRequest and AuxOutput, which releases before 2.9 lack."""

    lse: object = None


@pytest.fixture
def as_on_a_gpu(monkeypatch):
    """All but the kernels, on the CPU; calls of the one that sums are counted."""
    calls = []
    for where, what, other in (
        (flexible, "AuxRequest", Sums),
        (flexible, "AuxOutput", Sums),
        (flexible, "flex_attention", flex_written_out),
        (flex, "_compiles", lambda q: True),
        (flex._programs, "BACKEND", "eager"),
        (flex._programs, "compiled", flex._programs.compiled.__wrapped__),
        (flex._programs, "_first", {}),
        (line_of_it, "suits", lambda *given: True),
        (line_of_it, "_add", lambda *given: calls.append(1) or plainly(*given)),
    ):
        monkeypatch.setattr(where, what, other, raising=False)
    return calls


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", ["cache", "causal", "hidden"])
def test_training_without_a_gpu(name, case, as_on_a_gpu):
    trained(name, case, 16, 16, torch.float64, "cpu", 1e-5)
    assert len(as_on_a_gpu) == (1 if CASES[case][0] is None else 2)


class Shard(torch.Tensor):
    """Of which only a part may be here."""


def test_tensors_of_other_classes_are_left_to_flex_attention(as_on_a_gpu):
    bias = pt.RelativeBias("kerple", heads=4)
    for of in (torch.Tensor, Shard):
        q = torch.randn(1, 4, 128, 16, requires_grad=True)
        out = pt.flex_attention(*(q.clone().as_subclass(of) for _ in range(3)), bias=bias)
        assert all(t.isfinite().all() for t in torch.autograd.grad(out.sum(), [q, *bias.parameters()]))
    assert len(as_on_a_gpu) == 1


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_training_beside_a_bias_that_does_not_learn():
    bias = pt.RelativeBias("kerple", heads=4, device="cuda").requires_grad_(False)
    q, k, v = (torch.randn(2, 4, 384, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True) for _ in range(3))
    out = pt.flex_attention(q, k, v, bias=bias)
    want = (q.double() @ k.double().mT / 8 + bias(384).double()).softmax(-1) @ v.double()
    weight = torch.linspace(-1, 1, out.numel(), device="cuda").reshape(out.shape)
    got, wants = (torch.autograd.grad((o * weight).sum(), [q, k, v]) for o in (out, want))
    for a, b in zip((out, *got), (want, *wants)):
        assert (a.double() - b.double()).norm() <= 2**-6 * b.double().norm()


def test_halves_where_a_bias_does_not_learn(monkeypatch):
    """Rounded to f16 with 16-bit queries, in training too; where it learns, only if FlexAttention does not sum its gradient."""
    asked = []
    monkeypatch.setattr(flex, "_in_halves", lambda line, last: asked.append(line.requires_grad) or (lambda score, *_: score))
    monkeypatch.setattr(flex, "_halves_do", lambda q: True)
    q = torch.randn(1, 4, 16, 16, requires_grad=True)
    for learns in (True, False):
        bias = pt.RelativeBias("kerple", heads=4).requires_grad_(learns)
        try:
            pt.flex_attention(q, q, q, bias=bias)
        except NotImplementedError:  # gradients on CPUs, in newer versions of PyTorch
            pass
    assert asked == [False]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("case", ["full", "causal"])
def test_training_in_a_cuda_graph(case):
    """After a step outside of it, which compiles the kernels and lists the pieces."""
    mask, keep = of_case(case, "cuda")
    bias = pt.RelativeBias("kerple", heads=4, device="cuda")
    q, k, v = (torch.randn(1, 4, n, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True) for n in (*keep.shape, keep.shape[1]))

    def step():
        return torch.autograd.grad(pt.flex_attention(q, k, v, bias=bias, block_mask=mask).float().square().sum(), [q, k, v, *bias.parameters()])

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        want = [step() for _ in range(3)][-1]
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        got = step()
    graph.replay()
    for a, b in zip(got, want):
        torch.testing.assert_close(a, b, atol=1e-2, rtol=1e-2)
