"""Arrays that verbs make: of NumPy, or of the library of what they were given."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def _library(x: Any) -> tuple[Any, dict[str, Any]]:
    """The module that makes arrays such as x, and the keywords that say where they lie."""
    if isinstance(x, np.ndarray):
        return np, {}
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return torch, {"device": x.device}
    if hasattr(x, "__array_namespace__"):
        if not hasattr(x, "device"):
            raise TypeError(f"[tensor] expected an array in memory, got {type(x).__name__}, which is one to come")
        return x.__array_namespace__(), {"device": x.device}
    raise TypeError(f"[tensor] expected an array of NumPy, PyTorch or the array API, got {type(x).__name__}")


def like(x: Any) -> Any:
    """An array of the shape, type and place of x, not yet filled."""
    return _library(x)[0].empty_like(x)


def empty(shape: tuple[int, ...], beside: Any) -> Any:
    """An array of that shape, of the type and the place of another, not yet filled."""
    library, place = _library(beside)
    return library.empty(shape, dtype=beside.dtype, **place)


def zeros(shape: tuple[int, ...], beside: Any) -> Any:
    """Zeros in f32, or f64 beside f64: what gradients are added to."""
    library, place = _library(beside)
    wide = library.float64 if beside.dtype == library.float64 else library.float32
    return library.zeros(shape, dtype=wide, **place)


def dtype_of(name: Any) -> np.dtype:
    """np.dtype, that knows bfloat16 where ml_dtypes is installed."""
    if str(name) in ("bfloat16", "bf16"):
        try:
            import ml_dtypes
        except ImportError as why:
            raise ImportError("[dtype] expected ml_dtypes for bfloat16, got none: pip install ml_dtypes") from why
        return np.dtype(ml_dtypes.bfloat16)
    try:
        return np.dtype(name)
    except TypeError:
        raise TypeError(f"[dtype] expected a type of NumPy, got {name!r}") from None


def ids(numbers: Any) -> Any:
    """i32 or i64, as the library reads whole numbers; lists as arrays."""
    is_array = isinstance(numbers, np.ndarray)
    if numbers.dtype.char in "ilq" if is_array else hasattr(numbers, "__dlpack__"):
        return numbers
    array = np.asarray(numbers)
    if not is_array and not array.size:
        return array.astype(np.int64)
    if array.dtype == np.uint64 and array.size and array.max() > 2**63 - 1:
        raise ValueError(f"[tensor] expected whole numbers below 2^63, got {array.max()}")
    return array.astype(np.int64) if array.dtype.kind in "biu" and array.dtype not in (np.int32, np.int64) else array


def ids_or_none(numbers: Any) -> Any:
    """The same, of what may be left out."""
    return None if numbers is None else ids(numbers)


def whole(where: str, name: str, count: Any) -> int:
    """A number of something."""
    if not isinstance(count, (int, np.integer)):
        raise TypeError(f"[{where}] expected a number of {name}, got {type(count).__name__}")
    if count < 0:
        raise ValueError(f"[{where}] expected a number of {name}, got {count}")
    return int(count)


def counted(what: str, positions: Any) -> tuple[Any, tuple[int, ...]]:
    """Positions and the shape of their tokens, where an int says how many: 0, 1, 2, ..."""
    if isinstance(positions, (int, np.integer)) and not isinstance(positions, bool):
        if positions < 0:
            raise ValueError(f"[{what}] expected a number of positions, or positions, got {positions}")
        return None, (int(positions),)
    if positions is None:
        raise TypeError(f"[{what}] expected a number of positions, or positions, got None")
    array = positions if hasattr(positions, "__dlpack__") else np.asarray(positions)
    if not array.shape:
        raise ValueError(f"[{what}] expected a number of positions, or positions, got {positions!r}")
    shape = tuple(array.shape)[-2:]
    return array, shape[1:] if len(array.shape) == 3 and shape[0] == 1 else shape
