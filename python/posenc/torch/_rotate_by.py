"""The op that rotates queries and keys by cosines and sines that someone else made."""

from __future__ import annotations

import torch

from posenc import _core

from . import _native
from ._fallback import partners
from ._registry import select_impl, register

# x: queries and keys, or one of them: [.., tokens, heads, dim], or with heads_first [.., heads, tokens, dim].
# cos, sin: [tokens, pairs], or [rows, tokens, pairs] where rows of the batch have their own. The first 2 * pairs
# features of a head are rotated, or with `last` its last ones. adjoint: the gradient, which is also the rotation
# in the other direction.
SCHEMA = (
    "rotate_by(Tensor[] x, Tensor cos, Tensor sin, bool adjoint, str layout, bool last, bool heads_first) -> Tensor[]"
)


def places(cos, sin):
    """The table as kernels read it, [positions, pairs], and the rows of it where tokens stand."""
    cos, sin = _native.read(cos), _native.read(sin)  # one that learns, where no gradient is wanted
    if cos.dim() == 2:
        return cos, sin, 0
    if cos.shape[0] == 1:
        return cos[0], sin[0], 0
    flat = cos.reshape(-1, cos.shape[-1])
    return flat, sin.reshape(flat.shape), torch.arange(len(flat), device=cos.device).view(-1, cos.shape[-2])


def _kernel(x, out, cos, sin, adjoint, layout, heads_first):
    cos, sin, at = places(cos, sin)
    pair = [_native.read(t) for t in (*x, None)[:2]]
    verb = _core.rotate_by_adjoint if adjoint else _core.rotate_by
    verb(cos, sin, layout, *pair, *(*out, None)[:2], at, heads_first, _native.stream(x[0]))


def _by_torch(x, out, cos, sin, adjoint, layout, heads_first):
    """Where there is no kernel: y = a x + b (x of the partner), as _fallback does with tables of its own."""
    kept, taken, second = partners({"dim": x.shape[-1], "rotary_dim": 2 * cos.shape[-1], "layout": layout})
    turning = [i for i, (a, b) in enumerate(zip(kept, taken)) if a != b]
    kept, taken = [kept[i] for i in turning], [taken[i] for i in turning]
    pair_of = {f: n for n, f in enumerate(sorted({min(a, b) for a, b in zip(kept, taken)}))}
    pairs = [pair_of[min(a, b)] for a, b in zip(kept, taken)]
    sign = torch.tensor([1.0 if second[i] else -1.0 for i in kept], device=x.device)
    wide = x.to(torch.promote_types(x.dtype, cos.dtype))
    cos, sin = (t[..., pairs].unsqueeze(-3 if heads_first else -2).to(wide.dtype) for t in (cos, sin * 1.0))
    sin = sin * sign.to(wide.dtype)
    done = wide.clone()
    if not adjoint:
        done[..., turning] = cos * wide[..., kept] + sin * wide[..., taken]
    else:
        done[..., kept] = cos * wide[..., turning]
        done[..., taken] = done[..., taken] + sin * wide[..., turning]
    out.copy_(done)


def rotate_by(x, cos, sin, adjoint, layout, last, heads_first):
    out = [torch.empty_like(t) for t in x]
    parts = list(zip(x, out))
    if last:
        turning = 2 * cos.shape[-1]
        for t, y in parts:
            y[..., :-turning] = t.detach()[..., :-turning]
        parts = [(t[..., -turning:], y[..., -turning:]) for t, y in parts]
    ins, outs = [t for t, _ in parts], [y for _, y in parts]
    if _native.has_kernel_for(x[0]):
        _kernel(ins, outs, cos, sin, adjoint, layout, heads_first)
    else:
        for t, y in parts:
            _by_torch(t.detach(), y, cos, sin, adjoint, layout, heads_first)
    return out


def _fake(x, cos, sin, adjoint, layout, last, heads_first):
    return [torch.empty_like(t) for t in x]


def _setup(ctx, inputs, output):
    _, cos, sin, ctx.adjoint, *ctx.how = inputs
    if cos.requires_grad or sin.requires_grad:
        raise ValueError("[rotate_by] expected cosines and sines without requires_grad, got some with it: take detach()")
    ctx.save_for_backward(cos, sin)


def _backward(ctx, dy):
    cos, sin = ctx.saved_tensors
    dx = select_impl("rotate_by", cos, sin, *dy)(dy, cos, sin, not ctx.adjoint, *ctx.how)
    return dx, None, None, None, None, None, None


register(SCHEMA, rotate_by, _fake, _setup, _backward)
