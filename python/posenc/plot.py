"""Figures of encodings, by matplotlib: every function draws on `ax`, or on new axes, and returns them."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from posenc._rotary import RotaryVerbs


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
    ax = _axes(ax, _title(encoding), "feature", "position")
    top = float(np.abs(table).max(initial=0.0)) or 1.0
    picture = ax.imshow(table, aspect="auto", cmap="RdBu", vmin=-top, vmax=top, interpolation="nearest")
    ax.figure.colorbar(picture, ax=ax)
    return ax


def waves(
    encoding: Any, positions: Any = 128, columns: Optional[Sequence[int]] = None, *, ax: Optional[Any] = None
) -> Any:
    """Some columns of the table along the positions; four of them unless given."""
    table = _table(encoding, positions)
    width = table.shape[1]
    columns = sorted({width // 8, width // 4, 3 * width // 8, width // 2}) if columns is None else columns
    ax = _axes(ax, _title(encoding), "position", "value")
    for column in columns:
        ax.plot(table[:, column], label=f"column {column}")
    ax.legend()
    return ax


def wavelengths(*encodings: Any, ax: Optional[Any] = None) -> Any:
    """Positions in a full turn, pair by pair, of rotary schemes or plans."""
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


def decay(encoding: Any, distances: int = 256, *, ax: Optional[Any] = None) -> Any:
    """How alike positions look, by their distance.

    Rows of an absolute scheme: their cosine with row 0. Rotary: the mean over pairs of the cosine by
    which they turn apart.
    """
    table = _table(encoding, distances)
    if isinstance(encoding, RotaryVerbs):
        half = table.shape[1] // 2
        alike, what = table[:, :half].mean(1), "mean cosine of the turns"
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
        ax.plot(range(first, first + count), lines[head], label=f"head {head}")
    ax.legend(fontsize="small")
    return ax


def bias(encoding: Any, queries: int = 64, keys: int = 64, head: int = 0, *, ax: Optional[Any] = None) -> Any:
    """The biases of one head: a row for each query, a column for each key."""
    _has(encoding, "bias", "a bias or its plan")
    numbers = encoding.bias(queries, keys, np.float64)[head]
    ax = _axes(ax, f"{_title(encoding)}, head {head}", "key", "query")
    picture = ax.imshow(numbers, aspect="auto", interpolation="nearest")
    ax.figure.colorbar(picture, ax=ax)
    return ax


def strips(positions: Any, names: Optional[Sequence[str]] = None, *, ax: Optional[Any] = None) -> Any:
    """Where tokens stand: a strip for each axis and row of positions [axes, rows, tokens]."""
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
