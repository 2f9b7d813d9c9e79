"""FlexAttention with posenc's biases, against attention written out: results, and gradients of all that learns."""

import math

import pytest
import torch
from flex_written import BIASES, attended, bias_gradients, close, dense, flexible, gradients, inferred, made, tensors

import posenc
import posenc.torch as pt
from posenc.torch import flex


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


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("dim", [64, 128, 256])
@pytest.mark.parametrize("name", ["t5", "alibi, learned"])
def test_heads_of_any_size_fit_the_gpu(name, dim, dtype, masked):
    """Off by what the type is: probabilities, results and gradients of scores are rounded to it, each once."""
    bias, tokens = made(name, device="cuda"), 300
    q, k, v = (torch.randn(2, 4, tokens, dim, device="cuda", dtype=dtype, requires_grad=True) for _ in range(3))
    mask = causal = None
    if masked:
        mask = flexible.create_block_mask(lambda b, h, i, j: i >= j, None, None, tokens, tokens, device="cuda")
        causal = torch.ones(tokens, tokens, dtype=torch.bool, device="cuda").tril()
    out = pt.flex_attention(q, k, v, bias=bias, block_mask=mask)
    want = dense(q.double(), k.double(), v.double(), bias, 0, causal)
    weight = torch.linspace(-1, 1, out.numel(), device="cuda").reshape(out.shape)
    learned = bias_gradients(bias, bias(tokens, dtype=torch.float64), q, k, v, out, weight, causal)
    got = [out, inferred(q, k, v, bias, block_mask=mask), *gradients(out.double(), q, k, v, bias)]
    for a, b in zip(got, [want, want, *gradients(want, q, k, v, bias)[:3], *learned]):
        assert (a.double() - b.double()).norm() <= (2**-6 if dtype == torch.bfloat16 else 1e-5) * b.double().norm()


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


def held(function):
    """The tensors of a function, and of those that it calls."""
    for cell in getattr(function, "__closure__", None) or ():
        if torch.is_tensor(cell.cell_contents):
            yield cell.cell_contents
        elif callable(cell.cell_contents):
            yield from held(cell.cell_contents)


@pytest.mark.parametrize("form", ["symmetric", "keys"])
def test_slopes_that_learn_are_read_for_each_key(form):
    """Else the gradients of all scores of a head are added to one number, which takes seconds on a GPU."""
    bias = pt.RelativeBias("alibi", heads=4, form=form, learned_slopes=True)
    mod = pt.score_mod(bias, 6, 8)
    assert any(t.shape == (4, 8) for t in held(mod))
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


@pytest.mark.parametrize("name", ["alibi", "sandwich"])
def test_scores_on_another_device_are_told(name):
    """Also where a compiler reads the function: its own error would fill pages."""
    bias, q = pt.RelativeBias(name, heads=2), torch.randn(1, 2, 16, 16)
    with pytest.raises(ValueError, match=r'^\[score_mod\] expected scores on cpu, .*, got meta: .* pass device="meta" to score_mod'):
        pt.score_mod(bias, 16)(torch.zeros((), device="meta"), *[torch.tensor(0, dtype=torch.int32)] * 4)
    with pytest.raises(Exception, match=r'\[score_mod\] expected scores on meta, .*, got cpu: .* pass device="cpu" to score_mod'):
        flexible.flex_attention(q, q, q, score_mod=pt.score_mod(bias, 16, device="meta"))


def test_alibi_needs_no_line(monkeypatch):
    asked, own = [], pt.RelativeBias.forward
    monkeypatch.setattr(pt.RelativeBias, "forward", lambda self, *n, **how: asked.append(n) or own(self, *n, **how))
    pt.score_mod(made("alibi"), 4096)
    pt.score_mod(made("t5"), 4096)
    assert asked == [(1, 1), (1, 8191)]


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
