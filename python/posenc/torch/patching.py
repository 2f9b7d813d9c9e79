"""Exact encodings for live models of transformers.

    patched = posenc.torch.patch(model)   # what it found and did: print(patched)
    patched.undo()

What the model has is read from its configuration, as `posenc explain` reads it. A part is replaced only
where it gives what posenc gives, up to rounding; everything else is left as it is and reported with the reason.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Callable

import torch

from posenc import _core

from ._replace import learned, rotary, table
from ._replace_biases import biases

RULES = (rotary, table, learned, biases)
VISION = {"visual", "vision_tower", "vision_model"}  # names of the part that sees, where there are others


@dataclasses.dataclass
class Change:
    """One module of the model, and what became of it."""

    where: str  # the part of the model: "text", "encoder", ...
    module: str  # its name in the model
    scheme: str
    replaced: bool
    difference: float | None  # the largest between its numbers and the exact ones; None: not compared
    note: str = ""

    def __str__(self) -> str:
        done = "replaced" if self.replaced else "kept"
        off = "" if self.difference is None else f", off by {self.difference:.2g}"
        note = f" ({self.note})" if self.note else ""
        return f"{done}  {self.module or 'the model'}: {self.scheme} of {self.where}{off}{note}"


class Patch:
    """What patch() did; undo() takes it back."""

    def __init__(self, changes: list[Change], takers: list[Callable]) -> None:
        self.changes, self._takers = changes, takers

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
    told = _core.read_config(json.dumps(model.config.to_dict(), default=str))
    ready = [p for p in told["components"] if p["ready"] is not None]
    others = [p for p in told["components"] if p["ready"] is None and p["scheme"] != "none"]
    note = "posenc tells of it, and has nothing to put in its place"
    return (
        [{**p, "facts": dict(p["facts"]), "handle": f"{p['ready'].name} {p['ready'].to_json()}"} for p in ready],
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


def patch(model: torch.nn.Module) -> Patch:
    """Finds rotary modules, fixed tables and biases, and puts posenc's in their place."""
    (parts, others), changes, takers = _parts(model), [], []
    alone = len({where.split(",")[0] for where in [p["where"] for p in parts] + [c.where for c in others]}) == 1
    for name, module in list(model.named_modules()):
        mine = [p for p in parts if _belongs(name, p["where"], alone)]
        for found in (f for rule in RULES for f in rule(name, module, mine)):
            with torch.no_grad():
                difference = found.difference()
            fits = not found.keeps and difference <= _tolerance(found)
            note = "" if fits else found.keeps or "what it computes is not what its configuration says"
            if fits:
                takers.append(found.install())
            changes.append(Change(found.where, name, found.scheme, fits, difference, note))
    return Patch(changes + _missed(parts, changes) + others, takers)
