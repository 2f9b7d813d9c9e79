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


def close(got, want):
    for a, b in zip(got, want):
        torch.testing.assert_close(a, b, **({"atol": 1e-5, "rtol": 1e-5} if a.is_cuda else {}))


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


def gradients(out, q, k, v, bias):
    weight = torch.linspace(-1, 1, out.numel(), device=out.device).reshape(out.shape)
    return torch.autograd.grad((out * weight).sum(), [q, k, v, *bias.parameters()])


@pytest.mark.parametrize("name", BIASES)
@pytest.mark.parametrize("queries, keys, first", [(24, 24, 0), (7, 24, 17)])
def test_attention_written_out(name, queries, keys, first, device):
    bias, (q, k, v) = made(name, device=device), tensors(queries, keys, device=device)
    want, out = dense(q, k, v, bias, first), pt.flex_attention(q, k, v, bias=bias, first_query=first)
    close([out, *gradients(out, q, k, v, bias)], [want, *gradients(want, q, k, v, bias)])


@pytest.mark.parametrize("tokens", [32, 160])  # on CUDA two kernels
@pytest.mark.parametrize("name", ["alibi", "t5"])
def test_block_masks(name, tokens, device):
    bias, (q, k, v) = made(name, device=device), tensors(tokens, tokens, device=device)
    mask = flexible.create_block_mask(lambda b, h, i, j: i >= j, None, None, tokens, tokens, device=device)
    causal = torch.ones(tokens, tokens, dtype=torch.bool, device=device).tril()
    want, out = dense(q, k, v, bias, 0, causal), pt.flex_attention(q, k, v, bias=bias, block_mask=mask)
    close([out, *gradients(out, q, k, v, bias)], [want, *gradients(want, q, k, v, bias)])


def test_shared_keys_scale_and_no_bias(device):
    q, (_, k, v) = tensors(9, 9, device=device)[0], tensors(9, 9, heads=2, device=device)
    out = pt.flex_attention(q, k, v, bias=posenc.Alibi(heads=4), enable_gqa=True, scale=0.5)
    k, v = (t.repeat_interleave(2, dim=1) for t in (k, v))
    close([out], [dense(2 * q, k, v, made("alibi", device=device), 0)])
    close([pt.flex_attention(q, k, v)], [torch.nn.functional.scaled_dot_product_attention(q, k, v)])


def test_which_options_go_with_a_bias():
    """None with ALiBi, which is arithmetic; those that compile with what reads a line."""
    assert pt.score_mod(made("alibi"), 8).kernel_options == {}
    assert pt.score_mod(made("alibi, keys"), 8).kernel_options == {}
    for name in ("t5", "kerple", "alibi, root", "alibi, rounded", "fire"):
        options = pt.score_mod(made(name), 128).kernel_options
        assert (options["BLOCK_M"], options["BLOCK_N"], options["bwd_BLOCK_M1"]) == (128, 32, 32)
        assert "BLOCK_M" not in pt.score_mod(made(name), 127).kernel_options


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
            q, k, v = tensors(tokens, tokens)
            out = pt.flex_attention(q, k, v, bias=bias)
            torch.testing.assert_close(out, dense(q, k, v, bias, 0))
            counts.append(len(programs))
    flex._compiled.cache_clear()
    flex._lengths.clear()
    assert counts == [1, 2, 3, 4, 5, 6, 6, 7, 7, 7, 7]


def test_inside_a_compiled_function():
    bias = made("kerple")
    compiled = torch.compile(lambda q, k, v: pt.flex_attention(q, k, v, bias=bias), backend="eager", fullgraph=True)
    q, k, v = tensors(12, 12)
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
