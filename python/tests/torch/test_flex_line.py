"""The gradient of a line of biases that a kernel of its own sums: against attention written out."""

import os
import pathlib
import subprocess
import sys

import pytest
import torch
from flex_written import bias_gradients, flex_written_out, masked

import posenc.torch as pt
from posenc.torch import _flex_line as line_of_it
from posenc.torch import _flex_masks as masks_of_it
from posenc.torch import flex

flexible = pytest.importorskip("torch.nn.attention.flex_attention")
SIZE = line_of_it.SIZE


def causal(b, h, i, j):
    return i >= j


def hidden(b, h, i, j):  # some queries see nothing, some tiles are whole though their block is cut
    return (i % 300 > 20) & (j % 400 < 390) & (i + 80 > j)


# A mask, then lengths.
CASES = {
    "full": (None, 256, 256),
    "cache": (None, 128, 384),
    "long": (None, 128 + SIZE * line_of_it.LONGEST, 128 + SIZE * line_of_it.LONGEST),
    "causal": (causal, 384, 384),
    "fewer keys": (causal, 384, 256),
    "hidden": (hidden, 640, 512),
}


def of_case(case, device="cpu"):
    """The BlockMask, and who sees whom."""
    mod, queries, keys = CASES[case]
    keep = torch.ones(queries, keys, dtype=torch.bool, device=device)
    if mod is None:
        return None, keep
    query, key = (torch.arange(n, device=device) for n in (queries, keys))
    return flexible.create_block_mask(mod, None, None, queries, keys, device=device), mod(0, 0, query[:, None], key)


@pytest.mark.parametrize("case", CASES)
def test_pieces_have_each_score_once(case):
    mask, keep = of_case(case)
    seen = torch.zeros_like(keep, dtype=torch.int)
    pieces = line_of_it.pieces_of(*keep.shape, torch.device("cpu"), mask)
    for each in pieces:
        edges = each.edges.tolist()
        assert edges[0] == 0 and edges[-1] == len(each.rows) and all(0 < b - a <= line_of_it.LONGEST for a, b in zip(edges, edges[1:]))
        for a, b in zip(edges, edges[1:]):
            assert len((each.columns - each.rows)[a:b].unique()) == 1
        for n, (row, column) in enumerate(zip(each.rows.tolist(), each.columns.tolist())):
            part = 1 if each.seen is None else each.seen[n].int()
            seen[row * SIZE : (row + 1) * SIZE, column * SIZE : (column + 1) * SIZE] += part
    assert torch.equal(seen, keep.int())
    assert [each.seen is None for each in pieces] == ([True] if mask is None else [False, True])
    assert line_of_it.pieces_of(*keep.shape, torch.device("cpu"), mask) is pieces  # kept


def test_masks_that_are_left_to_flex_attention(monkeypatch):
    device, which = torch.device("cpu"), torch.arange(256)
    of = lambda mod, heads=None, **how: line_of_it.pieces_of(  # noqa: E731
        256, 256, device, flexible.create_block_mask(mod, None, heads, 256, 256, device="cpu", **how)
    )
    assert of(causal) and of(causal, BLOCK_SIZE=64) and of(causal, BLOCK_SIZE=(64, 128))
    assert of(lambda b, h, i, j: which[i] >= which[j]) is None  # what it reads may change
    assert of(lambda b, h, i, j: i >= j + h) is None and of(lambda b, h, i, j: i >= j + h, heads=4) is None
    assert of(causal, BLOCK_SIZE=32) is None and of(causal, BLOCK_SIZE=192) is None  # whose last block is cut by the end
    of_both, of_some = flexible.and_masks(causal, hidden), flexible.or_masks(causal, hidden)
    assert of(of_both) and of(of_some) and of(flexible.noop_mask) and of(flexible.and_masks(causal, lambda b, h, i, j: i >= j + h)) is None
    with torch.inference_mode():
        assert of(causal) is None  # may change unseen
    assert not of(lambda b, h, i, j: i < 0)  # no score at all
    monkeypatch.setattr(line_of_it, "MOST_CUT", 4)
    assert of(causal) is None


def test_lists_of_more_queries_than_there_are():
    mask = flexible.create_block_mask(causal, None, None, 512, 512, device="cpu")
    lists = mask.kv_num_blocks, mask.kv_indices, mask.full_kv_num_blocks, mask.full_kv_indices
    short = flexible.BlockMask.from_kv_blocks(*lists, mask_mod=causal, seq_lengths=(256, 512))
    assert line_of_it.pieces_of(512, 512, torch.device("cpu"), mask) and line_of_it.pieces_of(256, 512, torch.device("cpu"), short) is None


def test_what_a_cuda_graph_reads_is_kept(monkeypatch):
    device, mask = torch.device("cpu"), of_case("causal")[0]
    line_of_it.pieces_of(256, 256, device), line_of_it.pieces_of(384, 384, device, mask)
    with monkeypatch.context() as patched:
        patched.setattr(masks_of_it, "is_captured", lambda device: True)
        patched.setattr(masks_of_it, "_in_graphs", [])
        kept = [line_of_it.pieces_of(256, 256, device), line_of_it.pieces_of(384, 384, device, mask)]
        assert line_of_it.pieces_of(256, 256, device) is kept[0] and [id(p) for p in masks_of_it._in_graphs] == [id(p) for p in kept]


def test_nothing_is_listed_while_a_graph_is_captured(monkeypatch):
    device, new, known = torch.device("cpu"), of_case("causal")[0], of_case("causal")[0]
    masks_of_it._without_mask.clear()
    pieces = line_of_it.pieces_of(384, 384, device, known)
    with monkeypatch.context() as patched:
        patched.setattr(masks_of_it, "is_captured", lambda device: True)
        patched.setattr(masks_of_it, "_in_graphs", [])
        assert [line_of_it.pieces_of(384, 384, device, mask) for mask in (None, new, known)] == [None, None, pieces]
    assert line_of_it.pieces_of(384, 384, device) and line_of_it.pieces_of(384, 384, device, new)


def test_tensors_without_numbers():
    from torch._subclasses.fake_tensor import FakeTensorMode

    mask = of_case("causal")[0]
    assert flex._have_numbers(torch.empty(2), torch.nn.Parameter(torch.empty(2)))
    with FakeTensorMode() as mode:
        assert not flex._have_numbers(torch.empty(2))
    mask.kv_indices = mode.from_tensor(mask.kv_indices)
    assert line_of_it.pieces_of(384, 384, torch.device("cpu"), mask) is None


def test_what_the_graph_of_a_backward_pass_reads_is_kept(monkeypatch):
    monkeypatch.setattr(line_of_it, "_add", plainly)
    attention = Attention("causal")
    monkeypatch.setattr(masks_of_it, "is_captured", lambda device: True)
    monkeypatch.setattr(masks_of_it, "_in_graphs", [])
    attention.gradients()
    assert len(masks_of_it._in_graphs) == 1 and masks_of_it._in_graphs[0] is attention.pieces


def test_pieces_listed_in_inference_serve_training():
    masks_of_it._without_mask.clear()
    with torch.inference_mode():
        (pieces,) = line_of_it.pieces_of(256, 256, torch.device("cpu"))
    assert not any(t.is_inference() for t in pieces[:3])


def test_lists_that_would_be_long():
    assert line_of_it.pieces_of(1 << 17, (1 << 17) + 128, torch.device("cpu")) is None


def plainly(out, pieces, q, k, v, dout, sums, deltas, line, last, scale):
    """What the kernel does."""
    k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], dim=1) for t in (k, v))
    place = torch.arange(SIZE)
    for n, (row, column) in enumerate(zip(pieces.rows, pieces.columns)):
        i, j = row * SIZE + place, column * SIZE + place
        at = j - i[:, None] + last
        p = ((q[:, :, i] @ k[:, :, j].mT * scale + line[:, at]) * line_of_it.LOG2E - sums[:, :, i, None]).exp2()
        p = p if pieces.seen is None else torch.where(pieces.seen[n] != 0, p, 0)
        added = (p * (dout[:, :, i] @ v[:, :, j].mT - deltas[:, :, i, None])).sum(0)
        for head in range(len(line)):
            out[head].index_add_(0, at.flatten(), added[head].flatten().to(out.dtype))


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
        learned = line_of_it.learned(out, self.line, self.sums, self.q, self.k, self.v, self.last, self.scale, self.pieces)
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
        torch.testing.assert_close(dline, want, atol=1e-4, rtol=1e-4)


INTERPRETED = """
import sys
sys.path.insert(0, sys.argv[1])
import test_flex_line as tests
import torch
for case, dims in (("full", (16, 32)), ("fewer keys", (32, 16)), ("hidden", (16, 16))):
    attention = tests.Attention(case, *dims)
    attention.q = attention.q.mT.contiguous().mT  # whose numbers of a token are not side by side
    _, dline = attention.gradients()
    torch.testing.assert_close(dline, attention.want, atol=1e-4, rtol=1e-4)
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
    """A step with a bias that learns, against attention written out with the same roundings of the line, and of the result."""
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
    most = max(w.norm() for w in learned)  # one number added to all scores has none: what is left of it is rounding
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


needs_sums = pytest.mark.skipif(not hasattr(flexible, "AuxRequest"), reason="needs the sums of exponentials, which PyTorch 2.9 returns")


@pytest.fixture
def as_on_a_gpu(monkeypatch):
    """All but the kernels, on the CPU; calls of the one that sums are counted."""
    calls = []
    for where, what, other in (
        (flexible, "flex_attention", flex_written_out),
        (flex, "_compiles", lambda q: True),
        (flex._programs, "BACKEND", "eager"),
        (flex._programs, "compiled", flex._programs.compiled.__wrapped__),
        (flex._programs, "_first", {}),
        (line_of_it, "suits", lambda *given: True),
        (line_of_it, "_add", lambda *given: calls.append(1) or plainly(*given)),
    ):
        monkeypatch.setattr(where, what, other)
    return calls


@needs_sums
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", ["cache", "causal", "hidden"])
def test_training_where_no_gpu_is(name, case, as_on_a_gpu):
    trained(name, case, 16, 16, torch.float64, "cpu", 1e-5)
    assert len(as_on_a_gpu) == (1 if CASES[case][0] is None else 2)


class Shard(torch.Tensor):
    """Of which only a part may be here."""


@needs_sums
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
