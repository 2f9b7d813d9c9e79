"""Schemes as Python values: keywords, repr, comparison, JSON, pickle."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, ClassVar, Mapping, Optional, Sequence

import numpy as np

from posenc import _core
from posenc._choice import Choice, dump, typed, written


def initial_weights(told: Sequence[Mapping[str, Any]], seed: int) -> dict[str, np.ndarray]:
    """Random numbers of the means and deviations that the library tells of its weights."""
    random = np.random.default_rng(seed)
    return {
        w["name"]: (w["mean"] + w["deviation"] * random.standard_normal(w["shape"])).astype(np.float32) for w in told
    }


def listed(scheme: str, wanted: list[str], weights: Any) -> Any:
    """Weights in their order, where they come by name."""
    if not isinstance(weights, Mapping):
        return weights
    if set(wanted) != set(weights):
        raise ValueError(f"[{scheme}] expected the weights {wanted}, got {list(weights)}")
    return [weights[name] for name in wanted]


class Scheme:
    """A positional encoding with its options; immutable."""

    name: ClassVar[str]
    family: ClassVar[str]
    _usual: ClassVar[dict[str, Any]]
    _kinds: ClassVar[dict[str, str]]
    _choices: ClassVar[dict[str, dict[str, type]]]
    _plan_class: ClassVar[type]
    _core_class: ClassVar[Any] = _core.Scheme
    __slots__ = ("_core", "_options", "_made")

    def __init__(self, preset: Optional[str] = None, **options: Any) -> None:
        self._name(self.name, preset, options)

    def _name(self, name: str, preset: Optional[str], options: dict[str, Any]) -> None:
        self._expect_known(name, options)
        given = options if preset is None else {"preset": preset, **options}
        self._become(self._core_class(name, dump(given)))

    @classmethod
    def _expect_known(cls, name: str, options: Mapping[str, Any]) -> None:
        """TypeError for what names no option; those of rope may have Hugging Face's names."""
        known = [*cls._usual, *_core.other_options(cls.name)]
        for option in options:
            if option not in known:
                raise TypeError(f"[{name}] {_core.unknown_option(option, known)}")

    @classmethod
    def _named(cls, name: str, preset: Optional[str], options: dict[str, Any]) -> Any:
        """The scheme by another name, which may stand for some option."""
        self = cls.__new__(cls)
        self._name(name, preset, options)
        return self

    def _become(self, core: Any) -> None:
        object.__setattr__(self, "_core", core)
        object.__setattr__(self, "_options", typed(json.loads(core.to_json()), self._kinds))
        object.__setattr__(self, "_made", None)

    @classmethod
    def from_json(cls, text: str) -> Any:
        """The scheme whose to_json() returned this text."""
        self = cls.__new__(cls)
        self._become(cls._core_class(cls.name, text))
        return self

    def to_json(self) -> str:
        """Every option that is read, as a JSON object."""
        return self._core.to_json()

    def to_dict(self) -> dict[str, Any]:
        """Every option that is read, by name."""
        return json.loads(self.to_json())

    @property
    def weights(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the learned weights, by name."""
        return {w["name"]: w["shape"] for w in self._core.weights()}

    def initial_weights(self, seed: int = 0) -> dict[str, np.ndarray]:
        """The weights at the start of training, in f32."""
        return initial_weights(self._core.weights(), seed)

    def plan(self, weights: Any = None, *, length: int = 0, keep: int = 0, cuda_device: int = -1) -> Any:
        """The scheme with everything precomputed that calls can share.

        weights: a dict by name, or a list in the order of `weights`. length: tokens of the text, for length rules that need
        it. keep: the rows of positions 0 .. keep - 1 are computed now and cached.
        """
        return self._plan_class(self, self._core.prepare(self._listed(weights), length, keep, cuda_device))

    def _listed(self, weights: Any) -> Optional[Sequence[Any]]:
        return listed(self.name, list(self.weights), weights)

    @property
    def _ready(self) -> Any:
        """The plan of verbs that are called on the scheme itself."""
        if self._made is None:
            object.__setattr__(self, "_made", self._core.prepare())
        return self._made

    if not TYPE_CHECKING:  # to whom stubs tell the options of each scheme

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name not in self._usual:
                raise AttributeError(f"{type(self).__name__} has no attribute '{name}'")
            return self._shown(name, self._options.get(name))

    def _shown(self, name: str, value: Any) -> Any:
        """An option as the constructor takes it; a list or a dict is the caller's own."""
        if not isinstance(value, dict) or "type" not in value:
            return copy.deepcopy(value)
        kind = self._choices.get(name, {}).get(value["type"])
        rest = {k: v for k, v in value.items() if k != "type"}
        return kind(**rest) if kind else value["type"] if not rest else value

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed: make another")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._usual})

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._options == other._options  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((self.name, self.to_json()))

    def __reduce__(self) -> Any:
        return _scheme, (type(self), self.to_json())

    def __repr__(self) -> str:
        shown = {k: self._shown(k, v) for k, v in self._options.items()}
        other = {k: _differing(v, self._usual[k]) for k, v in shown.items() if not _is_usual(v, self._usual[k])}
        return written(type(self).__name__, other)


def _is_usual(value: Any, usual: Any) -> bool:
    if isinstance(value, Choice):
        return value.type == usual and value == type(value)()
    return value == usual


def _differing(value: Any, usual: Any) -> Any:
    """Of a dict, what is not as usual."""
    if isinstance(value, dict) and isinstance(usual, dict):
        return {k: v for k, v in value.items() if v != usual.get(k)}
    return value


def _scheme(kind: Any, text: str) -> Scheme:
    return kind.from_json(text)


class Plan:
    """A scheme with everything precomputed that calls can share; several threads may use it at once."""

    __slots__ = ("scheme", "_ready")

    def __init__(self, scheme: Scheme, core: Any) -> None:
        self.scheme = scheme
        self._ready = core

    @property
    def core(self) -> Any:
        """The plan of posenc._core, whose functions have the least overhead."""
        return self._ready

    def __repr__(self) -> str:
        return f"{self.scheme!r}.plan()"


def ready(verb: str, encoding: Any) -> Any:
    """The plan of posenc._core of a scheme or of a plan."""
    if not isinstance(encoding, (Scheme, Plan)):
        raise TypeError(f"[{verb}] expected a scheme or a plan of posenc, got {type(encoding).__name__}")
    scheme = encoding if isinstance(encoding, Scheme) else encoding.scheme
    if scheme.family == "convolution":
        raise ValueError(f"[{verb}] expected a scheme that reads positions, got {scheme.name}")
    return encoding._ready
