"""What is known of a BlockMask, kept in it for as long as its blocks and its function are the same; and of attention without one."""

from __future__ import annotations

import collections
import weakref

import torch

from ._direct import tensors_in

try:
    from torch.utils._python_dispatch import TorchDispatchMode
except ImportError:  # where a release has it elsewhere, nothing is known of masks
    TorchDispatchMode = None


class _Answers(dict):
    """Of a BlockMask. Its copies start without, and so do masks read from files, which can be read without posenc."""

    def __init__(self, mask=None):
        super().__init__()
        self.of = mask if mask is None else weakref.ref(mask)

    def __reduce__(self):
        return collections.OrderedDict, ()  # which torch.load accepts


MOST = 64  # answers
_without_mask = _Answers()
_in_graphs: list = []


def remembered(block_mask, device, what: tuple, make):
    """make(), called once, or once for each state of a mask: the host may wait. None for masks made in inference mode, which may
    change unseen, for lists that are no plain tensors (FakeTensor, DTensor), and where there is no answer yet while a CUDA graph is
    captured."""
    answers, state, kept = _without_mask, None, None
    if block_mask is not None:
        lists = (block_mask.kv_num_blocks, block_mask.kv_indices, block_mask.full_kv_num_blocks, block_mask.full_kv_indices)
        lists = [t for t in lists if t is not None]
        if any(type(t) is not torch.Tensor or t.is_inference() for t in lists):
            return None
        answers = getattr(block_mask, "_of_posenc", None)
        if type(answers) is not _Answers or answers.of() is not block_mask:
            answers = block_mask._of_posenc = _Answers(block_mask)
        kept = (block_mask.mask_mod, *lists)  # alive, so that no other has its id
        state = tuple(map(id, kept)), tuple((t._version, t.data_ptr()) for t in lists)
    what = (device, *what)
    known = answers.get(what)
    if known is None or known[0] != state:
        if is_captured(device):
            return None
        known = state, kept, make()
        if device.type == "cuda":
            torch.cuda.current_stream(device).synchronize()  # other streams may read it next
        answers.pop(what, None)
        for old in list(answers)[: max(0, len(answers) - MOST + 1)]:
            answers.pop(old, None)
        answers[what] = known
    return held(known[2], device)


def held(answer, device):
    """The same answer, which is never given up once a CUDA graph reads its tensors."""
    if answer and is_captured(device) and not any(answer is other for other in _in_graphs):
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
