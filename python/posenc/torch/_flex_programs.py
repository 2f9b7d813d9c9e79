"""FlexAttention compiled: for the first lengths of a case alone, then once for all others."""

from __future__ import annotations

import copy
import functools
import importlib
import math
import types
from typing import NamedTuple

import torch

BACKEND = "inductor"
SHORT = 128  # queries that go to a kernel of its own
BLOCK = 128  # where lengths are multiples of it, kernels need not ask which queries and keys there are


def of_pytorch():
    """PyTorch's module of FlexAttention; ImportError where it has none."""
    try:
        return importlib.import_module("torch.nn.attention.flex_attention")
    except ImportError as why:
        raise ImportError(f"[flex_attention] expected PyTorch 2.5 or newer, which has FlexAttention, got {torch.__version__}") from why


class Case(NamedTuple):
    """What a program is compiled for."""

    bias: str  # what it reads
    masked: bool
    learns: bool
    dtype: torch.dtype
    device: torch.device
    sizes: tuple  # for q, k and v: the axes that are fixed, and their sizes
    scale: float | None
    gqa: bool
    options: tuple
    sums: bool = False  # whether the logarithms of sums of exponentials are returned too

    def divisible(self, more: str) -> Case:
        """The same of lengths that are multiples of BLOCK, which PyTorch does not ask of lengths that it does not know."""
        options = {"IS_DIVISIBLE": True, **dict(self.options)}
        return self._replace(bias=self.bias + more, options=tuple(sorted(options.items())))


def case_of(bias, masked, learns, q, k, v, scale, gqa, options) -> Case:
    """Heads are fixed. PyTorch's kernel for short queries wants to know the batch too, and blocks that hold all of them."""
    axes = (1, 3)
    if q.shape[-2] < SHORT:
        axes, queries = (0, 1, 3), 1 << max(4, (q.shape[-2] - 1).bit_length())
        bias = f"{bias}, up to {queries} queries"
    sizes = tuple((axis, t.shape[axis]) for t in (q, k, v) for axis in axes)
    return Case(bias, masked, learns, q.dtype, q.device, sizes, scale, gqa, tuple(sorted((options or {}).items())))


def _attend(q, k, v, score_mod, block_mask):
    """SIZES, SCALE, GQA, OPTIONS and SUMS are globals of each copy, and so constants of its programs."""
    count = len(SIZES) // 3  # noqa: F821
    for at, (axis, size) in enumerate(SIZES):  # noqa: F821
        torch._check((q, k, v)[at // count].shape[axis] == size)
    more = {"return_aux": AuxRequest(lse=True)} if SUMS else {}  # noqa: F821
    return flex_attention(q, k, v, score_mod, block_mask, SCALE, GQA, kernel_options=OPTIONS, **more)  # noqa: F821


def eager(q, k, v, score_mod, block_mask, scale, gqa, options):
    """PyTorch's call, which a compiled function may hold."""
    from torch.nn.attention.flex_attention import flex_attention

    return flex_attention(q, k, v, score_mod, block_mask, scale, gqa, kernel_options=options)


@functools.lru_cache(maxsize=256)
def compiled(case: Case, dynamic: bool):
    """A function of its own for each case: PyTorch counts the programs of one function, and gives up after a few."""
    constants = {"SIZES": case.sizes, "SCALE": case.scale, "GQA": case.gqa, "OPTIONS": dict(case.options) or None, "SUMS": case.sums}
    return copied(_attend, constants, dynamic)


def copied(function, constants: dict, dynamic: bool):
    """A compiled copy of a function with globals of its own."""
    pytorch = of_pytorch()
    scope = {"torch": torch, "flex_attention": pytorch.flex_attention, "AuxRequest": getattr(pytorch, "AuxRequest", None)}
    scope.update(constants, __builtins__=__builtins__)
    return torch.compile(types.FunctionType(function.__code__.replace(), scope, "attend"), dynamic=dynamic, backend=BACKEND)


_first: dict[Case, tuple] = {}


def is_first(case: Case, q, k, block_mask) -> bool:
    """Whether a case has these lengths and this batch for the first time, or has them again."""
    shape = (q.shape[0], q.shape[-2], k.shape[-2])
    if block_mask is not None:
        lists = (block_mask.kv_indices, block_mask.full_kv_indices)
        shape += (block_mask.BLOCK_SIZE, *(None if t is None else t.shape for t in lists))
    return _first.setdefault(case, shape) == shape


def missing(length: int) -> int:
    return -length % BLOCK


def can_grow(block_mask, queries: int, keys: int) -> bool:
    """Not a mask of other lengths, which PyTorch refuses as it is."""
    return block_mask is None or (tuple(block_mask.BLOCK_SIZE) == (BLOCK, BLOCK) and tuple(block_mask.shape[-2:]) == (queries, keys))


def grown(t: torch.Tensor) -> torch.Tensor:
    """With zeros up to a multiple of BLOCK."""
    more = missing(t.shape[-2])
    return torch.nn.functional.pad(t, (0, 0, 0, more)) if more else t


def grown_mask(block_mask, queries: int, keys: int):
    """For queries and keys of `grown`. The same blocks: the last are cut. It asks of what is beyond the ends as of the ends."""
    if block_mask is None:
        return None
    mask = block_mask.mask_mod
    query_end, key_end = (torch.full((), n - 1, dtype=torch.int32, device=block_mask.kv_indices.device) for n in (queries, keys))
    out = copy.copy(block_mask)
    out.seq_lengths = (queries + missing(queries), keys + missing(keys))
    out.mask_mod = lambda b, h, query, key: mask(b, h, torch.minimum(query, query_end), torch.minimum(key, key_end))
    return out


def without_grown(score_mod, keys: int, device):
    """The function where keys are, -infinity beyond."""
    count = torch.full((), keys, dtype=torch.int32, device=device)

    def only_keys(score, batch, head, query, key):
        score = score if score_mod is None else score_mod(score, batch, head, query, key)
        return torch.where(key < count, score, -math.inf)

    return only_keys
