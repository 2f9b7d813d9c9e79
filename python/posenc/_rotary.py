"""Verbs of schemes that rotate queries and keys."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from posenc import _core
from posenc._absolute import Rows
from posenc._arrays import empty, like, zeros
from posenc._rotate_into import RotateIntoVerbs, both, is_heads_first
from posenc._scheme import Plan, Scheme, ready


def row_heads(weights: Any) -> int:
    """Heads with cosines and sines of their own, or 1."""
    return max((w["shape"][1 if w["name"] == "coefficient" else 0] for w in weights), default=1)


class RotaryVerbs(RotateIntoVerbs, Rows):
    """q, k: [..., tokens, heads, dim], or with heads_first [..., heads, tokens, dim]; with more than three axes,
    heads_first is required.

    positions: None (0, 1, 2, ...), the first one, or an array. One of q and k may be None.
    """

    __slots__ = ()

    @property
    def inv_freq(self) -> np.ndarray:
        """The frequency of each pair, in radians per position, [pairs]; empty if frequencies are learned."""
        return np.array(self._ready.frequencies())

    @property
    def axes_count(self) -> int:
        """The number of coordinates of a token."""
        return self._ready.axes

    @property
    def max_length(self) -> int:
        """The maximum text length for which these frequencies are valid."""
        return self._ready.max_length

    @property
    def cos_sin_factor(self) -> float:
        """The factor on cosines and sines, which rotate() applies."""
        return self._ready.cos_sin_factor

    @property
    def softmax_factor(self) -> float:
        """The factor on the softmax scale, which the caller must apply."""
        return self._ready.softmax_factor

    def cos_sin(self, positions: Any, dtype: Any = np.float32) -> tuple[np.ndarray, np.ndarray]:
        """Cosines and sines, each [..., tokens, pairs], or [..., tokens, heads, pairs] if heads have their own."""
        table, heads = self.table(positions, dtype), row_heads(self._ready.scheme.weights())
        rows = table.reshape(*table.shape[:-1], heads, 2, table.shape[-1] // (2 * heads))
        rows = rows if heads > 1 else rows[..., 0, :, :]
        return rows[..., 0, :], rows[..., 1, :]

    def rotate_(
        self, q: Any, k: Any = None, positions: Any = None, *, heads_first: Optional[bool] = None,
        stream: Optional[int] = None,
    ) -> Any:
        """Rotates q and k in place; returns them. q, k: [..., tokens, heads, dim], with heads_first
        [..., heads, tokens, dim]; positions: None (0, 1, 2, ...), the first one, or an array [tokens], [rows, tokens] or
        [axes, rows, tokens]."""
        self._ready.rotate(q, k, None, None, positions, is_heads_first("rotate", heads_first, q, k), stream)
        return both(q, k)

    def rotate(
        self, q: Any, k: Any = None, positions: Any = None, *, heads_first: Optional[bool] = None,
        stream: Optional[int] = None,
    ) -> Any:
        """q and k, rotated; one array if only one was given. q, k: [..., tokens, heads, dim], as in rotate_()."""
        return self._rotated("rotate", q, k, positions, heads_first, stream)

    def rotate_inverse(
        self, q: Any, k: Any = None, positions: Any = None, *, heads_first: Optional[bool] = None,
        stream: Optional[int] = None,
    ) -> Any:
        """Undoes the rotation and its magnitude. q, k: [..., tokens, heads, dim], as in rotate_()."""
        return self._rotated("rotate_inverse", q, k, positions, heads_first, stream)

    def rotate_adjoint(
        self, q: Any, k: Any = None, positions: Any = None, *, heads_first: Optional[bool] = None,
        stream: Optional[int] = None,
    ) -> Any:
        """The gradient of the input of rotate(), given that of its result. q, k: [..., tokens, heads, dim], as in rotate_()."""
        return self._rotated("rotate_adjoint", q, k, positions, heads_first, stream)

    def _rotated(self, verb: str, q: Any, k: Any, positions: Any, heads_first: Optional[bool], stream: Any) -> Any:
        q_out, k_out = (None if x is None else like(x) for x in (q, k))
        first = is_heads_first(verb, heads_first, q, k)
        getattr(self._ready, verb)(q, k, q_out, k_out, positions, first, stream)
        return both(q_out, k_out)

    def backward(
        self, q: Any, k: Any, dq: Any, dk: Any, positions: Any = None, *, heads_first: Optional[bool] = None,
        stream: Optional[int] = None,
    ) -> dict[str, Any]:
        """The gradient of learned frequencies, phases or coefficients. q, k: the input of rotate(); dq, dk: the gradients
        of its result, [..., tokens, heads, dim] like q and k."""
        out = {w["name"]: zeros(w["shape"], dk if dq is None else dq) for w in self._ready.scheme.weights()}
        if not out:
            raise ValueError("[backward] expected a scheme with learned frequencies, phases or coefficients, got none")
        first = is_heads_first("backward", heads_first, q, k)
        self._ready.rotate_backward(q, k, dq, dk, next(iter(out.values())), positions, first, stream)
        return out

    def move_(
        self, k: Any, was: Any, now: Any, *, to: Any = None, heads_first: Optional[bool] = None,
        stream: Optional[int] = None,
    ) -> Any:
        """Rotates cached keys, in place, from positions `was` to `now`, and to the frequencies of another scheme or plan.
        k: [..., tokens, heads, dim], with heads_first [..., heads, tokens, dim]; was, now: as positions of rotate_()."""
        other = self._ready if to is None else ready("move", to)
        _core.move(self._ready, was, other, now, k, is_heads_first("move", heads_first, k), stream)
        return k


class RotaryPlan(RotaryVerbs, Plan):
    """The plan of a scheme that rotates queries and keys."""

    __slots__ = ()


class Rotary(RotaryVerbs, Scheme):
    """A scheme that rotates queries and keys."""

    __slots__ = ()
    _plan_class = RotaryPlan


def rotate_by(
    cos: Any, sin: Any, layout: str, q: Any, k: Any = None, positions: Any = None, *,
    heads_first: Optional[bool] = None, stream: Optional[int] = None,
) -> Any:
    """Rotates q and k in place with given cosines and sines, [positions, pairs]. q, k: [..., tokens, heads, dim], or [...,
    heads, tokens, dim] with heads_first; positions: the rows of cos and sin to use, as in Rope.rotate_()."""
    _core.rotate_by(cos, sin, layout, q, k, None, None, positions, is_heads_first("rotate_by", heads_first, q, k), stream)
    return both(q, k)


def convert_layout(
    weight: Any, from_layout: str, to_layout: str, *, heads: int, dim: int, rotary_dim: Optional[int] = None,
    rotary_offset: int = 0, blocks: int = 1, out: Any = None,
) -> Any:
    """Rows of a projection [heads * dim, inputs], or its bias, reordered for the other pair layout."""
    out = like(weight) if out is None else out
    _core.convert_layout(weight, out, from_layout, to_layout, heads, dim, rotary_dim, rotary_offset, blocks)
    return out


def to_polar(x: Any, layout: str = "half", *, out: Any = None, stream: Optional[int] = None) -> Any:
    """Features as lengths of pairs (PoPE), before they are rotated: x [..., n] to pairs (ln(1 + e^x), 0), [..., 2 n]."""
    *before, features = np.shape(x) or (0,)
    out = empty((*before, 2 * features), x) if out is None else out
    _core.to_polar(x, out, layout, stream)
    return out


def to_polar_backward(x: Any, dout: Any, layout: str = "half", *, stream: Optional[int] = None) -> Any:
    """The gradient of the input x of to_polar(), [..., n], given that of its result, dout: [..., 2 n]."""
    dx = like(x)
    _core.to_polar_backward(x, dout, dx, layout, stream)
    return dx
