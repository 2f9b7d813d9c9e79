"""Exact encodings and faster rotations for live models of transformers.

    patched = posenc.torch.patch(model)   # what it found and did: print(patched)
    patched.undo()
    print(posenc.torch.check(model))      # what it finds; changes nothing

The model's encodings are read from its configuration, as `posenc explain` does. A part is replaced only if it computes what
posenc computes, up to rounding; everything else is left as it is and reported with the reason.
"""

from __future__ import annotations

import dataclasses
from typing import Callable

import torch

from posenc import _core
from posenc._models import given

from ._accidents import Accident
from ._plans import family_of
from ._replace import NO_NUMBERS, learned, table
from ._replace_biases import biases
from ._replace_cached import cached
from ._replace_rotary import rotary
from ._replace_rotation import bind, is_bound, rotations

RULES = (rotary, cached, table, learned, biases)
VISION = {"visual", "vision_tower", "vision_model"}  # names of the part that sees, where there are others


@dataclasses.dataclass
class Change:
    """One module of the model, and what happened to it."""

    where: str  # the part of the model: "text", "encoder", ...
    module: str  # its name in the model
    scheme: str
    replaced: bool
    difference: float | None  # the largest between its numbers and the exact ones; None: not compared
    note: str = ""
    accident: Accident | None = None  # what went wrong with it before
    repaired: bool = False
    checked: bool = False  # nothing was to be replaced

    @property
    def done(self) -> str:
        if self.accident is not None:
            return "repaired" if self.repaired else "wrong"
        if self.checked:
            return "fits" if self.replaced else "unlike"
        return "replaced" if self.replaced else "kept"

    def __str__(self) -> str:
        off = "" if self.difference is None else f", off by {self.difference:.2g}"
        note = f" ({self.note})" if self.note else ""
        return f"{self.done}  {self.module or 'the model'}: {self.scheme} of {self.where}{off}{note}"


class Patch:
    """What patch() did; undo() reverts it."""

    def __init__(self, changes: list[Change], takers: list[Callable]) -> None:
        self.changes, self._takers = changes, takers

    @property
    def accidents(self) -> list[Accident]:
        """What was wrong with the model's encodings before."""
        return [c.accident for c in self.changes if c.accident is not None]

    def undo(self) -> None:
        while self._takers:
            self._takers.pop()()

    def __str__(self) -> str:
        return "\n".join(map(str, self.changes)) or "nothing found to replace"

    __repr__ = __str__


def _belongs(name: str, where: str, alone: bool) -> bool:
    """Whether a module of this name is in that part of the model; alone: it has no other."""
    part, steps = where.split(",")[0], set(name.split("."))
    if part in ("encoder", "decoder"):
        return part in steps or not {"encoder", "decoder"} & steps
    return alone or bool(steps & VISION) == (part == "vision")


def _parts(model) -> tuple[list[dict], list[Change]]:
    """What the configuration tells of: parts that posenc computes, and what is said of others, where they are some."""
    if not hasattr(getattr(model, "config", None), "to_dict"):
        raise TypeError(f"[patch] expected a model of transformers, with its config, got {type(model).__name__}")
    parts = _core.read_parts(given(model.config))
    ready = [p for p in parts if p["ready"] is not None]
    others = [p for p in parts if p["ready"] is None and p["scheme"] != "none"]
    note = "posenc describes it, but has nothing to replace it with"
    return (
        [{**p, "handle": f"{p['ready'].name} {p['ready'].to_json()}"} for p in ready],
        [Change(p["where"], "", p["scheme"], False, None, note) for p in others],
    )


def _tolerance(found) -> float:
    """What rounding may explain. f32 angles are off by half a unit in the last place of the position times
    frequency, and the frequencies by as much again; biases and tables by a few units of their size."""
    return 1e-6 * max(1.0, found.reach)


def _missed(parts, changes) -> list[Change]:
    """Parts that the configuration tells of and that no rule found in the model."""
    met = {(c.where.split(",")[0], c.scheme) for c in changes}
    told = {(p["where"].split(",")[0], p["ready"].name) for p in parts}
    note = "no module was found that computes it"
    return [Change(where, "", scheme, False, None, note) for where, scheme in sorted(told - met)]


def _change(name, found, repair, only_look, takers) -> Change:
    """Replaces what was found, where it fits or is to be repaired."""
    with torch.no_grad():
        difference = None if found.keeps == NO_NUMBERS else found.difference()
        accident = None if found.keeps else found.accident()
    fits = not found.keeps and difference <= _tolerance(found)
    repaired = accident is not None and accident.install is not None and repair
    note = "" if fits else found.keeps or "it does not compute what its configuration says"
    if accident is not None:
        repairs = "; patch(model, repair=True) repairs it" if accident.install and not repair else ""
        note = str(accident) + repairs
    if (fits or repaired) and not only_look:
        takers.append(accident.install() if repaired else found.install())
    return Change(found.where, name, found.scheme, fits or repaired, difference, note, accident, repaired, only_look)


def _rotation_changes(model, parts, alone, only_look, takers):
    """One for each class of attention."""
    found = False
    for name, members, proven, why in rotations(model):
        where = next((p["where"].split(",")[0] for p in parts if _belongs(name, p["where"], alone)), "the model")
        if proven and not only_look:
            takers.extend(bind(module, methods, proven) for _, module, methods in members)
        several = f" and {len(members) - 1} more" if len(members) > 1 else ""
        off = max((r.difference for r in proven.values()), default=None)
        found = True
        yield Change(where, name + several, "rotation", bool(proven), off, why, checked=only_look)
    if not found and not is_bound(model):
        where = next(p["where"].split(",")[0] for p in parts if family_of(p["handle"]) == "rotary")
        yield Change(where, "", "rotation", False, None, "no function was found that rotates queries and keys")


def _walk(model, repair, rotation, only_look) -> Patch:
    (parts, others), changes, takers = _parts(model), [], []
    alone = len({where.split(",")[0] for where in [p["where"] for p in parts] + [c.where for c in others]}) == 1
    for name, module in list(model.named_modules()):
        mine = [p for p in parts if _belongs(name, p["where"], alone)]
        for found in (f for rule in RULES for f in rule(name, module, mine)):
            changes.append(_change(name, found, repair, only_look, takers))
    missed = _missed(parts, changes)
    if rotation and any(family_of(p["handle"]) == "rotary" for p in parts):
        changes += _rotation_changes(model, parts, alone, only_look, takers)
    return Patch(changes + missed + others, takers)


def patch(model: torch.nn.Module, *, repair: bool = False, rotation: bool = True) -> Patch:
    """Finds rotary modules, fixed tables and biases, and replaces them with posenc's; with `rotation`, attention modules
    also call posenc's op where they rotate queries and keys. repair: also repairs what check() finds wrong."""
    with torch.device("cpu"):  # whatever the default device is: what a model has is compared there
        return _walk(model, repair, rotation, only_look=False)


def check(model: torch.nn.Module) -> Patch:
    """Compares a model's encodings with its configuration, reports what is wrong with them, and changes nothing."""
    with torch.device("cpu"):
        return _walk(model, repair=False, rotation=False, only_look=True)
