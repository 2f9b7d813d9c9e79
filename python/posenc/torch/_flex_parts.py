"""Attention in parts, for biases that are the same for all far keys: a band about the query, where each score reads its bias, and
what is before and after it, where FlexAttention has no bias to read and one number is added to each sum of exponentials."""

from __future__ import annotations

import functools
from typing import NamedTuple

import torch

from ._flex_cache import remembered
from ._flex_masks import dense
from ._flex_programs import BLOCK, copied, of_pytorch
from ._plans import facts_of, heads_of, scheme_of

ops = torch.ops.posenc

LEAST = 8  # times the blocks of the band that there must be, or parts are not worth their launches


class Reach(NamedTuple):
    """Distances, key - query: up to `before` all biases of a head are the same, and from `after` on."""

    before: int
    after: int


def reach_of(handle: str, farthest: int) -> Reach | None:
    """None for biases that have no table of distances."""
    facts = facts_of(handle)
    return _reach(handle, 1 << farthest.bit_length()) if facts.is_table and facts.reads == "distance" else None


@functools.lru_cache(maxsize=256)
def _reach(handle: str, farthest: int) -> Reach:
    """As the scheme itself reads a table whose numbers all differ."""
    shapes = [w["shape"] for w in scheme_of(handle).weights()]
    how = {"dtype": torch.float64, "device": "cpu"}
    tables = [torch.arange(torch.Size(s).numel(), **how).reshape(s) for s in shapes]
    line = ops.bias(torch.empty(0, **how), heads_of(handle), 1, 2 * farthest + 1, None, None, 0, -farthest, 0, False, handle, tables)[:, 0]
    changes = (line[:, 1:] != line[:, :-1]).any(0).nonzero()[:, 0]
    if not len(changes):
        return Reach(0, 0)
    return Reach(int(changes[0]) - farthest, int(changes[-1]) + 1 - farthest)


class Part(NamedTuple):
    side: int  # of the band: -1 before, 0 in it, 1 after it
    block_mask: object
    is_contiguous: bool  # each row and each column of blocks


def _ordered(which):
    """How many blocks each row has, and which, as a BlockMask holds them."""
    which = which.int()
    return which.sum(-1).int(), torch.argsort(which, dim=-1, descending=True, stable=True).int().contiguous()


def _sides(queries, keys, first, reach, sizes, device):
    """Of each block of queries and keys."""
    query = torch.arange(0, queries, sizes[0], device=device)[:, None] + first
    key = torch.arange(0, keys, sizes[1], device=device)
    before = key + sizes[1] - 1 - query <= reach.before
    return torch.where(before, -1, torch.where(key - (query + sizes[0] - 1) >= reach.after, 1, 0))


def _runs(dense):
    """The most runs of blocks that a row or a column has."""
    rows = (dense[..., 1:] & ~dense[..., :-1]).sum(-1) + dense[..., 0].int()
    columns = (dense[..., 1:, :] & ~dense[..., :-1, :]).sum(-2) + dense[..., 0, :].int()
    return torch.maximum(rows.max(), columns.max())


@torch.inference_mode(False)  # the parts serve training too
def _made(queries, keys, first, reach, device, block_mask=None) -> list[Part]:
    sizes = (BLOCK, BLOCK) if block_mask is None else tuple(block_mask.BLOCK_SIZE)
    sides, mask_mod = _sides(queries, keys, first, reach, sizes, device), None
    if block_mask is None:
        cut, whole = torch.zeros_like(sides, dtype=torch.bool)[None, None], torch.ones_like(sides, dtype=torch.bool)[None, None]
    else:
        mask_mod, columns = block_mask.mask_mod, sides.shape[-1]
        cut, full = dense(block_mask.kv_num_blocks, block_mask.kv_indices, columns), block_mask.full_kv_num_blocks
        whole = torch.zeros_like(cut) if full is None else dense(full, block_mask.full_kv_indices, columns)
    listed = [(side, cut & (sides == side), whole & (sides == side)) for side in (-1, 0, 1)]
    facts = torch.stack([torch.stack([a.any(), b.any(), _runs(a) < 2, _runs(b) < 2]) for _, a, b in listed]).tolist()  # the host waits
    parts = []
    for (side, a, b), (has_cut, has_whole, a_runs, b_runs) in zip(listed, facts):
        if not has_cut and not has_whole:
            continue
        lists, mod = (*_ordered(a), *_ordered(b)) if has_cut and has_whole else _ordered(a if has_cut else b), mask_mod if has_cut else None
        mod = mod if device.type == "cuda" else _of_blocks(mod, sides == side, sizes)
        made = of_pytorch().BlockMask.from_kv_blocks(*lists, BLOCK_SIZE=sizes, mask_mod=mod, seq_lengths=(queries, keys))
        parts.append(Part(side, made, a_runs and b_runs))
    return parts


def _of_blocks(mask_mod, which, sizes):
    """On the CPU PyTorch asks the function of every query and key, whatever the blocks are."""

    def mod(batch, head, query, key):
        here = which[query // sizes[0], key // sizes[1]]
        return here if mask_mod is None else here & mask_mod(batch, head, query, key)

    return mod


def parts_of(queries: int, keys: int, first: int, reach: Reach, device, block_mask=None) -> list[Part] | None:
    """None in PyTorch before 2.9, where the band is most of it, where blocks are cut by the ends, or where a mask may change unseen."""
    sizes = (BLOCK, BLOCK) if block_mask is None else tuple(block_mask.BLOCK_SIZE)
    wide = reach.after - reach.before + sum(sizes)
    cut = queries % sizes[0] or keys % sizes[1] or any(size % BLOCK for size in sizes)
    if cut or LEAST * wide > keys or not hasattr(of_pytorch(), "AuxRequest"):
        return None
    if block_mask is not None and tuple(block_mask.shape[-2:]) != (queries, keys):
        return None
    return remembered(
        block_mask, device, ("parts", queries, keys, first, reach), lambda: _made(queries, keys, first, reach, device, block_mask)
    )


def read_by(bias, parts, first, reach, how, near_options):
    """What `attend` takes for each part: a function of scores, a block mask, options, and what is added to logarithms of sums."""
    sizes = parts[0].block_mask.BLOCK_SIZE
    start, end = reach.before - sum(sizes), reach.after + sum(sizes)  # blocks of the band have no distance beyond
    line = bias(1, end - start + 1, first_key=start, **how)[:, 0]
    zero = torch.full((), -first - start, dtype=torch.int32, device=line.device)
    everywhere = not line.is_cuda  # PyTorch asks the function, whatever the blocks are

    def near(score, batch, head, query, key):
        at = key - query + zero
        return score + line[head, at.clamp(0, line.shape[1] - 1) if everywhere else at]

    out = []
    for side, block_mask, is_contiguous in parts:
        if side == 0:
            out.append((near, block_mask, near_options, None))
        else:
            options = {"BLOCKS_ARE_CONTIGUOUS": True} if is_contiguous and line.is_cuda else None
            out.append((None, block_mask, options, line[:, 0 if side < 0 else -1]))
    return out


def attend(q, k, v, scale, gqa, parts):
    """parts: of `read_by`. flex_attention and AuxRequest are globals of a copy."""
    outs, sums = [], []
    for score_mod, block_mask, options, constant in parts:
        how = {"scale": scale, "enable_gqa": gqa, "kernel_options": options, "return_aux": AuxRequest(lse=True)}  # noqa: F821
        out, aux = flex_attention(q, k, v, score_mod, block_mask, **how)  # noqa: F821
        outs.append(out)
        sums.append(aux.lse if constant is None else aux.lse + constant[:, None])
    sums = torch.stack(sums)
    most = sums.detach().amax(0).clamp(min=torch.finfo(torch.float32).min)  # a query may see no key: its weights are zeros
    weights = (sums - most).exp()
    weights = weights / weights.sum(0).clamp(min=0.5)
    return sum(weight[..., None] * out for weight, out in zip(weights, outs)).to(q.dtype)


def program_of(case, parts):
    """parts: of `parts_of`."""
    return _program(case, tuple((p.side, p.is_contiguous, p.block_mask.full_kv_indices is None) for p in parts))


@functools.lru_cache(maxsize=256)
def _program(case, _):
    return copied(attend, {}, False)
