"""The classic accidents of rotary modules: what went wrong with the frequencies that a module holds, and what it costs.

Each is found from numbers: the frequencies in the module's buffers, or those that its table tells, beside those of its configuration.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
from typing import Callable, Iterator

import torch

from ._plans import UNBOUNDED, handle_of, options_of, plan_of

CPU = torch.device("cpu")
CLOSE = 1e-5  # relative: frequencies in f32 are off by 1e-7, those of longer formulas by some times that
THETAS = ("rope_theta", "rotary_base", "rope_base", "rotary_emb_base")  # where configurations of some classes have it
STRAY = ("rope_parameters", "rope_scaling")  # where transformers reads it


@dataclasses.dataclass
class Accident:
    """What went wrong, and what it costs."""

    name: str  # "cast", "lost", "ignored scaling", "other length", "other theta" or "unread theta"
    sentence: str
    radians: float | None  # how far off angles are at the last position of the model's length; None: they mean nothing
    length: int
    install: Callable[[], Callable] | None = None  # what puts it right, and returns what takes that back

    def __str__(self) -> str:
        cost = "angles are meaningless" if self.radians is None else f"angles are off by up to {self.radians:.2g} radians"
        return f"{self.sentence}; {cost} at position {self.length - 1}"


@dataclasses.dataclass
class Held:
    """Frequencies that a module holds for one kind of layer, and what its configuration says of them."""

    buffer: torch.Tensor
    handle: str
    length: int
    config: dict

    @property
    def got(self) -> torch.Tensor:
        return self.buffer.detach().double().cpu()

    def rates(self, handle=None, length=1) -> torch.Tensor:
        plan = plan_of(handle or self.handle, [], CPU, length)
        # Pairs of several axes may share them: a module holds those of one.
        return torch.tensor(plan.frequencies(), dtype=torch.float64).abs()[: self.buffer.numel()]

    def holds(self, handle=None, length=1) -> bool:
        want = self.rates(handle, length)
        return want.shape == self.got.shape and torch.allclose(self.got, want, rtol=CLOSE, atol=0)

    def with_options(self, **options) -> str:
        return handle_of("rope", {**options_of(self.handle), **options})

    @property
    def scaled(self) -> bool:
        return options_of(self.handle).get("scaling", {"type": "none"}).get("type", "none") != "none"


def _lost(held: Held):
    got = None if held.buffer.is_meta else held.got
    if got is None:
        return "its frequencies are on the meta device, without values: they were lost when the model was loaded"
    if not got.isfinite().all() or not got.any() or (got < 0).any() or got.max() > 1e3:
        return "its frequencies are not frequencies but whatever was in memory: they were lost when the model was loaded"


def _cast(held: Held):
    for dtype in (torch.bfloat16, torch.float16):
        for length in _lengths(held):
            if torch.allclose(held.got, held.rates(length=length).float().to(dtype).double(), rtol=CLOSE, atol=0):
                name = str(dtype).split(".")[-1]
                return f"its frequencies were cast to {name}, as model.to(torch.{name}) does with buffers"


def _lengths(held: Held) -> list[int]:
    """Of the texts whose frequencies a module holds when it was just made."""
    return [1] if plan_of(held.handle, [], CPU).max_length == UNBOUNDED else [1, held.length]


def _ignored(held: Held):
    if held.scaled and held.holds(held.with_options(scaling={"type": "none"})):
        kind = options_of(held.handle)["scaling"]["type"]
        return f"its frequencies are those without scaling, but the configuration says {kind}"


def _other_length(held: Held):
    """Of rules that depend on the length: the slowest frequency tells of which text they are."""
    plan = plan_of(held.handle, [], CPU)
    if plan.max_length == UNBOUNDED or held.got.numel() != len(plan.frequencies()):
        return None
    low, high = 1, 2**31
    while low < high:  # the shortest text whose slowest frequency is as slow
        middle = (low + high) // 2
        slow = held.rates(length=middle)[-1] <= held.got[-1] * (1 + CLOSE / 10)
        low, high = (low, middle) if slow else (middle + 1, high)
    if low > plan.max_length and held.holds(length=low):
        return f"its frequencies are those of a text of {low} tokens, and are used for shorter ones too"


def _bases(held: Held) -> Iterator[float]:
    """What theta the frequencies may be of."""
    count = held.got.numel()
    if count > 1 and held.got[0] > 0 and held.got[1] > 0:
        guess = (held.got[0] / held.got[1]).item() ** count
        yield from (float(f"{guess:.{digits}g}") for digits in (2, 3, 4, 5, 6))
    yield from (10000.0, *(value for _, value in _thetas(held.config)))


def _other_theta(held: Held):
    base = options_of(held.handle).get("base", 10000.0)
    for theta in dict.fromkeys(_bases(held)):
        schemes = [held.with_options(base=theta)]
        schemes += [held.with_options(base=theta, scaling={"type": "none"})] if held.scaled else []
        if theta > 0 and theta != base and any(held.holds(scheme) for scheme in schemes):
            return f"its frequencies are those of theta {theta:g}, but the configuration says {base:g}"


def _thetas(config: dict, under=()) -> Iterator[tuple[str, float]]:
    """Numbers that a configuration calls theta, with their paths."""
    for key, value in config.items():
        if isinstance(value, dict):
            yield from _thetas(value, (*under, key))
        elif key in THETAS and isinstance(value, (int, float)) and not isinstance(value, bool):
            yield ".".join((*under, key)), float(value)


def unread_theta(held: Held, bases) -> tuple[str, float] | None:
    """A theta in the configuration of which no frequencies are, at a place that is not read."""
    for path, value in _thetas(held.config):
        if path.split(".")[0] not in STRAY and value not in bases:
            return path, value
    return None


CAUSES = {
    "lost": _lost,
    "cast": _cast,
    "ignored scaling": _ignored,
    "other length": _other_length,
    "other theta": _other_theta,
}


def cost_of(held: Held, want: torch.Tensor) -> float | None:
    if held.buffer.is_meta or held.got.shape != want.shape or not held.got.isfinite().all():
        return None
    return ((held.got - want).abs().max() * (held.length - 1)).item()


def _buffer(kind) -> str:
    return "inv_freq" if kind is None else f"{kind}_inv_freq"


def _set_buffers(module, kind, held: Held) -> dict:
    """The right frequencies in the module's buffers; returns those that were there."""
    name = _buffer(kind)
    names = [n for n in (name, name.replace("inv_freq", "original_inv_freq")) if n in module._buffers]
    before = {n: module._buffers[n] for n in names}
    device = CPU if held.buffer.is_meta else held.buffer.device
    module._buffers.update({n: held.rates().float().to(device) for n in names})
    return before


def sound(module, handles):
    """The module as it would be with the frequencies that its configuration says."""
    twin = copy.deepcopy(module)
    twin.__dict__.pop("forward", None)
    for kind, held in _helds(module, handles, 1, {}).items():
        if held.buffer.numel() == held.rates().numel():
            _set_buffers(twin, kind, held)
    return twin


def _repair(module, wrong: dict, install):
    def put_right():
        take_back, before = install(), {}
        for kind, held in wrong.items():
            before.update(_set_buffers(module, kind, held))
        return lambda: (module._buffers.update(before), take_back())

    return put_right


def _helds(module, handles, length, config) -> dict:
    buffers = {kind: module._buffers.get(_buffer(kind)) for kind in handles}
    return {k: Held(b, handles[k][0], length, config) for k, b in buffers.items() if b is not None}


def length_of(parts, config) -> int:
    lengths = (parts[0]["facts"].get("max_position"), config.get("max_position_embeddings"))
    return int(next((n for n in lengths if isinstance(n, (int, float)) and n > 1), 2048))


def accident_of(module, handles, exact, parts, install) -> Accident | None:
    """What went wrong with a rotary module; None where its frequencies are those of its configuration.
    install(exact): puts a table in the module's place."""
    config = getattr(module, "config", None)
    config = config.to_dict() if hasattr(config, "to_dict") else {}
    helds = _helds(module, handles, length_of(parts, config), config)
    for held in helds.values():
        for name, cause in CAUSES.items():
            sentence = None if name != "lost" and any(held.holds(length=n) for n in _lengths(held)) else cause(held)
            if sentence:
                wrong = {k: h for k, h in helds.items() if h.buffer.is_meta or not h.holds()}
                costs = [cost_of(h, h.rates()) for h in wrong.values()]
                radians = None if None in costs else max(costs)
                return Accident(name, sentence, radians, held.length, _repair(module, wrong, lambda: install(exact)))
    return _stray(module, handles, helds, exact, install)


def _stray(module, handles, helds, exact, install) -> Accident | None:
    bases = {options_of(h.handle).get("base", 10000.0) for h in helds.values()}
    kinds = list(helds)
    if len(kinds) != 1:
        return None
    held = helds[kinds[0]]
    stray = unread_theta(held, bases)
    if stray is None:
        return None
    path, theta = stray
    meant = dataclasses.replace(held, handle=held.with_options(base=theta))
    other = functools.partial(exact.func, {kinds[0]: (meant.handle, handles[kinds[0]][1])}, *exact.args[1:])
    sentence = f"{path} is {theta:g}, where this version of transformers does not read it: theta is {bases.pop():g}"
    repair = _repair(module, {kinds[0]: meant}, lambda: install(other))
    return Accident("unread theta", sentence, cost_of(held, meant.rates()), held.length, repair)
