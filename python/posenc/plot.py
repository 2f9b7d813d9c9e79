"""Figures of encodings, with matplotlib: every function draws on `ax`, or on new axes, and returns them."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from posenc._absolute import AbsoluteVerbs
from posenc._rotary import RotaryVerbs
from posenc._scheme import Scheme
from posenc.positions import grid as grid_positions

__all__ = [
    "bias", "buckets", "decay", "heatmap", "patches", "profiles", "rules", "similarity", "strips", "wavelengths", "waves",
]  # fmt: skip

# The colours of `posenc show`: blue below 0, white, red above; or light to dark.
DIVERGING = ["#183d86", "#2a68b7", "#61a1dc", "#aed7f3", "#f8f8f8", "#f6c5ac", "#e17b5b", "#b4362b", "#7a151f"]
SEQUENTIAL = ["#fbfae3", "#ace1ad", "#4bbaa7", "#10819e", "#274885", "#211c48"]


def _axes(ax: Any, title: str, x: str, y: str) -> Any:
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError as why:
            raise ImportError("[plot] expected matplotlib, got none: pip install matplotlib") from why
        ax = plt.subplots(layout="constrained")[1]
    if not hasattr(ax, "imshow"):
        raise TypeError(f"[plot] expected axes of matplotlib, got {type(ax).__name__}")
    ax.set(title=title, xlabel=x, ylabel=y)
    return ax


def _colours(low: float, high: float) -> dict[str, Any]:
    """What matplotlib wants to know of the colours between two numbers: white is 0 where it lies between them."""
    from matplotlib.colors import LinearSegmentedColormap

    around = low < 0 < high
    if around:
        high = max(-low, high)
    scale = LinearSegmentedColormap.from_list("posenc", DIVERGING if around else SEQUENTIAL, 513)
    return {"cmap": scale.with_extremes(bad="#b8b8b8"), "vmin": -high if around else low, "vmax": high}


def _range(numbers: np.ndarray) -> tuple[float, float]:
    """The least and the largest of the finite numbers."""
    finite = numbers[np.isfinite(numbers)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)


def _map(
    numbers: np.ndarray, ax: Any, title: str, x: str, y: str, *, square: bool = False, signed: bool = False,
    ends: Optional[tuple[float, float]] = None, extent: Optional[tuple[float, float, float, float]] = None, scale: str = "",
) -> Any:
    """Numbers as colours from end to end, or on the range that they have; white at 0 if that is inside, or if they are signed.

    square: cells are as wide as they are high. extent: the outer edges, as imshow takes them. scale: what the colours mean.
    """
    ax = _axes(ax, title, x, y)
    low, high = _range(numbers) if ends is None else ends
    if signed:
        high = max(-low, high) or 1.0
        low = -high
    aspect: Any = "equal" if square else "auto"
    if square and extent is not None:
        left, right, bottom, top = extent
        aspect = abs((right - left) / numbers.shape[1]) / abs((bottom - top) / numbers.shape[0])
    picture = ax.imshow(numbers, extent=extent, aspect=aspect, interpolation="nearest", **_colours(low, high))
    ax.figure.colorbar(picture, ax=ax, label=scale)
    return ax


def _title(encoding: Any) -> str:
    return "" if isinstance(encoding, np.ndarray) else repr(getattr(encoding, "scheme", encoding))[:80]


def _has(encoding: Any, verb: str, what: str) -> None:
    if not callable(getattr(encoding, verb, None)):  # an option may have the name of another's verb
        raise TypeError(f"[plot] expected {what}, got {type(encoding).__name__}")


def _table(encoding: Any, positions: Any) -> np.ndarray:
    """[tokens, columns] of a scheme or a plan; an array is one already."""
    if not isinstance(encoding, np.ndarray):
        _has(encoding, "table", "an absolute or rotary scheme, its plan, or an array")
    table = encoding if isinstance(encoding, np.ndarray) else encoding.table(positions, np.float64)
    if table.ndim != 2:
        raise ValueError(f"[plot] expected a table [positions, columns], got {list(table.shape)}")
    return table


def heatmap(encoding: Any, positions: Any = 128, *, ax: Optional[Any] = None) -> Any:
    """The table as a picture: a row for each position, a column for each feature."""
    table = _table(encoding, positions).astype(np.float64)
    return _map(table, ax, _title(encoding), "feature", "position", signed=True)


def _cosines(table: np.ndarray) -> np.ndarray:
    """[rows, rows]: products of rows, divided by their lengths; NaN of a row of zeros."""
    length = np.linalg.norm(table, axis=1, keepdims=True)
    rows = table / np.where(length == 0, np.nan, length)
    return rows @ rows.T


def similarity(encoding: Any, positions: Any = 128, *, ax: Optional[Any] = None) -> Any:
    """The cosine similarity of all pairs of rows of the table, as a square."""
    cosines = _cosines(_table(encoding, positions).astype(np.float64))
    return _map(cosines, ax, _title(encoding), "position", "position", square=True)


def patches(
    encoding: Any, grid: tuple[int, int] = (14, 14), patch: Optional[tuple[int, int]] = None, *, ax: Optional[Any] = None
) -> Any:
    """The cosine similarity of one patch of an image, (row, column), with the others: a map of the image.

    encoding: an absolute scheme or its plan. patch: the middle one by default.
    """
    if not isinstance(encoding, AbsoluteVerbs) or encoding.axes > 2:
        raise TypeError(f"[plot] expected an absolute scheme of one or two axes, or its plan, got {type(encoding).__name__}")
    height, width = grid
    row, column = (height // 2, width // 2) if patch is None else patch
    if not (0 <= row < height and 0 <= column < width):
        raise ValueError(f"[plot] expected a patch (row, column) of {height} x {width}, got {(row, column)}")
    at = height * width if encoding.axes == 1 else grid_positions(height, width)
    rows = _table(np.reshape(encoding.table(at, np.float64), (height * width, -1)), None)
    alike = _cosines(rows)[row * width + column].reshape(height, width)
    title = f"{_title(encoding)}, patch {row}, {column}"
    return _map(alike, ax, title, "column of the image", "row of the image", square=True)


def waves(
    encoding: Any, positions: Any = 128, columns: Optional[Sequence[int]] = None, *, ax: Optional[Any] = None
) -> Any:
    """Some columns of the table as functions of the position; four by default."""
    table = _table(encoding, positions)
    width = table.shape[1]
    columns = sorted({width // 8, width // 4, 3 * width // 8, width // 2}) if columns is None else columns
    ax = _axes(ax, _title(encoding), "position", "value")
    for column in columns:
        ax.plot(table[:, column], label=f"column {column}")
    ax.legend()
    return ax


def wavelengths(*encodings: Any, ax: Optional[Any] = None) -> Any:
    """Positions per full turn, pair by pair, of rotary schemes or plans."""
    ax = _axes(ax, "wavelengths", "pair", "positions in a turn")
    for encoding in encodings:
        if not isinstance(encoding, RotaryVerbs):
            raise TypeError(f"[plot] expected a rotary scheme or its plan, got {type(encoding).__name__}")
        rates = np.abs(encoding.inv_freq)
        pairs = np.flatnonzero(rates)  # one that stands still has no wavelength
        ax.plot(pairs, 2 * np.pi / rates[pairs], ".-", label=_title(encoding))
    ax.set_yscale("log")
    ax.legend()
    return ax


def rules(*encodings: Any, ax: Optional[Any] = None) -> Any:
    """The frequency of each pair under a length rule, divided by that without a rule. Rotary schemes or plans."""
    ax = _axes(ax, "length rules", "pair", "of the unscaled frequency")
    for encoding in encodings:
        if not isinstance(encoding, RotaryVerbs):
            raise TypeError(f"[plot] expected a rotary scheme or its plan, got {type(encoding).__name__}")
        scheme = encoding if isinstance(encoding, Scheme) else encoding.scheme
        unscaled = type(scheme)(**{**scheme.to_dict(), "scaling": "none"}).inv_freq
        pairs = np.flatnonzero(unscaled)
        ax.plot(pairs, encoding.inv_freq[pairs] / unscaled[pairs], ".-", label=_title(encoding))
    ax.legend()
    return ax


def decay(encoding: Any, distances: int = 256, *, ax: Optional[Any] = None) -> Any:
    """How similar positions are, by their distance.

    Absolute schemes: the cosine of each row with row 0. Rotary: the mean over the pairs of all heads of the cosine of
    the angle between them.
    """
    table = _table(encoding, distances)
    if isinstance(encoding, RotaryVerbs):
        cosines = encoding.cos_sin(distances, np.float64)[0]
        alike, what = cosines.reshape(len(cosines), -1).mean(1), "mean cosine of the turns"
    else:
        length = np.linalg.norm(table, axis=1)
        alike, what = table @ table[0] / np.where(length * length[0] == 0, 1, length * length[0]), "cosine with row 0"
    ax = _axes(ax, _title(encoding), "distance", what)
    ax.plot(alike)
    ax.axhline(0, linewidth=0.5, color="black")
    return ax


def profiles(
    encoding: Any, first: int = -64, count: int = 129, heads: Optional[Sequence[int]] = None, *,
    ax: Optional[Any] = None,
) -> Any:
    """The bias of each head by key - query, of a scheme that depends on the distance."""
    _has(encoding, "profile", "a bias or its plan")
    lines = encoding.profile(first, count, np.float64)
    ax = _axes(ax, _title(encoding), "key - query", "bias")
    for head in range(len(lines)) if heads is None else heads:
        # Distances that read the same row of a table are drawn as steps, not as a slope between rows.
        steps = "steps-mid" if (np.diff(lines[head]) == 0).any() else "default"
        ax.plot(range(first, first + count), lines[head], label=f"head {head}", drawstyle=steps)
    ax.legend(fontsize="small")
    return ax


def bias(encoding: Any, queries: int = 64, keys: int = 64, head: int = 0, *, ax: Optional[Any] = None) -> Any:
    """The biases of one head: a row for each query, a column for each key."""
    _has(encoding, "bias", "a bias or its plan")
    numbers = encoding.bias(queries, keys, np.float64)[head]
    return _map(numbers, ax, f"{_title(encoding)}, head {head}", "key", "query", square=queries == keys)


def buckets(encoding: Any, first: int = -160, count: int = 321, *, ax: Optional[Any] = None) -> Any:
    """Which row of its learned table a bias reads at each distance key - query."""
    scheme = encoding if isinstance(encoding, Scheme) else getattr(encoding, "scheme", None)
    _has(scheme, "profile", "a bias with a table of distances, such as posenc.T5Bias")
    options = {k: v for k, v in scheme.to_dict().items() if k != "scale"}
    one = type(scheme)(**{**options, "heads": 1})
    shapes = list(one.weights.values())
    if len(shapes) != 1 or len(shapes[0]) != 2 or shapes[0][1] != 1:
        raise TypeError(f"[plot] expected a bias with a table of distances, such as posenc.T5Bias, got {scheme!r}")
    numbered = one.plan([np.arange(shapes[0][0], dtype=np.float64)[:, None]])
    ax = _axes(ax, _title(encoding), "key - query", "row of the table")
    ax.plot(range(first, first + count), numbered.profile(first, count, np.float64)[0], ".")
    return ax


def strips(positions: Any, names: Optional[Sequence[str]] = None, *, ax: Optional[Any] = None) -> Any:
    """The positions of tokens: a strip for each axis and row of positions [axes, rows, tokens]."""
    ids = np.asarray(positions)
    if ids.dtype.kind not in "iuf" or not 1 <= ids.ndim <= 3:
        raise ValueError(f"[plot] expected numbers [axes, rows, tokens], got {ids.dtype} {list(ids.shape)}")
    ids = ids.reshape((1,) * (3 - ids.ndim) + ids.shape) if ids.ndim < 3 else ids
    axes, rows, tokens = ids.shape
    labels = [str(a) for a in range(axes)] if names is None else list(names)
    ax = _axes(ax, "positions", "token", "")
    ax.imshow(ids.reshape(axes * rows, tokens), aspect="auto", cmap="viridis", interpolation="nearest")
    ax.set_yticks(range(axes * rows), [f"{labels[a]}, row {r}" if rows > 1 else labels[a] for a in range(axes) for r in range(rows)])
    for y, line in enumerate(ids.reshape(axes * rows, tokens) if tokens <= 32 else ()):
        for x, value in enumerate(line):
            colour = "black" if value > (ids.min() + ids.max()) / 2 else "white"
            ax.text(x, y, f"{value:g}", ha="center", va="center", color=colour, fontsize="x-small")
    return ax


def __dir__() -> list[str]:
    """What is ours: not what this file imports."""
    return list(__all__)
