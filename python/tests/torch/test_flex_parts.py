"""Attention in parts, for biases that are the same for all far keys: results and gradients against attention written out."""

import math

import pytest
import torch
from flex_written import flex_written_out, masked

import posenc.torch as pt
from posenc.torch import _flex_cache, flex
from posenc.torch import _flex_parts as parts_of_it

flexible = pytest.importorskip("torch.nn.attention.flex_attention")
pytestmark = pytest.mark.skipif(not hasattr(flexible, "AuxRequest"), reason="needs the sums of exponentials, which PyTorch 2.9 returns")
BIASES = {
    "t5": {"max_distance": 20},
    "t5, decoder": {"bidirectional": False, "max_distance": 20, "scale": 2.0},
    "clipped": {"max_distance": 9},
    "clipped, symmetric": {"max_distance": 9, "form": "symmetric"},
}


def made(name, device, heads=4):
    bias = pt.RelativeBias(name.split(",")[0], heads=heads, device=device, **BIASES[name])
    for parameter in bias.parameters():
        torch.nn.init.uniform_(parameter, -2.0, 2.0)
    return bias


def written_out(q, k, v, bias, first=0, keep=None):
    k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], dim=1) for t in (k, v))
    scores = q @ k.mT / math.sqrt(q.shape[-1]) + bias(q.shape[-2], k.shape[-2], first_query=first, dtype=q.dtype)
    return (scores.softmax(-1) if keep is None else masked(scores, keep)) @ v


@pytest.mark.parametrize("name", BIASES)
def test_from_where_on_a_bias_is_the_same(name):
    """The scheme's rows say it: against all distances one by one."""
    bias = made(name, "cpu")
    before, after = parts_of_it.reach_of(bias.handle, 300)
    line = bias(1, 601, first_key=-300)[:, 0]
    assert torch.equal(line[:, : before + 301], line[:, :1].expand(-1, before + 301)) and (line[:, before + 300] != line[:, before + 301]).all()
    assert torch.equal(line[:, after + 300 :], line[:, -1:].expand(-1, 301 - after)) and (line[:, after + 300] != line[:, after + 299]).all()
    assert parts_of_it.reach_of(pt.RelativeBias("kerple", heads=2).handle, 300) is None


def causal(b, h, i, j):
    return i >= j


def documents(b, h, i, j):
    return (i // 300 == j // 300) & (i >= j)


def hidden(b, h, i, j):  # some queries see nothing, others whole blocks
    return (i % 300 > 20) & (j % 400 < 390 - 90 * h)


# A bias, a mask, lengths, and how many parts there should be; none where the ends cut blocks.
CASES = {
    "full": ("t5", None, 640, 640, 0, 3),
    "cache": ("t5, decoder", None, 256, 640, 384, 3),
    "longer": ("clipped", None, 256, 896, 256, 3),
    "cut queries": ("t5", None, 300, 640, 5, 0),
    "cut keys": ("clipped", None, 256, 650, 5, 0),
    "causal": ("t5", causal, 640, 640, 0, 2),
    "causal, the first keys": ("clipped, symmetric", causal, 256, 640, 0, 1),
    "documents": ("t5, decoder", documents, 768, 768, 0, 2),
    "hidden": ("clipped", hidden, 640, 640, 0, 3),
}


@pytest.fixture
def used(monkeypatch):
    """Parts of each call, as on CUDA; the compiler is PyTorch's there, and none on the CPU."""
    seen, own = [], flex._in_parts

    def told(*given):
        out = own(*given)
        seen.append(len(out[0]) if out else 0)
        return out

    monkeypatch.setattr(flex, "_in_parts", told)
    monkeypatch.setattr(parts_of_it, "LEAST", 2)  # at these lengths too

    def compiles(q):
        monkeypatch.setattr(flex._programs, "BACKEND", "inductor" if q.is_cuda else "eager")
        return True

    monkeypatch.setattr(flex, "_compiles", compiles)
    clear = (flex._programs.compiled.cache_clear, flex._programs._first.clear, parts_of_it._program.cache_clear)
    [f() for f in clear]
    yield seen
    [f() for f in clear]


def compared(case, device, dtype, used, kv=4, grad=False):
    name, mask_mod, queries, keys, first, count = CASES[case]
    bias = made(name, device)
    q, k, v = (torch.randn(2, h, n, 16, device=device, dtype=dtype, requires_grad=grad) for h, n in ((4, queries), (kv, keys), (kv, keys)))
    mask = keep = None
    if mask_mod is not None:
        mask = flexible.create_block_mask(mask_mod, None, 4, queries, keys, device=device)
        head, query, key = (torch.arange(n, device=device) for n in (4, queries, keys))
        keep = mask_mod(0, head[:, None, None], query[:, None], key).expand(4, queries, keys)
    out = pt.flex_attention(q, k, v, bias=bias, block_mask=mask, first_query=first, enable_gqa=kv != 4)
    wide = torch.float64 if device == "cpu" else torch.float32
    want = written_out(*(t.to(wide) for t in (q, k, v)), bias, first, keep)
    got, wants = [out], [want]
    if grad:
        weight = torch.linspace(-1, 1, out.numel(), device=device, dtype=wide).reshape(out.shape)
        learns = [q, k, v, *bias.parameters()]
        got += torch.autograd.grad((out.to(wide) * weight).sum(), learns)
        wants += torch.autograd.grad((want * weight).sum(), learns)
    off = {torch.bfloat16: 2**-6, torch.float32: 1e-5, torch.float64: 1e-6}[dtype]  # of f32 biases beside f64 queries the last
    for a, b in zip(got, wants):
        assert a.dtype == dtype or a.shape != out.shape
        assert (a.to(wide) - b.to(wide)).norm() <= off * b.to(wide).norm()
    assert used == [count]


@torch.no_grad()
@pytest.mark.parametrize("case", CASES)
def test_parts_beside_attention_written_out(case, used, device):
    compared(case, device, torch.float32 if device == "cuda" else torch.float64, used)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch has no gradients of FlexAttention on the CPU")
@pytest.mark.parametrize("case, dtype", [(case, (torch.float32, torch.bfloat16)[i % 2]) for i, case in enumerate(CASES)])
def test_gradients_of_parts(case, dtype, used):
    compared(case, "cuda", dtype, used, kv=2, grad=True)


@pytest.mark.parametrize("case", ["longer", "causal", "hidden"])
def test_gradients_are_sums_of_those_of_the_parts(case, used, monkeypatch):
    monkeypatch.setattr(flexible, "flex_attention", flex_written_out)
    compared(case, "cpu", torch.float64, used, grad=True)


def test_parts_where_the_band_is_little():
    device, reach = torch.device("cpu"), parts_of_it.Reach(-100, 100)
    of = lambda tokens, **how: parts_of_it.parts_of(tokens, tokens, 0, reach, device, **how)  # noqa: E731
    assert of(3072) is None and [(p.side, p.is_contiguous) for p in of(4096)] == [(-1, True), (0, True), (1, True)]
    small = flexible.create_block_mask(causal, None, None, 4096, 4096, device="cpu", BLOCK_SIZE=64)
    assert of(4096, block_mask=small) is None


def test_parts_made_for_inference_serve_training():
    _flex_cache._without_mask.clear()
    with torch.inference_mode():
        parts = parts_of_it.parts_of(4096, 4096, 0, parts_of_it.Reach(-9, 9), torch.device("cpu"))
    assert not any(p.block_mask.kv_indices.is_inference() for p in parts)


def test_a_mask_that_changes_in_place():
    """Parts are kept beside a mask, as long as its blocks are the same."""
    mask = flexible.create_block_mask(causal, None, None, 4096, 4096, device="cpu")
    reach = parts_of_it.Reach(-20, 20)
    first = parts_of_it.parts_of(4096, 4096, 0, reach, torch.device("cpu"), mask)
    assert parts_of_it.parts_of(4096, 4096, 0, reach, torch.device("cpu"), mask) is first
    mask.full_kv_num_blocks.zero_()
    changed = parts_of_it.parts_of(4096, 4096, 0, reach, torch.device("cpu"), mask)
    assert [p.side for p in first] == [-1, 0] and [p.side for p in changed] == [0]
    mask.mask_mod = hidden
    assert parts_of_it.parts_of(4096, 4096, 0, reach, torch.device("cpu"), mask) is not changed
