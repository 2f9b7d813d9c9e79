"""Where the encodings of two models differ, and by how much."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Mapping, Optional, Sequence

from posenc._models import config_of, lengths, read, rotation

Part = Mapping[str, Any]


def _overlaid(base: Any, keys: Any) -> Any:
    """Members of `keys` in the place of those in `base`; objects are joined."""
    if not isinstance(base, Mapping) or not isinstance(keys, Mapping):
        return keys
    return {**base, **{k: _overlaid(base.get(k), v) for k, v in keys.items()}}


def _config_text(model: Any) -> Any:
    """The configuration of a model as a dict."""
    config = config_of(model)
    if config is not None:
        return config
    path = os.fsdecode(model)
    try:
        with open(os.path.join(path, "config.json") if os.path.isdir(path) else path, encoding="utf-8") as file:
            return json.load(file)
    except ValueError as why:
        raise ValueError(f"[diff] expected a config.json to set other keys in, got {path}") from why


def _beside(second: Any, first: Any) -> dict[str, Any]:
    """The second model; keys without a model_type are those of the first with these instead of its own."""
    keys = config_of(second)
    if keys is None or "model_type" in keys or "architectures" in keys:
        return read(second)
    return read(_overlaid(_config_text(first), keys))


def _facts(a: Part, b: Part) -> list[dict[str, Any]]:
    one, other = dict(a["facts"]), dict(b["facts"])
    pairs = [(name, one.get(name), other.get(name)) for name in {**one, **other}]
    pairs = [("layers", a["layers"], b["layers"]), *pairs, ("positions", a["positions"], b["positions"])]
    return [{"name": n, "first": x, "second": y} for n, x, y in pairs if x != y]


def _phases(a: Part, b: Part, wanted: Optional[Sequence[int]]) -> list[dict[str, Any]]:
    known = {n for part in (a, b) for n in lengths(part) if n is not None and n > 0}
    out: list[dict[str, Any]] = []
    for length in sorted(set(wanted) if wanted else known or {4096}):
        turns = [rotation(part, lengths(part)[1], length, True) for part in (a, b)]
        rates = [t.get("frequencies", []) for t in turns]
        if not all(turns) or len(rates[0]) != len(rates[1]):
            return out
        apart = [abs(x - y) * (length - 1) for x, y in zip(*rates)]
        worst = max(apart, default=0.0)
        out.append({
            "length": length, "worst_phase": worst, "pair": apart.index(worst) if worst else 0,
            "cos_sin_factors": [t["cos_sin_factor"] for t in turns],
            "softmax_factors": [t["softmax_factor"] for t in turns],
            "frequencies": list(map(list, zip(*rates))),
        })  # fmt: skip
    return out


def _compared(a: Part, b: Part, wanted: Optional[Sequence[int]]) -> dict[str, Any]:
    facts, phases = _facts(a, b), _phases(a, b, wanted)
    alike = all(
        not p["worst_phase"] and len(set(p["cos_sin_factors"])) == 1 and len(set(p["softmax_factors"])) == 1 for p in phases
    )
    return {
        "where": a["where"], "second_where": b["where"], "same": a["scheme"] == b["scheme"] and not facts and alike,
        "schemes": [a["scheme"], b["scheme"]], "facts": facts, "phases": phases,
    }  # fmt: skip


def _part_of(part: Part) -> str:
    """ "text" of "text, full layers"."""
    return part["where"].split(", ")[0]


class _Pairs:
    """Parts of two models, and which of them belong together."""

    def __init__(self, first: list[Part], second: list[Part]) -> None:
        self.first, self.second = list(first), list(second)
        self.both: list[tuple[Part, Part]] = []

    def join(self, mine: list[Part], other: list[Part]) -> None:
        """One with each of the other's groups of layers, or as many, one by one."""
        if not mine or not other or (len(mine) != len(other) and 1 not in (len(mine), len(other))):
            return
        for i in range(max(len(mine), len(other))):
            self.both.append((mine[min(i, len(mine) - 1)], other[min(i, len(other) - 1)]))
        self.first = [p for p in self.first if all(p is not m for m in mine)]
        self.second = [p for p in self.second if all(p is not o for o in other)]

    def join_by(self, key: Callable[[Part], Any], most: Optional[int] = None) -> None:
        """Parts with the same key; most: as many of them at once."""
        for part in list(self.first):
            if any(p is part for p in self.first):
                mine, other = ([p for p in of if key(p) == key(part)] for of in (self.first, self.second))
                if most is None or (len(mine) == len(other) == most):
                    self.join(mine, other)

    def join_named(self, key: Callable[[Part], Any]) -> None:
        """Each part with the next of the other model that has the same key."""
        for part in list(self.first):
            self.join([part], [p for p in self.second if key(p) == key(part)][:1])


def diff(first: Any, second: Any, *, lengths: Optional[Sequence[int]] = None) -> dict[str, Any]:
    """Where the positional encodings of two models differ, part by part, as `posenc diff --json` tells it.

    first, second: what explain() takes. The second may also be a few keys, {"rope_theta": 1000000}: the first with these
    instead of its own. lengths: tokens for which phases are compared; those of the models unless given. "worst_phase": how
    many radians a pair is apart at the end of the text.
    """
    for length in lengths or ():
        if not isinstance(length, int) or not 1 <= length <= 2**31:
            raise ValueError(f"[diff] expected lengths of whole numbers from 1 to 2^31, got {length!r}")
    a, b = read(first), _beside(second, first)
    pairs = _Pairs(a["components"], b["components"])
    pairs.join_named(lambda p: (p["where"], p["scheme"]))
    pairs.join_named(lambda p: p["where"])
    pairs.join_by(_part_of)
    pairs.join_by(lambda p: p["scheme"] if p["scheme"] != "none" else id(p), most=1)
    order = {id(p): i for i, p in enumerate(a["components"])}
    both = [_compared(x, y, lengths) for x, y in sorted(pairs.both, key=lambda pair: order[id(pair[0])])]
    lone = [[{"where": p["where"], "scheme": p["scheme"]} for p in of] for of in (pairs.first, pairs.second)]
    same = all(c["same"] for c in both) and not any(lone)
    return {
        "first": a["path"], "second": b["path"], "same": same, "components": both, "only_first": lone[0], "only_second": lone[1],
    }  # fmt: skip
