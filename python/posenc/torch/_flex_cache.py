"""A cache of what FlexAttention's programs need to know of a BlockMask, or of lengths without one; safe with CUDA graphs."""

from __future__ import annotations

import collections
import weakref

import torch


class _Answers(dict):
    """The cache of one BlockMask, stored on it, so that it is freed with the mask even if mask_mod refers to the mask. Copies of
    the mask start with an empty cache, and saved masks can be loaded without posenc."""

    def __init__(self, mask=None):
        super().__init__()
        self.of = mask if mask is None else weakref.ref(mask)

    def __reduce__(self):
        return collections.OrderedDict, ()  # torch.load(weights_only=True) accepts it


MOST = 64  # answers in a cache
_without_mask = _Answers()
_in_graphs: list = []


def remembered(block_mask, device, what: tuple, make):
    """make(), cached until the mask's blocks or mask_mod change; make may synchronise with the GPU. None if the mask was made in
    inference mode (its changes cannot be seen) or holds subclasses of Tensor (FakeTensor, DTensor), and if there is no cached
    answer while a CUDA graph is being captured."""
    answers, state, kept = _without_mask, None, None
    if block_mask is not None:
        lists = (block_mask.kv_num_blocks, block_mask.kv_indices, block_mask.full_kv_num_blocks, block_mask.full_kv_indices)
        lists = [t for t in lists if t is not None]
        if any(type(t) is not torch.Tensor or t.is_inference() for t in lists):
            return None
        answers = getattr(block_mask, "_of_posenc", None)
        if type(answers) is not _Answers or answers.of() is not block_mask:
            answers = block_mask._of_posenc = _Answers(block_mask)
        kept = (block_mask.mask_mod, *lists)  # kept alive, so that their ids are not reused
        state = tuple(map(id, kept)), tuple((t._version, t.data_ptr()) for t in lists)
    what = (device, *what)
    known = answers.get(what)
    if known is None or known[0] != state:
        if is_captured(device):
            return None
        known = state, kept, make()
        if device.type == "cuda":
            torch.cuda.current_stream(device).synchronize()  # other streams may read the answer next
        answers.pop(what, None)
        for old in list(answers)[: max(0, len(answers) - MOST + 1)]:
            answers.pop(old, None)
        answers[what] = known
    return held(known[2], device)


def held(answer, device):
    """The answer, which is never freed once a CUDA graph has captured its tensors: the graph does not own them."""
    if answer and is_captured(device) and not any(answer is other for other in _in_graphs):
        _in_graphs.append(answer)
    return answer


def is_captured(device) -> bool:
    """Whether a CUDA graph is being captured on this device, when the host must not wait for the GPU."""
    return device.type == "cuda" and torch.cuda.is_current_stream_capturing()
