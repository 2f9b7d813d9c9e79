"""The gradient of a line of biases in FlexAttention, by a kernel that goes along the diagonals of attention.

FlexAttention's own gradient adds each score to a number in memory, which takes longer than all the rest. Here scores are cut into
tiles. In all tiles of a diagonal the same place has the same distance, so their scores are summed in registers, and memory gets the sums.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import math
from typing import NamedTuple

import torch
from torch.autograd.function import once_differentiable

from ._flex_blocks import shared_memory
from ._flex_masks import dense, held, only_of, remembered
from ._flex_programs import BLOCK, of_pytorch

LOG2E = math.log2(math.e)
SIZE = 64  # of a tile
LONGEST = 64  # tiles of a piece: the rest of a diagonal is summed beside it
MOST = 1 << 22  # tiles: 131072 queries and as many keys; lists of them take 32 MB
MOST_CUT = 1 << 13  # tiles cut by a mask, of which each takes 4 kB


class Pieces(NamedTuple):
    """Tiles, diagonal after diagonal. A piece has those from one edge to the next. seen: of each tile, which query sees which key;
    None where all see all."""

    rows: torch.Tensor
    columns: torch.Tensor
    edges: torch.Tensor
    seen: torch.Tensor | None


@functools.lru_cache(maxsize=1)
def _has_triton() -> bool:
    return importlib.util.find_spec("triton") is not None and hasattr(of_pytorch(), "AuxRequest")


def suits(q, k, v) -> bool:
    """Whether the kernel takes these tensors. Its products of f32 would be those of tf32."""
    whole = not q.shape[-2] % BLOCK and not k.shape[-2] % BLOCK and q.shape[0] == k.shape[0]
    sizes = all(t.shape[-1] in (16, 32, 64, 128) for t in (q, v))
    return q.is_cuda and q.dtype in (torch.float16, torch.bfloat16) and whole and sizes and _has_triton()


def rounded(line):
    """A line in f16; what f16 does not reach becomes its largest number, infinities stay."""
    most = torch.finfo(torch.float16).max
    return torch.where(line.isinf(), line, line.clamp(-most, most)).half()


def _ordered(which):
    """Row and column of each tile that is True, diagonal after diagonal, and the edges of pieces. The host waits."""
    row, column = which.nonzero().unbind(1)
    diagonal, order = (column - row).sort(stable=True)
    nth = torch.arange(len(row), device=which.device)
    nth = nth - torch.searchsorted(diagonal, diagonal)
    edges = torch.cat([(nth % LONGEST == 0).nonzero()[:, 0], torch.tensor([len(row)], device=which.device)])
    return row[order].int(), column[order].int(), edges.int()


def _seen(block_mask, rows, columns):
    """Which query of each tile sees which key of it; None if the function reads more than these two."""
    place = torch.arange(SIZE, dtype=torch.int32, device=rows.device)
    query, key = (rows * SIZE)[:, None, None] + place[:, None], (columns * SIZE)[:, None, None] + place
    zero = torch.zeros((), dtype=torch.int32, device=rows.device)
    seen = only_of((query, key), lambda: block_mask.mask_mod(zero, zero, query, key))
    return None if seen is None else seen.broadcast_to(len(rows), SIZE, SIZE).bool()


def _all_seen(block_mask, rows, columns):
    """The same, a part of the tiles at a time: all that the function computes is kept until it ends."""
    return torch.cat([_seen(block_mask, *part) for part in zip(rows.split(1024), columns.split(1024))])


def _of_mask(block_mask, queries, keys) -> list[Pieces] | None:
    """None for masks of several heads or batches, for functions that read tensors, and where too many tiles are cut."""
    sizes = tuple(block_mask.BLOCK_SIZE)
    fits = block_mask.kv_num_blocks.shape[-1] * sizes[0] == queries and not keys % sizes[1]
    if not fits or tuple(block_mask.kv_num_blocks.shape[:-1]) != (1, 1) or any(size % SIZE for size in sizes):
        return None
    start = torch.zeros(1, dtype=torch.int32, device=block_mask.kv_indices.device)
    if _seen(block_mask, start, start) is None:
        return None
    full, blocks = block_mask.full_kv_num_blocks, keys // sizes[1]
    cut = dense(block_mask.kv_num_blocks, block_mask.kv_indices, blocks)[0, 0]
    whole = torch.zeros_like(cut) if full is None else dense(full, block_mask.full_kv_indices, blocks)[0, 0]
    cut, whole = (t.repeat_interleave(sizes[0] // SIZE, 0).repeat_interleave(sizes[1] // SIZE, 1) for t in (cut, whole))
    rows, columns = cut.nonzero().unbind(1)
    if len(rows) > MOST_CUT:
        return None
    pieces = []
    if len(rows):
        seen = _all_seen(block_mask, rows.int(), columns.int()).flatten(1)
        whole[rows, columns], cut[rows, columns] = seen.all(1), seen.any(1) & ~seen.all(1)
    if cut.any():
        listed = _ordered(cut)
        pieces.append(Pieces(*listed, _all_seen(block_mask, *listed[:2]).to(torch.uint8)))
    return pieces + ([Pieces(*_ordered(whole), None)] if whole.any() else [])


def _of_all(queries, keys, device) -> list[Pieces]:
    which = torch.ones(queries // SIZE, keys // SIZE, dtype=torch.bool, device=device)
    return [Pieces(*_ordered(which), None)]


@torch.inference_mode(False)  # they serve training too
@torch.no_grad()
def _made(queries, keys, device, block_mask):
    return _of_all(queries, keys, device) if block_mask is None else _of_mask(block_mask, queries, keys)


def pieces_of(queries: int, keys: int, device, block_mask=None) -> list[Pieces] | None:
    """None where the gradient is left to FlexAttention."""
    if block_mask is not None and tuple(block_mask.shape[-2:]) != (queries, keys):
        return None
    if queries * keys > MOST * SIZE**2:
        return None
    return remembered(block_mask, device, ("pieces", queries, keys), lambda: _made(queries, keys, device, block_mask))


def _add(out, pieces, q, k, v, dout, sums, deltas, line, last, scale):
    """out += what the pieces add to the gradient of the line."""
    kernel = importlib.import_module("._flex_line_kernel", __package__)
    tensors = [t if t.stride(-1) == 1 else t.contiguous() for t in (q, k, v, dout)]
    dim, v_dim = q.shape[-1], v.shape[-1]
    stages = 2 if 2 * 2 * SIZE * (dim + v_dim) * q.element_size() <= shared_memory(q.device) else 1
    grid = (len(pieces.edges) - 1, q.shape[1], q.shape[0])
    with torch.cuda.device_of(q):
        kernel.along_diagonals[grid](
            *tensors, sums, deltas, line, out, pieces.rows, pieces.columns, pieces.edges, pieces.rows if pieces.seen is None else pieces.seen,
            scale * LOG2E, last, q.shape[2], line.shape[1], q.shape[1] // k.shape[1], *(s for t in tensors for s in t.stride()[:3]),
            HAS_SEEN=pieces.seen is not None, SIZE=SIZE, DIM=dim, V_DIM=v_dim, STAGES=stages, num_warps=4,
        )  # fmt: skip


class _Learned(torch.autograd.Function):
    @staticmethod
    def forward(ctx, out, line, sums, q, k, v, last, scale, pieces):
        ctx.save_for_backward(out, rounded(line).float(), sums, q, k, v)
        ctx.how = last, scale, pieces
        return out.view_as(out)

    @staticmethod
    @once_differentiable
    def backward(ctx, dout):
        out, line, sums, q, k, v = ctx.saved_tensors
        last, scale, pieces = ctx.how
        held(pieces, q.device)  # also if the backward pass alone is captured
        deltas = out.to(torch.float32, copy=True).mul_(dout).sum(-1).contiguous()
        sums = torch.where(sums.isinf(), 0, sums * LOG2E).contiguous()  # a query may see no key
        dline = torch.zeros_like(line)
        for each in pieces:
            _add(dline, each, q, k, v, dout, sums, deltas, line, last, scale)
        return dout, dline, *[None] * 7


def learned(out, line, sums, q, k, v, last, scale, pieces):
    """out, through which the line gets its gradient too. out was computed with the line in f16. sums: logarithms of the sums of
    exponentials. last: the place in the line of distance 0."""
    return _Learned.apply(out, line, sums, q, k, v, last, 1 / math.sqrt(q.shape[-1]) if scale is None else scale, pieces)
