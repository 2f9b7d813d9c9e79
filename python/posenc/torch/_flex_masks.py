"""What is known of a BlockMask, kept beside it for as long as it lives and its blocks are the same."""

from __future__ import annotations

import weakref

import torch

from ._direct import tensors_in

try:
    from torch.utils._python_dispatch import TorchDispatchMode
except ImportError:  # where a release has it elsewhere, nothing is known of masks
    TorchDispatchMode = None

_answers: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
_in_graphs: list = []


def remembered(block_mask, what: tuple, make):
    """make(), called once for the same blocks and function. None for masks made in inference mode, which may change unseen; and
    where there is no answer yet and make is None."""
    lists = (block_mask.kv_num_blocks, block_mask.kv_indices, block_mask.full_kv_num_blocks, block_mask.full_kv_indices)
    lists = [t for t in lists if t is not None]
    if any(t.is_inference() for t in lists):
        return None
    answers = _answers.setdefault(block_mask, {})
    key = (what, id(block_mask.mask_mod), *((t.data_ptr(), t._version) for t in lists))
    answer, function = answers.get(key, (None, lambda: None))
    if function() is block_mask.mask_mod:
        return answer
    if make is None:
        return None
    if len(answers) > 16:
        answers.clear()
    answer = make()
    answers[key] = answer, _reference(block_mask.mask_mod)  # whose id may be another's later
    return answer


def _reference(function):
    """That does not keep it, for it may hold the mask itself."""
    try:
        return weakref.ref(function)
    except TypeError:
        return lambda: function


def held(answer, device):
    """The same answer, which is never given up once a CUDA graph reads its tensors."""
    if answer is not None and is_captured(device) and not any(answer is other for other in _in_graphs):
        _in_graphs.append(answer)
    return answer


def dense(count, which, columns):
    """Which blocks the lists of a mask name. Beyond the count there may be anything."""
    listed = (torch.arange(which.shape[-1], device=which.device) < count[..., None]).int()
    out = torch.zeros((*which.shape[:-1], columns), dtype=torch.int32, device=which.device)
    return out.scatter_add_(-1, which.clamp(0, columns - 1).long(), listed) > 0


# With which and_masks, or_masks and noop_mask begin.
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


def is_captured(device) -> bool:
    """Whether the host must not wait."""
    return device.type == "cuda" and torch.cuda.is_current_stream_capturing()


def first_keys_are_seen(block_mask, batch: int, heads: int, queries: int, keys: int) -> bool:
    """Whether each query is known to see the first key that FlexAttention's kernel visits for it, whatever its tiles.

    That is what ROWS_GUARANTEED_SAFE needs. The kernel subtracts the greatest score so far from all; without the option it asks
    first whether there was one. That a query sees some key is not enough: where its first tile is all masked, -infinity less
    -infinity is NaN. It visits blocks that are cut, in the order of their list, then those that are whole. False where that is not
    known: for functions that read tensors, which may change, and where the host would have to wait in the capture of a CUDA graph.
    """
    if tuple(block_mask.shape[-2:]) != (queries, keys) or block_mask.kv_num_blocks.dim() != 3:
        return False
    make = None if is_captured(block_mask.kv_indices.device) else lambda: _first_keys_are_seen(block_mask, batch, heads, queries)
    return bool(remembered(block_mask, ("first keys", batch, heads), make))


@torch.no_grad()
def _first_keys_are_seen(block_mask, batch, heads, queries):
    how, (rows, columns) = {"dtype": torch.int32, "device": block_mask.kv_indices.device}, block_mask.BLOCK_SIZE
    query = torch.arange(queries, **how)
    listed, first = block_mask.kv_num_blocks[..., query // rows], block_mask.kv_indices[..., 0][..., query // rows].int() * columns
    given = torch.arange(batch, **how)[:, None, None], torch.arange(heads, **how)[:, None], query, first
    seen = only_of(given, lambda: block_mask.mask_mod(*given))
    return seen is not None and bool((seen.bool() | (listed == 0)).all())  # the host waits
