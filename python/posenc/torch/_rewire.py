"""Copies of a model's own functions that call something else where they name a global of their module.

A copy shares the code and has other globals, so nothing changes for other models that use the same module.
"""

from __future__ import annotations

import types
from typing import Callable, Iterator


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)


def _contents(cell):
    try:
        return cell.cell_contents
    except ValueError:  # empty
        return None


def _wrapped(function) -> list[types.FunctionType]:
    """What it closes over: of a decorator's function, the one that was decorated."""
    held = (_contents(cell) for cell in function.__closure__ or ())
    return [f for f in held if isinstance(f, types.FunctionType) and f is not function]


def globals_read(function: types.FunctionType) -> dict[str, object]:
    """The globals that it, or what it wraps, names, with their values."""
    own = {name for code in _codes(function.__code__) for name in code.co_names}
    read = {name: function.__globals__[name] for name in own if name in function.__globals__}
    for inner in _wrapped(function):
        if inner.__module__ == function.__module__:
            read = {**globals_read(inner), **read}
    return read


def rewired(function: types.FunctionType, replaced: dict[str, Callable]) -> types.FunctionType:
    """A copy that finds `replaced` under those names; what it wraps is copied with it."""

    def cell(old):
        inner = _contents(old)
        is_other = isinstance(inner, types.FunctionType) and inner is not function
        reads = is_other and globals_read(inner).keys() & replaced.keys()
        return types.CellType(rewired(inner, replaced)) if reads else old

    scope = {**function.__globals__, **replaced}
    scope.pop("__name__", None)  # torch.compile would look the names up in the module that is called so
    closure = tuple(map(cell, function.__closure__)) if function.__closure__ else None
    twin = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, closure)
    twin.__kwdefaults__, twin.__qualname__, twin.__module__ = (
        function.__kwdefaults__,
        function.__qualname__,
        function.__module__,
    )
    twin.__annotations__, twin.__doc__ = function.__annotations__, function.__doc__
    twin.__dict__.update({k: v for k, v in function.__dict__.items() if k != "__wrapped__"})
    return twin
