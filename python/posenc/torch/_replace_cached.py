"""Tables of cosines and sines that a module makes once and keeps: embed_positions of GPT-J and CodeGen, cos_cached and
sin_cached of older rotary modules, which many models bring with their own code."""

from __future__ import annotations

import dataclasses
from typing import Callable

import torch

from ._accidents import CAUSES, CPU, Accident, Held, cost_of, length_of
from ._plans import family_of, plan_of
from ._replace import Found, apart, ops
from ._replace_rotary import ARRANGED, takes_positions, with_axes

NARROW = (torch.bfloat16, torch.float16)


@dataclasses.dataclass
class Kept:
    """Cosines and sines [positions, pairs] as a module has them, and how it stores such; arranged is None where nothing tells."""

    module: torch.nn.Module
    stored: tuple[torch.Tensor, ...]
    cos: torch.Tensor
    sin: torch.Tensor
    arranged: Callable | None  # of cosines and sines: what is stored, by name

    @property
    def is_lost(self) -> bool:
        if any(s.is_meta for s in self.stored):
            return True
        sizes = self.cos**2 + self.sin**2
        return not sizes.isfinite().all() or not (sizes > 0.1).all() or (sizes > 100).any()

    @property
    def is_remade(self) -> bool:
        """Whether the module makes it anew for a longer text."""
        return hasattr(self.module, "max_seq_len_cached")

    def fill(self, cos, sin, rates=None):
        """Puts these in the place of what is stored, and frequencies beside them; returns what takes that back."""
        new = dict(self.arranged(cos, sin))
        own = getattr(self.module, "inv_freq", None)
        if rates is not None and isinstance(own, torch.Tensor) and own.shape == rates.shape:
            new["inv_freq"] = rates.float().to(cos.device)
        if self.is_remade and len(cos) != len(self.cos):
            new["max_seq_len_cached"] = len(cos)
        before = {n: getattr(self.module, n) for n in new}

        def put(values):
            for name, value in values.items():
                place = self.module._buffers if name in self.module._buffers else self.module.__dict__
                place[name] = value

        put(new)
        return lambda: put(before)


def _wide(tensor) -> torch.Tensor:
    return torch.zeros(tensor.shape, dtype=torch.float64) if tensor.is_meta else tensor.detach().double().cpu()


def _arrangement(table, pairs) -> str | None:
    """How the pairs lie in [positions, features]; None where its numbers do not tell."""
    if table.shape[1] == pairs:
        return "once"
    twice, each = torch.equal(table[:, :pairs], table[:, pairs:]), torch.equal(table[:, ::2], table[:, 1::2])
    return None if twice == each and pairs > 1 else "twice" if twice else "each"


def _beside(module, pairs) -> Kept | None:
    """cos_cached and sin_cached, [positions, features] with axes of 1 anywhere."""
    stored = getattr(module, "cos_cached", None), getattr(module, "sin_cached", None)
    if not all(isinstance(s, torch.Tensor) and s.is_floating_point() for s in stored) or stored[0].shape != stored[1].shape:
        return None
    sizes = [n for n in stored[0].shape if n > 1]
    if len(sizes) != 2 or sizes[1] not in (pairs, 2 * pairs):
        return None
    tables = [_wide(s).reshape(sizes) for s in stored]
    way, rows = _arrangement(tables[1], pairs), list(stored[0].shape).index(sizes[0])

    def arranged(cos, sin):
        shape = [*stored[0].shape[:rows], len(cos), *stored[0].shape[rows + 1 :]]
        return {f"{n}_cached": t.reshape(shape) for n, t in zip(("cos", "sin"), ARRANGED[way](cos, sin))}

    step = slice(0, 2 * pairs, 2) if way == "each" else slice(0, pairs)
    return Kept(module, stored, tables[0][:, step], tables[1][:, step], arranged if way else None)


def _in_one(module, pairs) -> Kept | None:
    """embed_positions, [positions, sines and cosines]."""
    stored = getattr(module, "embed_positions", None)
    if not isinstance(stored, torch.Tensor) or stored.dim() != 2 or stored.shape[1] != 2 * pairs:
        return None
    sin, cos = _wide(stored).chunk(2, dim=-1)
    return Kept(module, (stored,), cos, sin, lambda cos, sin: {"embed_positions": torch.cat((sin, cos), dim=-1)})


def _exact(handle, rows) -> tuple[torch.Tensor, torch.Tensor]:
    return ops.cos_sin(torch.empty(0, dtype=torch.float64), rows, None, 0, 0, handle, []).chunk(2, dim=-1)


def _apart(kept, cos, sin) -> float:
    rows = min(len(cos), len(kept.cos))
    return max(apart(kept.cos[:rows], cos[:rows]), apart(kept.sin[:rows], sin[:rows]))


def _cast(kept, cos, sin):
    """What rounding the table to 16 bits did, which may be less than what f32 does to angles far out."""
    for dtype in NARROW:
        off = _apart(kept, cos, sin) - 1e-6 * len(cos)
        if all(torch.equal(t, t.to(dtype).double()) for t in (kept.cos, kept.sin)) and off <= torch.finfo(dtype).eps * _size(cos, sin):
            rows, name = min(len(cos), len(kept.cos)), str(dtype).split(".")[-1]
            turned = torch.complex(kept.cos, kept.sin)[:rows] * torch.complex(cos, -sin)[:rows]
            sentence = f"its cosines and sines were cast to {name}, as model.to(torch.{name}) does with buffers"
            return sentence, turned.angle().abs().max().item()
    return None


def _size(cos, sin) -> float:
    return torch.hypot(cos[0], sin[0]).max().item()


def _made_narrow(kept, held, cos, sin):
    """What came of positions and frequencies of 16 bits."""
    at, rates, size = torch.arange(min(len(cos), len(kept.cos))), held.rates(), _size(cos, sin)
    for dtype in NARROW:
        for of in (rates.float().to(dtype), rates.float()):
            angles = (at.to(dtype)[:, None] * of).double()
            if _apart(kept, angles.cos() * size, angles.sin() * size) <= torch.finfo(dtype).eps * size:
                cost = (angles - at[:, None] * rates).abs().max().item()
                return f"its angles were computed in {str(dtype).split('.')[-1]}", cost
    return None


def _trouble(kept, held, facts, cos, sin):
    """The name, the sentence and the cost of what went wrong; None where it is nothing known."""
    if kept.is_lost:
        return "lost", "its table does not contain cosines and sines: it was lost when the model was loaded", None
    rounded = _cast(kept, cos, sin)
    if rounded is None and _apart(kept, cos, sin) <= 1e-6 * len(kept.cos):
        rows, wanted = len(kept.cos), 0 if held.scaled else facts.get("max_position") or 0
        if rows < wanted and not kept.is_remade:
            return "other length", f"its table ends at position {rows - 1}, but the configuration says {wanted} positions", None
        return None
    rounded = rounded or _made_narrow(kept, held, cos, sin)
    if rounded:
        return "cast", *rounded
    for name, cause in CAUSES.items():
        sentence = None if name == "lost" or held.holds() else cause(held)
        if sentence:
            return name, sentence, cost_of(held, held.rates())
    return None


def _accident(kept, handle, part, cos, sin) -> Accident | None:
    config = getattr(kept.module, "config", None)
    config = config.to_dict() if hasattr(config, "to_dict") else {}
    length = length_of([part], config)
    rates = torch.atan2(kept.sin[1], kept.cos[1]).abs()  # of position 1, which no turn is lost of
    held = Held(rates, handle, length, config)
    trouble = _trouble(kept, held, part["facts"], cos, sin)
    if trouble is None:
        return None
    name, sentence, radians = trouble
    rows = max(len(cos), length) if name == "other length" and not kept.is_remade else len(cos)
    device = CPU if kept.stored[0].is_meta else kept.stored[0].device
    right = [t.float().to(device) for t in _exact(handle, rows)]
    if kept.arranged is None:
        return Accident(name, sentence + "; its pair layout cannot be determined, so it cannot be repaired", radians, length)
    return Accident(name, sentence, radians, length, lambda: kept.fill(*right, held.rates()))


def cached(name, module, parts):
    parts = [p for p in parts if family_of(p["handle"]) == "rotary"]
    if not parts or takes_positions(module) or not any(hasattr(module, n) for n in ("cos_cached", "embed_positions")):
        return
    handle, axes = with_axes(parts[0])
    plan = plan_of(handle, [], CPU)
    pairs = len(plan.frequencies())
    kept = _beside(module, pairs) or _in_one(module, pairs)
    if axes > 1 or kept is None or len(kept.cos) < 2 or (kept.arranged is None and not kept.is_lost):
        return
    # Where they depend on the length, those of longer texts are made when such a text comes.
    cos, sin = _exact(handle, min(len(kept.cos), plan.max_length))
    like = kept.stored[0]
    yield Found(
        parts[0]["where"],
        "rope",
        lambda: float("inf") if kept.is_lost or len(cos) < len(kept.cos) else _apart(kept, cos, sin),
        lambda: kept.fill(cos.to(like), sin.to(like)),
        reach=len(kept.cos),
        accident=lambda: _accident(kept, handle, parts[0], cos, sin),
    )
