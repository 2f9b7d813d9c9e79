"""Functions of models that rotate queries and keys, and the form in which each of them does.

A form is found by trying: the model's function and posenc's op get the same random numbers, and the form whose results and
gradients agree up to rounding is what the function computes. Whatever it was not tried with, it still gets itself.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
from typing import Callable

import torch

from . import _native, _rotate_by  # noqa: F401  the op
from ._direct import _PLAIN, _modes, _transforms
from ._head_norms import HeadNorms, norm_and_turn, normed, waiting
from ._registry import select_impl
from ._rotary import REPEATED
from ._sharded import is_dtensor

# What functions call their parameters. Others are passed to the model's own.
ROLES = {
    **dict.fromkeys(("q", "xq", "query", "x", "tensor"), "q"),
    **dict.fromkeys(("k", "xk", "key"), "k"),
    **dict.fromkeys(("freqs_cis", "freqs_ci"), "table"),
    **dict.fromkeys(("cos", "sin", "unsqueeze_dim"), ""),
}
# How cosines stand in a row of the table, which has one for each pair: (what a module makes of them, what reads them).
ARRANGED = {
    "twice": (REPEATED["twice"], lambda t: t[..., : t.shape[-1] // 2]),
    "each": (REPEATED["each"], lambda t: t[..., ::2]),
    "once": (lambda t: t, lambda t: t),
}
LAYOUTS = ("half", "interleaved", "interleaved-in-half-out")
NARROW = (torch.bfloat16, torch.float16)


@dataclasses.dataclass(frozen=True)
class Form:
    layout: str
    arrangement: str  # of the table: one of ARRANGED, or "complex"
    back: bool = False  # rotates the other way
    last: bool = False  # where not all features of a head are rotated: the last ones are


FORMS = [
    Form(layout, arrangement, back)
    for arrangement in (*ARRANGED, "complex")
    for layout in LAYOUTS
    for back in ((False,) if layout == "interleaved-in-half-out" else (False, True))
]


def _tolerance(dtype) -> float:
    """Four roundings of numbers up to 2."""
    return 4 * torch.finfo(dtype).eps


class Rotation:
    """A model's function, its form, and what it was tried with."""

    def __init__(self, function: Callable) -> None:
        self.function = function
        call = function.forward if isinstance(function, torch.nn.Module) else function
        parameters = inspect.signature(call).parameters
        self.names = list(parameters)
        role = {ROLES[n] or n: n for n in self.names if n in ROLES}
        self.heads = [role[r] for r in ("q", "k") if r in role]
        self.table = [role["table"]] if "table" in role else [role.get("cos", ""), role.get("sin", "")]
        axis = parameters.get("unsqueeze_dim")
        self.axis = None if axis is None else axis.default
        self.rotates = role.keys() >= {"table"} or role.keys() >= {"cos", "sin"}
        self.others = [n for n, p in parameters.items() if n not in ROLES and p.default is p.empty]
        self.form, self.cases, self.partial, self.mixed = None, {}, False, False  # cases: heads_first by (rank, axis)
        self.difference, self.kept = 0.0, (None, None, None)  # kept: the last table and how it is read

    def read_once(self, table) -> list[torch.Tensor]:
        """Views of a table, made for the first layer of a model: all of them get the same one. One row serves all."""
        if torch.compiler.is_compiling() or _modes():
            return self.read(table)
        mode, (first, kind, kept) = torch.is_inference_mode_enabled(), self.kept
        if first is None or kind != mode or any(a is not b for a, b in zip(first, table)):
            kept = [t[0] if t.dim() == 3 and t.shape[0] == 1 else t for t in self.read(table)]
            self.kept = (table, mode, kept)
        return kept

    def read(self, table) -> list[torch.Tensor]:
        """Cosines and sines of each pair once."""
        if self.form.arrangement == "complex":
            return list(torch.view_as_real(table[0]).unbind(-1))
        return [ARRANGED[self.form.arrangement][1](t) for t in table]

    def turn(self, x, cos, sin, heads_first):
        op = select_impl("rotate_by", cos, sin, *x)
        return op(x, cos, sin, self.form.back, self.form.layout, self.form.last, heads_first)


def _drawn(rotation, form, rank, rows, dim, dtype, table_dtype):
    """Random heads and their table; sizes of all axes differ."""
    random = torch.Generator().manual_seed(7)
    pairs, tokens, counts = 4, 5, (3, 2)[: len(rotation.heads)]
    batch = () if rank == 3 else (2,)

    def draw(*shape, of):
        return (torch.rand(shape, generator=random) * 2 - 1).to(of)

    heads = {
        True: [draw(*batch, h, tokens, dim, of=dtype) for h in counts],
        False: [draw(*batch, tokens, h, dim, of=dtype) for h in counts],
    }
    c, s = (draw(*([rows] if batch else []), tokens, pairs, of=table_dtype) for _ in range(2))
    if form.arrangement == "complex":
        return heads, [torch.complex(c.float(), s.float())]
    return heads, [ARRANGED[form.arrangement][0](t) for t in (c, s)]


def _called(rotation, x, table, axis):
    named = dict(zip(rotation.heads, x)) | dict(zip(rotation.table, table))
    out = rotation.function(**named, **({} if axis is None else {"unsqueeze_dim": axis}))
    return [out] if isinstance(out, torch.Tensor) else list(out)


def _apart(rotation, x, table, axis, heads_first) -> float:
    """The largest difference between its results or gradients and those of the form; infinite where types differ."""
    results = []
    for ours in (False, True):
        leaves = [t.clone().requires_grad_() for t in x]
        out = rotation.turn(leaves, *rotation.read(table), heads_first) if ours else _called(rotation, leaves, table, axis)
        if [(t.shape, t.dtype) for t in out] != [(t.shape, t.dtype) for t in x]:
            return float("inf")
        weights = [torch.linspace(-1, 1, t.numel()).reshape(t.shape).to(t.dtype) for t in out]
        results.append([*out, *torch.autograd.grad(out, leaves, weights)])
    return max((a.double() - b.double()).abs().max().item() for a, b in zip(*results))


def _agrees(rotation, form, rank=4, rows=2, dim=8, dtype=torch.float32, table_dtype=None, axis=None, heads_first=True):
    rotation.form = form
    heads, table = _drawn(rotation, form, rank, rows, dim, dtype, table_dtype or dtype)
    try:
        difference = _apart(rotation, heads[heads_first], table, axis, heads_first)
    except Exception:  # whatever the model's code says of such tensors
        return False
    if difference > _tolerance(dtype):
        return False
    if dtype == torch.float32:
        rotation.difference = max(rotation.difference, difference)
    return True


def turns(function: Callable) -> bool:
    """Whether its parameters are those of a function that rotates something by a table."""
    try:
        return not isinstance(function, type) and (hasattr(function, "posenc_rotation") or Rotation(function).rotates)
    except (TypeError, ValueError):  # it has no signature
        return False


def prove(function: Callable) -> tuple[Rotation | None, str]:
    """The function with its form, or why there is none."""
    rotation = Rotation(function)
    if rotation.others or not rotation.heads:
        return None, "it is called with " + ", ".join(rotation.names) + ", which this patch does not know"
    with torch.enable_grad(), torch.device("cpu"):
        tried = ((f, r, h) for f, r, h in itertools.product(FORMS, (4, 3), (True, False)))
        found = next(((f, r, h) for f, r, h in tried if _agrees(rotation, f, rank=r, heads_first=h)), None)
        if found is None:
            return None, "it computes none of the forms that are known"
        form, rank, heads_first = found
        how = {"rank": rank, "heads_first": heads_first}
        narrow = all(_agrees(rotation, form, dtype=torch.bfloat16, rows=rows, **how) for rows in (1, 2))
        rotation.mixed = _agrees(rotation, form, dtype=torch.bfloat16, table_dtype=torch.float32, **how)
        if not narrow:
            return None, "in bfloat16 it computes none of the forms that are known"
        for last in (False, True):
            ends = dataclasses.replace(form, last=last)
            if not rotation.partial and _agrees(rotation, ends, dim=14, **how):
                form, rotation.partial = ends, True
        axes = [None] if rotation.axis is None else [rotation.axis, 1, 2]
        for rank, axis, heads_first in itertools.product((4, 3), axes, (True, False)):
            if all(_agrees(rotation, form, rank, rows, axis=axis, heads_first=heads_first) for rows in (1, 2)):
                rotation.cases[rank, axis] = heads_first
    rotation.form = form
    return (rotation, "") if rotation.cases else (None, "it computes none of the forms that are known")


@torch.compiler.assume_constant_result
def _has_kernel(kind: str, index: int | None) -> bool:
    return kind == "cpu" or (kind == "cuda" and torch.version.hip is None and _native.has_cuda(index))


def _plain(tensors) -> bool:
    """Nothing that the op does not know: tensors that are spread or batched, tables that are learned."""
    if torch.compiler.is_compiling():
        return True
    return _transforms() is None and all((type(t) in _PLAIN or _modes()) and not is_dtensor(t) for t in tensors)


def _fits(rotation, x, cos, sin, heads_first) -> bool:
    """Whether types and shapes are among those that were tried, and there is a kernel for them."""
    first, turning = x[0], 2 * cos.shape[-1]
    for t in x[1:]:
        token, rows = -2 if heads_first else -3, first.dim() - 3
        if t.dtype != first.dtype or t.dim() != first.dim() or t.shape[:rows] != first.shape[:rows]:
            return False
        if t.shape[-1] != first.shape[-1] or t.shape[token] != first.shape[token]:
            return False
    if first.dtype != cos.dtype and not (rotation.mixed and first.dtype in NARROW and cos.dtype == torch.float32):
        return False
    if first.shape[-1] != turning and not (rotation.partial and first.shape[-1] > turning):
        return False
    if cos.shape[-2] != first.shape[-2 if heads_first else -3]:
        return False
    if cos.dim() == 3 and cos.shape[0] != 1 and cos.shape[0] != first.shape[0]:
        return False
    if torch.is_grad_enabled() and (cos.requires_grad or sin.requires_grad):
        return False
    return _has_kernel(first.device.type, first.device.index)


def _case(rotation: Rotation, bound: dict):
    """Heads, cosines, sines and their order, as the op takes them; None where it was not tried with such ones, and where the
    compiler fuses the model's own function with what is around it: without gradients that is never slower, and often quicker."""
    if torch.compiler.is_compiling() and not torch.is_grad_enabled():
        return None
    x, table = [bound.get(n) for n in rotation.heads], [bound.get(n) for n in rotation.table]
    if any(t is None for t in (*x, *table)) or not _plain((*x, *table)):
        return None
    known = (*rotation.heads, *rotation.table, "unsqueeze_dim")
    heads_first = rotation.cases.get((x[0].dim(), bound.get("unsqueeze_dim", rotation.axis)))
    if heads_first is None or any(bound[n] is not None for n in bound if n not in known):
        return None
    if table[0].is_complex() != (rotation.form.arrangement == "complex") or table[0].dim() != x[0].dim() - 1:
        return None
    cos, sin = rotation.read_once(table)
    return (x, cos, sin, heads_first) if _fits(rotation, x, cos, sin, heads_first) else None


def stand_in(rotation: Rotation, norms: HeadNorms | None = None) -> Callable:
    """What stands in for the function: posenc's op for what was tried and is not slower, the function itself for anything else.
    norms: those of heads that may come here before they are normed."""
    names = tuple(rotation.names)

    def rotate(*given, **named):
        bound = dict(zip(names, given), **named)
        late = [] if norms is None else waiting([bound[n] for n in rotation.heads])
        case = _case(rotation, bound)
        if case is None:
            x = [bound[n] for n in rotation.heads] if late else ()
            return rotation.function(**{**bound, **dict(zip(rotation.heads, normed(late, x)))})
        out = norm_and_turn(norms, late, rotation.form, *case) if late else rotation.turn(*case)
        return tuple(out) if len(rotation.heads) > 1 else out[0]

    rotate.posenc_rotation = rotation
    return rotate
