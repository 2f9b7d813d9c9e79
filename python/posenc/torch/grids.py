"""Tables of patches for images of another size."""

from __future__ import annotations

import math

import torch

from posenc import _core
from posenc._absolute import sides

from . import _native
from ._direct import expect_tensors
from ._registry import register
from ._sharded import expect_plain

HOW = "SymInt[] old_grid, SymInt[] new_grid, str how, int keep"


def _resize(table, old_grid, new_grid, how, keep):
    if not _native.has_kernel_for(table):
        return _resize(table.cpu(), old_grid, new_grid, how, keep).to(table.device)
    out = _resize_fake(table, old_grid, new_grid, how, keep)
    _core.resize_grid(_native.read(table), out, old_grid, new_grid, how, keep, _native.stream(table))
    return out


def _resize_fake(table, old_grid, new_grid, how, keep):
    return table.new_empty((keep + math.prod(new_grid), table.shape[-1]))


def _gradient(dout, old_grid, new_grid, how, keep):
    if not _native.has_kernel_for(dout):
        return _gradient(dout.cpu(), old_grid, new_grid, how, keep).to(dout.device)
    shape = (keep + math.prod(old_grid), dout.shape[-1])
    sums = dout.new_zeros(shape, dtype=_native.compute_type(dout.dtype))
    _core.resize_grid_backward(_native.read(dout), sums, old_grid, new_grid, how, keep, _native.stream(dout))
    return sums.to(dout.dtype)


def _gradient_fake(dout, old_grid, new_grid, how, keep):
    return dout.new_empty((keep + math.prod(old_grid), dout.shape[-1]))


def _setup(ctx, inputs, output):
    ctx.how = inputs[1:]


def _backward(ctx, dout):
    return torch.ops.posenc.resize_grid_gradient(dout, *ctx.how), None, None, None, None


def _gradient_backward(ctx, dtable):
    return torch.ops.posenc.resize_grid(dtable, *ctx.how), None, None, None, None


register(f"resize_grid(Tensor table, {HOW}) -> Tensor", _resize, _resize_fake, _setup, _backward)
register(
    f"resize_grid_gradient(Tensor dout, {HOW}) -> Tensor", _gradient, _gradient_fake, _setup, _gradient_backward
)


def resize_grid(table: torch.Tensor, old_grid, new_grid, how: str = "cubic", *, keep: int = 0) -> torch.Tensor:
    """posenc.resize_grid() with a gradient: a table [keep + patches, dim] for a grid of another size."""
    expect_tensors("resize_grid", table=table)
    expect_plain("resize_grid", table=table)
    if table.dim() != 2:
        raise ValueError(f"[resize_grid] expected a table [rows, dim], got {list(table.shape)}")
    return torch.ops.posenc.resize_grid(
        table, sides("resize_grid", old_grid), sides("resize_grid", new_grid), how, keep
    )
