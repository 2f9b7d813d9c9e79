"""What mask_mod and the block lists of a BlockMask say."""

from __future__ import annotations

import torch

from ._direct import tensors_in
from ._flex_cache import remembered

try:
    from torch.utils._python_dispatch import TorchDispatchMode
except ImportError:  # where a release has it elsewhere, nothing is known of masks
    TorchDispatchMode = None


def dense(count, which, columns):
    """The block lists of a mask as a boolean matrix. Entries beyond the count are undefined."""
    listed = (torch.arange(which.shape[-1], device=which.device) < count[..., None]).int()
    out = torch.zeros((*which.shape[:-1], columns), dtype=torch.int32, device=which.device)
    return out.scatter_add_(-1, which.clamp(0, columns - 1).long(), listed) > 0


# and_masks, or_masks and noop_mask start with one of these; they read only the device and dtype of a tensor.
READ_NO_NUMBERS = {torch.ops.aten.new_ones.default, torch.ops.aten.new_zeros.default}


class _ReadsMore(Exception):
    pass


class _OnlyOf(TorchDispatchMode or object):
    """Refuses to read tensors that were neither given nor computed from those."""

    def __init__(self, given):
        super().__init__()
        self.known = {id(t): t for t in given}

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        read = tensors_in((*args, *(kwargs or {}).values()))
        if function not in READ_NO_NUMBERS and (not read or any(id(t) not in self.known for t in read)):
            raise _ReadsMore
        out = function(*args, **(kwargs or {}))
        self.known.update((id(t), t) for t in tensors_in((out,)))
        return out


def only_of(given, function):
    """function(), None where it reads tensors that are not among those given, and may change unseen."""
    if TorchDispatchMode is None:
        return None
    try:
        with _OnlyOf(given):
            return function()
    except _ReadsMore:
        return None


def first_keys_are_seen(block_mask, batch: int, heads: int, queries: int, keys: int) -> bool:
    """Whether each query is known to see the first key that FlexAttention's kernel visits for it, whatever its tiles.

    That is what ROWS_GUARANTEED_SAFE needs. The kernel subtracts the greatest score so far from all; without the option it asks
    first whether there was one. That a query sees some key is not enough: where its first tile is all masked, -infinity less
    -infinity is NaN. It visits blocks that are cut, in the order of their list, then those that are whole. False where that is not
    known: for functions that read tensors, which may change, and where the host would have to wait in the capture of a CUDA graph.
    """
    if tuple(block_mask.shape[-2:]) != (queries, keys) or block_mask.kv_num_blocks.dim() != 3:
        return False
    make = lambda: _first_keys_are_seen(block_mask, batch, heads, queries)  # noqa: E731
    return bool(remembered(block_mask, block_mask.kv_indices.device, ("first keys", batch, heads, queries), make))


@torch.no_grad()
def _first_keys_are_seen(block_mask, batch, heads, queries):
    how, (rows, columns) = {"dtype": torch.int32, "device": block_mask.kv_indices.device}, block_mask.BLOCK_SIZE
    query = torch.arange(queries, **how)
    listed, first = block_mask.kv_num_blocks[..., query // rows], block_mask.kv_indices[..., 0][..., query // rows].int() * columns
    given = torch.arange(batch, **how)[:, None, None], torch.arange(heads, **how)[:, None], query, first
    seen = only_of(given, lambda: block_mask.mask_mod(*given))
    return seen is not None and bool((seen.bool() | (listed == 0)).all())  # the host waits
