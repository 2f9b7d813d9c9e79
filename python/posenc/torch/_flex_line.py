"""The gradient of a bias that FlexAttention reads by distance, summed by a Triton kernel along the diagonals of the scores.

FlexAttention itself adds the gradient of every score to memory atomically, which takes longer than the rest of the backward pass.
Here the matrix of scores is cut into square tiles. An element of a tile has the same distance in all tiles of a diagonal, so their
gradients are summed in registers, and each thread block adds its sums to memory once, at the end.
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
from ._flex_cache import held, remembered
from ._flex_masks import dense, only_of
from ._flex_programs import BLOCK, of_pytorch

LOG2E = math.log2(math.e)
SIZE = 64  # queries, and keys, of a tile
LONGEST = 64  # tiles of a diagonal that one thread block sums
MOST = 1 << 22  # tiles in all: 131072 queries by 131072 keys, which take some 300 MB to sort
MOST_CUT = 1 << 13  # partly masked tiles, each with 4 kB of mask
STAGES = 3  # of the loads' pipeline: on an H200 2 take 10 and 21 % longer for heads of 64 and 128; 4 a third longer, or do not fit
SPARE = 2048  # bytes of shared memory that Triton takes beside the stages, at most


class Pieces(NamedTuple):
    """Tiles sorted by diagonal, in runs that follow one another there: run n begins in row rows[n] of the matrix of tiles and has the
    tiles from starts[n] to starts[n + 1]. Thread block b sums the runs from edges[b] to edges[b + 1], which are shifts[b] columns
    from the main diagonal. seen: which query of a tile sees which key; None if nothing is masked."""

    rows: torch.Tensor
    starts: torch.Tensor
    edges: torch.Tensor
    shifts: torch.Tensor
    seen: torch.Tensor | None


@functools.lru_cache(maxsize=1)
def _has_triton() -> bool:
    return importlib.util.find_spec("triton") is not None and hasattr(of_pytorch(), "AuxRequest")


def suits(q, k, v) -> bool:
    """Whether the kernel supports these tensors. f32 is left to FlexAttention: Triton's dot would round it to tf32."""
    whole = not q.shape[-2] % BLOCK and not k.shape[-2] % BLOCK and q.shape[0] == k.shape[0]
    sizes = all(t.shape[-1] in (16, 32, 64, 128) for t in (q, v))
    return q.is_cuda and q.dtype in (torch.float16, torch.bfloat16) and whole and sizes and _has_triton()


def rounded(line):
    """The line in f16: finite numbers are clamped to the range of f16, infinities remain."""
    most = torch.finfo(torch.float16).max
    return torch.where(line.isinf(), line, line.clamp(-most, most)).half()


def _sorted(rows, columns, seen=None) -> Pieces:
    """The host waits."""
    diagonal, order = (columns - rows).sort(stable=True)
    rows = rows[order]
    nth = torch.arange(len(rows), device=rows.device) - torch.searchsorted(diagonal, diagonal)  # of its diagonal
    starts_piece = nth % LONGEST == 0
    starts_run = starts_piece | (rows != rows.roll(1) + 1)
    pieces, runs, end = starts_piece.nonzero()[:, 0], starts_run.nonzero()[:, 0], rows.new_full((1,), len(rows))
    edges = torch.searchsorted(runs, torch.cat([pieces, end]))
    lists = rows[runs], torch.cat([runs, end]), edges, diagonal[pieces]
    return Pieces(*(t.int() for t in lists), None if seen is None else seen[order])


def _seen(mask_mod, rows, columns):
    """Of each tile, which query sees which key; None if mask_mod reads anything but the query and the key."""
    place = torch.arange(SIZE, dtype=torch.int32, device=rows.device)
    query, key = (rows.int() * SIZE)[:, None, None] + place[:, None], (columns.int() * SIZE)[:, None, None] + place
    zero = torch.zeros((), dtype=torch.int32, device=rows.device)
    seen = only_of((query, key), lambda: mask_mod(zero, zero, query, key))
    return None if seen is None else seen.broadcast_to(len(rows), SIZE, SIZE).bool()


def _of_mask(block_mask, queries, keys) -> list[Pieces] | None:
    """None for masks of several heads or batches, mask_mods that read tensors, and too many partly masked tiles."""
    mask_mod, sizes = block_mask.mask_mod, tuple(block_mask.BLOCK_SIZE)
    fits = block_mask.kv_num_blocks.shape[-1] * sizes[0] == queries and not keys % sizes[1]
    if not fits or tuple(block_mask.kv_num_blocks.shape[:-1]) != (1, 1) or any(size % SIZE for size in sizes):
        return None
    start = torch.zeros(1, dtype=torch.int32, device=block_mask.kv_indices.device)
    if _seen(mask_mod, start, start) is None:
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
        # In chunks: only_of keeps all that mask_mod computes until it returns.
        seen = torch.cat([_seen(mask_mod, *chunk) for chunk in zip(rows.split(1024), columns.split(1024))])
        every, some = seen.flatten(1).all(1), seen.flatten(1).any(1)
        whole[rows, columns], partly = every, some & ~every
        if partly.any():
            pieces.append(_sorted(rows[partly], columns[partly], seen[partly].to(torch.uint8)))
    return pieces + ([_sorted(*whole.nonzero().unbind(1))] if whole.any() else [])


@torch.inference_mode(False)  # the lists serve training too
@torch.no_grad()
def _made(queries, keys, device, block_mask):
    if block_mask is not None:
        return _of_mask(block_mask, queries, keys)
    every = torch.ones(queries // SIZE, keys // SIZE, dtype=torch.bool, device=device)
    return [_sorted(*every.nonzero().unbind(1))]


def pieces_of(queries: int, keys: int, device, block_mask=None) -> list[Pieces] | None:
    """The tiles whose gradients are summed; None where that is left to FlexAttention."""
    if block_mask is not None and tuple(block_mask.shape[-2:]) != (queries, keys):
        return None
    if queries * keys > MOST * SIZE**2:
        return None
    return remembered(block_mask, device, ("pieces", queries, keys), lambda: _made(queries, keys, device, block_mask))


def _add(out, pieces, q, k, v, dout, sums, deltas, line, last, scale):
    """Adds the gradients of these tiles to out, the gradient of the line."""
    kernel = importlib.import_module("._flex_line_kernel", __package__)
    tensors = [t if t.stride(-1) == 1 else t.contiguous() for t in (q, k, v, dout)]
    dim, v_dim = q.shape[-1], v.shape[-1]
    stage = 2 * SIZE * (dim + v_dim) * q.element_size() + (pieces.seen is not None) * SIZE**2
    stages = max(1, min(STAGES, (shared_memory(q.device) - SPARE) // stage))
    grid = (len(pieces.shifts), q.shape[1], q.shape[0])
    with torch.cuda.device_of(q):
        kernel.along_diagonals[grid](
            *tensors, sums, deltas, line, out, *pieces[:4], pieces.rows if pieces.seen is None else pieces.seen,
            scale * LOG2E, last, q.shape[2], line.shape[1], q.shape[1] // k.shape[1], *(s for t in tensors for s in t.stride()[:3]),
            HAS_SEEN=pieces.seen is not None, SIZE=SIZE, DIM=dim, V_DIM=v_dim, STAGES=stages, num_warps=4,
        )  # fmt: skip


class _LineGradient(torch.autograd.Function):
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
        held(pieces, q.device)  # a CUDA graph may capture the backward pass alone
        deltas = out.to(torch.float32, copy=True).mul_(dout).sum(-1).contiguous()
        sums = torch.where(sums.isinf(), 0, sums * LOG2E).contiguous()  # -infinity where a query sees no key
        dline = torch.zeros_like(line)
        for each in pieces:
            _add(dline, each, q, k, v, dout, sums, deltas, line, last, scale)
        return dout, dline, *[None] * 7


def with_gradient(out, line, sums, q, k, v, last, scale, pieces):
    """out, the result of attention with the line in f16, from which the backward pass also computes the gradient of the line.
    sums: logarithms of the softmax denominators. last: index of distance 0 in the line."""
    return _LineGradient.apply(out, line, sums, q, k, v, last, 1 / math.sqrt(q.shape[-1]) if scale is None else scale, pieces)
