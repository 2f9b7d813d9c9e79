"""Features as lengths of pairs, before they are rotated (PoPE)."""

from __future__ import annotations

import torch

from posenc import _core

from . import _native
from ._direct import expect_tensors
from ._registry import register
from ._sharded import expect_plain


def _lengths(pairs, layout):
    """The first features of all pairs."""
    return pairs.unflatten(-1, (-1, 2))[..., 0] if layout == "interleaved" else pairs.chunk(2, dim=-1)[0]


def _pairs(lengths, layout):
    zeros = torch.zeros_like(lengths)
    if layout == "interleaved":
        return torch.stack([lengths, zeros], dim=-1).flatten(-2)
    return torch.cat([lengths, zeros], dim=-1)


def _to_polar(x, layout):
    if not _native.has_kernel_for(x):
        wide = x.to(_native.compute_type(x.dtype))
        return _pairs(torch.logaddexp(wide, torch.zeros_like(wide)).to(x.dtype), layout)
    out = _to_polar_fake(x, layout)
    _core.to_polar(_native.read(x), out, layout, _native.stream(x))
    return out


def _to_polar_fake(x, layout):
    return x.new_empty((*x.shape[:-1], 2 * x.shape[-1]))


def _gradient(x, dout, layout):
    if not _native.has_kernel_for(x):
        wide = x.to(_native.compute_type(x.dtype))
        return (torch.sigmoid(wide) * _lengths(dout, layout).to(wide.dtype)).to(x.dtype)
    dx = torch.empty_like(x)
    _core.to_polar_backward(_native.read(x), _native.read(dout), dx, layout, _native.stream(x))
    return dx


def _gradient_fake(x, dout, layout):
    return torch.empty_like(x)


def _setup(ctx, inputs, output):
    x, ctx.layout = inputs
    ctx.save_for_backward(x)


def _backward(ctx, dout):
    return torch.ops.posenc.to_polar_gradient(ctx.saved_tensors[0], dout, ctx.layout), None


def _gradient_setup(ctx, inputs, output):
    x, dout, ctx.layout = inputs
    ctx.save_for_backward(x, dout)


def _gradient_backward(ctx, tangent):
    x, dout = ctx.saved_tensors
    chance = torch.sigmoid(x)
    dx = tangent * _lengths(dout, ctx.layout) * chance * (1 - chance)
    return dx, _pairs(tangent * chance, ctx.layout), None


register("to_polar(Tensor x, str layout) -> Tensor", _to_polar, _to_polar_fake, _setup, _backward)
register(
    "to_polar_gradient(Tensor x, Tensor dout, str layout) -> Tensor",
    _gradient,
    _gradient_fake,
    _gradient_setup,
    _gradient_backward,
)


def to_polar(x: torch.Tensor, layout: str = "half") -> torch.Tensor:
    """posenc.to_polar() with a gradient: [.., n] to pairs (ln(1 + e^x), 0), [.., 2 n]; layout: half or interleaved."""
    expect_tensors("to_polar", x=x)
    expect_plain("to_polar", x=x)
    if layout not in ("half", "interleaved"):
        raise ValueError(f"[to_polar] expected layout half or interleaved, got {layout!r}")
    if not x.dim() or not x.is_floating_point():
        raise ValueError(f"[to_polar] expected floats [.., features], got {x.dtype} {list(x.shape)}")
    return torch.ops.posenc.to_polar(x, layout)
