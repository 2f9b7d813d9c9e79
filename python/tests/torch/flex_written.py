"""Attention with biases, written out, and what tests of FlexAttention have in common."""

import math

import pytest
import torch

import posenc.torch as pt
from posenc.torch import _flex_line

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


def masked(scores, keep):
    """Probabilities; zeros for queries that see no key, as FlexAttention has them."""
    some = keep.any(-1, keepdim=True)
    return scores.masked_fill(some & ~keep, -math.inf).softmax(-1) * some


def flex_written_out(q, k, v, score_mod, block_mask, scale, enable_gqa, kernel_options, return_aux=None):
    """What PyTorch returns, with gradients."""
    at = [torch.arange(n) for n in (q.shape[0], q.shape[1], q.shape[2], k.shape[2])]
    at = at[0][:, None, None, None], at[1][:, None, None], at[2][:, None], at[3]
    k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], dim=1) for t in (k, v))
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    scores = scores if score_mod is None else score_mod(scores, *at[:2], *(t.int() for t in at[2:]))
    keep = torch.ones_like(scores, dtype=torch.bool) if block_mask is None else block_mask.mask_mod(*at)
    some = keep.any(-1, keepdim=True)
    lse = scores.masked_fill(some & ~keep, -math.inf).logsumexp(-1).masked_fill(~some[..., 0], -math.inf)
    out = masked(scores, keep) @ v
    return (out, flexible.AuxOutput(lse=lse)) if return_aux else out


def bias_gradients(bias, rows, q, k, v, out, dout, keep=None):
    """Of its weights, from results that are rounded as `out` is: a kernel subtracts out * dout from each score's gradient, and
    the sums of what is left would otherwise be off by many times that rounding."""
    wide = [t.detach().double().repeat_interleave(q.shape[1] // t.shape[1], dim=1) for t in (q, k, v)]
    out, dout = out.detach().double(), dout.to(out.dtype).double()
    scores = wide[0] @ wide[1].mT / math.sqrt(q.shape[-1]) + rows.detach().double()
    p = scores.softmax(-1) if keep is None else masked(scores, keep)
    dscores = p * (dout @ wide[2].mT - (out * dout).sum(-1, keepdim=True))
    return torch.autograd.grad(rows, list(bias.parameters()), dscores.sum(0).to(rows.dtype))


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


def causal(b, h, i, j):
    return i >= j


def hidden(b, h, i, j):  # some queries see nothing; some tiles of partly masked blocks are not masked
    return (i % 300 > 20) & (j % 400 < 390) & (i + 80 > j)


def chunks(b, h, i, j):  # each of which has some tiles of a diagonal
    return i // 160 == j // 160


LONG = 128 + _flex_line.SIZE * _flex_line.LONGEST  # longer than what one thread block sums
# mask_mod, queries, keys.
CASES = {
    "full": (None, 256, 256),
    "cache": (None, 128, 384),
    "long": (None, LONG, LONG),
    "causal": (causal, 384, 384),
    "fewer keys": (causal, 384, 256),
    "hidden": (hidden, 640, 512),
    "chunks": (chunks, 640, 640),
}


def of_case(case, device="cpu"):
    """The BlockMask, and which query sees which key."""
    mod, queries, keys = CASES[case]
    keep = torch.ones(queries, keys, dtype=torch.bool, device=device)
    if mod is None:
        return None, keep
    query, key = (torch.arange(n, device=device) for n in (queries, keys))
    return flexible.create_block_mask(mod, None, None, queries, keys, device=device), mod(0, 0, query[:, None], key)


def tiles_of(pieces):
    """Rows and columns of tiles in the order of their lists."""
    rows, starts, edges, shifts = (t.tolist() for t in pieces[:4])
    runs = [(rows[n], starts[n + 1] - starts[n], shift) for shift, a, b in zip(shifts, edges, edges[1:]) for n in range(a, b)]
    return [(row + n, row + n + shift) for row, count, shift in runs for n in range(count)]
