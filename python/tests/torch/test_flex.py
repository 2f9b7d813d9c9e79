"""FlexAttention with posenc's biases, against attention written out: results, and gradients of all that learns."""

import math

import pytest
import torch

import posenc
import posenc.torch as pt
from posenc.torch import flex

flexible = pytest.importorskip("torch.nn.attention.flex_attention")
BIASES = {
    "alibi": {},
    "alibi, learned": {"learned_slopes": True},
    "alibi, keys": {"form": "keys"},
    "alibi, root": {"square_root": True},
    "alibi, rounded": {"rounding": "bf16-product"},
    "t5": {},
    "kerple": {},
    "clipped": {"max_distance": 4},
    "sandwich": {},
    "dynamic": {},
    "fire": {},
}


def dtype_on(device):
    """FlexAttention has no f64 on CUDA."""
    return torch.float32 if device == "cuda" else torch.float64


def close(got, want, farthest=1):
    """farthest: by how much what is summed was multiplied before, as a slope's gradients are by distances."""
    for a, b in zip(got, want):
        torch.testing.assert_close(a, b, **({"atol": 1e-5 * farthest, "rtol": 1e-5} if a.is_cuda else {}))


def made(name, heads=4, device="cpu"):
    bias = pt.RelativeBias(name.split(",")[0], heads=heads, device=device, dtype=dtype_on(device), **BIASES[name])
    for parameter in bias.parameters():
        torch.nn.init.uniform_(parameter, 0.1, 1.0)
        if name == "dynamic" and parameter.dim() == 2:  # of layers: sums of as many inputs, which stay small
            parameter.data /= parameter.shape[1]
    return bias


def tensors(queries, keys, heads=4, device="cpu"):
    how = {"device": device, "dtype": dtype_on(device), "requires_grad": True}
    return [torch.randn(2, heads, n, 16, **how) for n in (queries, keys, keys)]


def dense(q, k, v, bias, first, mask=None):
    rows = bias(q.shape[-2], k.shape[-2], first_query=first, dtype=q.dtype)
    scores = q @ k.mT / math.sqrt(q.shape[-1]) + rows
    return (scores if mask is None else scores.masked_fill(~mask, -math.inf)).softmax(-1) @ v


def attended(q, k, v, bias, **how):
    """By posenc. On the CPU newer versions of PyTorch refuse tensors that want a gradient: those are left out of the comparison."""
    try:
        return pt.flex_attention(q, k, v, bias=bias, **how), True
    except NotImplementedError as why:
        assert "backward on CPU" in str(why) and not q.is_cuda
    return inferred(q, k, v, bias, **how), False


@torch.no_grad()
def inferred(q, k, v, bias, **how):
    """Without gradients, which CUDA does in another way."""
    return pt.flex_attention(*(t.detach() for t in (q, k, v)), bias=bias, **how)


def gradients(out, q, k, v, bias):
    weight = torch.linspace(-1, 1, out.numel(), device=out.device).reshape(out.shape)
    return torch.autograd.grad((out * weight).sum(), [q, k, v, *bias.parameters()])


@pytest.mark.parametrize("name", BIASES)
@pytest.mark.parametrize("queries, keys, first", [(24, 24, 0), (7, 24, 17)])
def test_attention_written_out(name, queries, keys, first, device):
    bias, (q, k, v) = made(name, device=device), tensors(queries, keys, device=device)
    want, (out, learns) = dense(q, k, v, bias, first), attended(q, k, v, bias, first_query=first)
    close([out], [want])
    if learns:
        close(gradients(out, q, k, v, bias), gradients(want, q, k, v, bias), farthest=keys if "learned" in name else 1)
    close([inferred(q, k, v, bias, first_query=first)], [want])


@pytest.mark.parametrize("tokens", [32, 160])  # on CUDA two kernels
@pytest.mark.parametrize("name", ["alibi", "t5"])
def test_block_masks(name, tokens, device):
    bias, (q, k, v) = made(name, device=device), tensors(tokens, tokens, device=device)
    mask = flexible.create_block_mask(lambda b, h, i, j: i >= j, None, None, tokens, tokens, device=device)
    causal = torch.ones(tokens, tokens, dtype=torch.bool, device=device).tril()
    want, (out, learns) = dense(q, k, v, bias, 0, causal), attended(q, k, v, bias, block_mask=mask)
    close([out], [want])
    if learns:
        close(gradients(out, q, k, v, bias), gradients(want, q, k, v, bias))
    close([inferred(q, k, v, bias, block_mask=mask)], [want])


@torch.no_grad()
def test_shared_keys_scale_and_no_bias(device):
    q, (_, k, v) = tensors(9, 9, device=device)[0].detach(), (t.detach() for t in tensors(9, 9, heads=2, device=device))
    out = pt.flex_attention(q, k, v, bias=posenc.Alibi(heads=4), enable_gqa=True, scale=0.5)
    k, v = (t.repeat_interleave(2, dim=1) for t in (k, v))
    close([out], [dense(2 * q, k, v, made("alibi", device=device), 0)])
    close([pt.flex_attention(q, k, v)], [torch.nn.functional.scaled_dot_product_attention(q, k, v)])


def whole_table(mod, heads, queries, keys):
    """What a score_mod adds to scores of zero."""
    head, query, key = (torch.arange(n, dtype=torch.int32) for n in (heads, queries, keys))
    return mod(torch.zeros(heads, queries, keys), 0, head[:, None, None], query[:, None], key)


def test_lines_in_halves():
    """Rounded once, at the places of the line itself; what f16 does not reach becomes its largest number, infinities stay."""
    line = torch.randn(2, 24 + 30 - 1)
    line[0, 3], line[1, 4] = -math.inf, -1e6
    head, query, key = torch.arange(2)[:, None, None], torch.arange(24)[:, None], torch.arange(30)
    got = whole_table(flex._in_halves(line, torch.tensor(23, dtype=torch.int32)), 2, 24, 30)
    line[1, 4] = -65504
    assert torch.equal(got, line.half().float()[head, key - query + 23])


@pytest.mark.parametrize("tokens", [32, 160])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("name", ["alibi", "t5"])
def test_halves_beside_queries_of_16_bits(name, masked, tokens, device, monkeypatch):
    """Off by roundings to bf16, of probabilities and of their sums: each 2^-9 of numbers up to 4."""
    monkeypatch.setattr(flex, "_halves_do", lambda q: True)  # on the CPU too
    bias, (q, k, v) = made(name, device=device), (t.detach().bfloat16() for t in tensors(tokens, tokens, device=device))
    mask = causal = None
    if masked:
        mask = flexible.create_block_mask(lambda b, h, i, j: i >= j, None, None, tokens, tokens, device=device)
        causal = torch.ones(tokens, tokens, dtype=torch.bool, device=device).tril()
    with torch.no_grad():
        out = pt.flex_attention(q, k, v, bias=bias, block_mask=mask)
        want = dense(q.double(), k.double(), v.double(), bias.double(), 0, causal)
    torch.testing.assert_close(out.double(), want, atol=2**-6, rtol=0)


@pytest.mark.parametrize("form", ["symmetric", "keys"])
def test_slopes_that_learn_are_read_for_each_key(form):
    """Else the gradients of all scores of a head are added to one number, which takes seconds on a GPU."""
    bias = pt.RelativeBias("alibi", heads=4, form=form, learned_slopes=True)
    mod = pt.score_mod(bias, 6, 8)
    kept = [c.cell_contents for f in (mod, *(c.cell_contents for c in mod.__closure__)) if callable(f) for c in f.__closure__ or ()]
    assert any(torch.is_tensor(t) and t.shape == (4, 8) for t in kept)
    torch.testing.assert_close(whole_table(mod, 4, 6, 8), bias(6, 8))
    with torch.no_grad():
        torch.testing.assert_close(whole_table(pt.score_mod(bias, 6, 8), 4, 6, 8), bias(6, 8))


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("first", [5, (1 << 24) + 1])
def test_distances_that_floats_lack(masked, first):
    """With a block mask queries and keys become floats where f32 has them all, else their differences."""
    bias = pt.RelativeBias("alibi", heads=2)
    mod = flex._straight(bias(1, 1, first_key=1)[:, 0, 0], False, 1, 3, first, masked)
    torch.testing.assert_close(whole_table(mod, 2, 1, 3), bias(1, 3, first_query=first), atol=0, rtol=2**-23)


def test_alibi_needs_no_line(monkeypatch):
    asked, own = [], pt.RelativeBias.forward
    monkeypatch.setattr(pt.RelativeBias, "forward", lambda self, *n, **how: asked.append(n) or own(self, *n, **how))
    pt.score_mod(made("alibi"), 4096)
    pt.score_mod(made("t5"), 4096)
    assert asked == [(1, 1), (1, 8191)]


def test_six_lengths_then_all_of_them(monkeypatch):
    """As on CUDA, with a compiler that is counted: one program for each of six lengths, then one more for the rest."""
    programs = []

    def backend(graph, inputs):
        programs.append(graph)
        return graph.forward

    monkeypatch.setattr(flex, "_compiles", lambda q: True)
    monkeypatch.setattr(flex, "BACKEND", backend)
    flex._compiled.cache_clear()
    flex._lengths.clear()
    bias, counts = made("t5"), []
    with torch.no_grad():
        for tokens in (8, 9, 10, 11, 12, 13, 9, 14, 15, 16, 40):
            q, k, v = (t.detach() for t in tensors(tokens, tokens))
            out = pt.flex_attention(q, k, v, bias=bias)
            torch.testing.assert_close(out, dense(q, k, v, bias, 0))
            counts.append(len(programs))
    flex._compiled.cache_clear()
    flex._lengths.clear()
    assert counts == [1, 2, 3, 4, 5, 6, 6, 7, 7, 7, 7]


@torch.no_grad()
def test_inside_a_compiled_function():
    bias = made("kerple")
    compiled = torch.compile(lambda q, k, v: pt.flex_attention(q, k, v, bias=bias), backend="eager", fullgraph=True)
    q, k, v = (t.detach() for t in tensors(12, 12))
    torch.testing.assert_close(compiled(q, k, v), dense(q, k, v, bias, 0))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda q: pt.flex_attention(q, q, q, bias=posenc.Alibi(heads=3)), r"expected q \[batch, 3 heads, tokens, dim\]"),
        (lambda q: pt.flex_attention(q, q, q, bias=pt.RotaryEncoding(dim=16, layout="half", heads_first=False)), "turns queries and keys"),
        (lambda q: pt.flex_attention(q, None, q), "expected a tensor of PyTorch as k, got NoneType"),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call(tensors(4, 4)[0])
