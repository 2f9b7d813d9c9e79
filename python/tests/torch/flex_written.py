"""Attention with biases, written out, and what tests of FlexAttention have in common."""

import math

import pytest
import torch

import posenc.torch as pt

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


def causal_mask(queries, keys, device="cpu"):
    """Whose function reads a table that ends with the queries and keys, as those of documents do."""
    which = torch.arange(max(queries, keys), device=device)
    return flexible.create_block_mask(lambda b, h, i, j: which[i] >= which[j], None, None, queries, keys, device=device)
