"""Verbs of schemes that act on the input of a Transformer: x + row(position)."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from posenc import _core
from posenc._arrays import counted, dtype_of, empty, like, whole, zeros
from posenc._arrays import ids as whole_numbers
from posenc._scheme import Plan, Scheme


class Rows:
    """Whatever has a row for each position."""

    __slots__ = ()
    _ready: Any

    def table(self, positions: Any, dtype: Any = np.float32) -> np.ndarray:
        """Rows as an array: [tokens, dim], or [rows, tokens, dim].

        positions: how many, from 0 on; or [tokens], [rows, tokens] or [axes, rows, tokens].
        """
        at, shape = counted("table", positions)
        out = np.empty((*shape, self._ready.row_dim), dtype_of(dtype))
        self._ready.fill(out, at)
        return out

    def fill_(self, table: Any, positions: Any = None, *, stream: Optional[int] = None) -> Any:
        """table[..., t, :] = row(position of t). table: [tokens, dim] or [rows, tokens, dim]; positions: as in table()."""
        self._ready.fill(table, positions, stream)
        return table


class AbsoluteVerbs(Rows):
    """x: [..., tokens, dim]. positions: None (0, 1, 2, ...), the first one, or an array."""

    __slots__ = ()

    @property
    def axes(self) -> int:
        """Coordinates of a token."""
        return self._ready.axes

    def add_(self, x: Any, positions: Any = None, *, stream: Optional[int] = None) -> Any:
        """x += row(position), in place. x: [..., tokens, dim]; positions: None (0, 1, 2, ...), the first one, or an array
        [tokens], [rows, tokens] or [axes, rows, tokens]."""
        self._ready.add(x, None, positions, stream)
        return x

    def add(self, x: Any, positions: Any = None, *, out: Any = None, stream: Optional[int] = None) -> Any:
        """x + row(position). x, out: [..., tokens, dim]; positions: as in add_()."""
        out = like(x) if out is None else out
        self._ready.add(x, out, positions, stream)
        return out

    def embed(
        self, ids: Any, embedding: Any, positions: Any = None, *, scale: float = 1.0, out: Any = None,
        stream: Optional[int] = None,
    ) -> Any:
        """scale * embedding[id] + row(position), in one pass: [..., tokens, dim]. ids: [..., tokens]; embedding:
        [vocabulary, dim]; positions: as in add_()."""
        ids = whole_numbers(ids)
        out = empty((*np.shape(ids), self._ready.dim), embedding) if out is None else out
        self._ready.embed(ids, embedding, out, scale, positions, stream)
        return out

    def backward(self, dout: Any, positions: Any = None, *, stream: Optional[int] = None) -> dict[str, Any]:
        """The gradient of every weight, by name; that of x is dout itself. dout: [..., tokens, dim]."""
        scheme = self._ready.scheme
        out = {w["name"]: zeros(w["shape"], dout) for w in scheme.weights()}
        self._ready.backward(dout, list(out.values()), positions, stream)
        return out


class AbsolutePlan(AbsoluteVerbs, Plan):
    """The plan of a scheme that acts on the input."""

    __slots__ = ()


class Absolute(AbsoluteVerbs, Scheme):
    """A scheme that acts on the input: x + row(position)."""

    __slots__ = ()
    _plan_class = AbsolutePlan


def embed_backward(
    ids: Any, dout: Any, vocabulary: int, *, scale: float = 1.0, stream: Optional[int] = None
) -> Any:
    """The gradient of the embedding, [vocabulary, dim]. ids: [..., tokens]; dout: that of what embed() returned,
    [..., tokens, dim]."""
    out = zeros((whole("embed_backward", "words", vocabulary), *np.shape(dout)[-1:]), dout)
    _core.embed_backward(whole_numbers(ids), dout, out, scale, stream)
    return out


def resize(table: Any, rows: int, how: str = "linear", *, keep: int = 0) -> Any:
    """A learned table [any, dim] for another number of rows, [rows, dim]: copy, repeat, linear or cubic. The first `keep`
    rows stay as they are."""
    out = empty((whole("resize", "rows", rows), *np.shape(table)[1:]), table)
    _core.resize(table, out, how, keep)
    return out


def sides(where: str, grid: Any) -> list[int]:
    """The sides of a grid, 1 to 4 whole numbers."""
    given = list(grid) if isinstance(grid, (list, tuple)) else [grid]
    if not all(isinstance(side, (int, np.integer)) and side > 0 for side in given):
        raise TypeError(f"[{where}] expected a grid of whole numbers above 0, such as (14, 14), got {grid!r}")
    return [int(side) for side in given]


def resize_grid(table: Any, old_grid: Any, new_grid: Any, how: str = "cubic", *, keep: int = 0) -> Any:
    """A table of a grid of patches, [keep + patches, dim] row by row, for a grid of another size: (14, 14) to (24, 32). The
    first `keep` rows, of class tokens, are unchanged. how: as in resize(), and linear-antialias, cubic-antialias (timm),
    linear-corners, cubic-corners."""
    old, new = sides("resize_grid", old_grid), sides("resize_grid", new_grid)
    out = empty((whole("resize_grid", "rows to keep", keep) + math.prod(new), *np.shape(table)[1:]), table)
    _core.resize_grid(table, out, old, new, how, keep)
    return out


def resize_grid_backward(dout: Any, old_grid: Any, new_grid: Any, how: str = "cubic", *, keep: int = 0) -> Any:
    """The gradient of the table given to resize_grid(), from that of the table it returned: both are [keep + patches, dim],
    of the old and of the new grid."""
    old, new = sides("resize_grid_backward", old_grid), sides("resize_grid_backward", new_grid)
    out = zeros((whole("resize_grid_backward", "rows to keep", keep) + math.prod(old), *np.shape(dout)[1:]), dout)
    _core.resize_grid_backward(dout, out, old, new, how, keep)
    return out
