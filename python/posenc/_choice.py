"""Options as JSON says them, and rules that an option can hold."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, ClassVar, Mapping

import numpy as np

from posenc import _core


def plain(value: Any) -> Any:
    """What JSON can say of a value."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def typed(options: Mapping[str, Any], kinds: Mapping[str, str]) -> dict[str, Any]:
    """Whole numbers as floats where the option is a number."""
    return {
        k: float(v) if kinds.get(k) == "number" and type(v) is int else v for k, v in plain(options).items()
    }


def dump(options: Mapping[str, Any]) -> str:
    """Options as JSON, which has no infinities and no NaN."""
    try:
        return json.dumps(plain(options), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as why:
        if str(why).startswith("Out of range float"):
            raise ValueError("[options] expected finite numbers, got one that is infinite or NaN") from None
        raise TypeError(f"[options] expected numbers, words, lists and dicts, got {why}") from None


def written(name: str, options: Mapping[str, Any]) -> str:
    return f"{name}({', '.join(f'{k}={v!r}' for k, v in options.items())})"


class Choice:
    """A value of an option of a scheme, with its own options."""

    type: ClassVar[str]
    _usual: ClassVar[dict[str, Any]]
    _kinds: ClassVar[dict[str, str]]
    __slots__ = ("_options",)

    def __init__(self, **options: Any) -> None:
        for name in options:
            if name not in self._usual:
                raise TypeError(f"[{self.type}] {_core.unknown_option(name, list(self._usual))}")
        object.__setattr__(self, "_options", {**self._usual, **typed(options, self._kinds)})

    def to_dict(self) -> dict[str, Any]:
        """The options, and the name of the rule as "type"."""
        return {"type": self.type, **copy.deepcopy(self._options)}

    if not TYPE_CHECKING:  # to whom stubs tell the options of each rule

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name not in self._options:
                raise AttributeError(f"{type(self).__name__} has no option '{name}'")
            return copy.deepcopy(self._options[name])  # a list is the caller's own

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed: make another")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._options == other._options  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((self.type, _frozen(self._options)))

    def __reduce__(self) -> Any:
        return _choice, (type(self), self._options)

    def __repr__(self) -> str:
        return written(type(self).__name__, {k: v for k, v in self._options.items() if v != self._usual[k]})


def _frozen(value: Any) -> Any:
    """What has a hash, equal for equal values: lists and dicts as tuples."""
    if isinstance(value, dict):
        return tuple((k, _frozen(v)) for k, v in sorted(value.items()))
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _choice(kind: type, options: dict[str, Any]) -> Choice:
    return kind(**options)
