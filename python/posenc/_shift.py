"""M_k, which moves a sinusoidal encoding by k positions: PE(p + k) = M_k PE(p)."""

from __future__ import annotations

from typing import Any

import numpy as np

from posenc import _core
from posenc._arrays import like
from posenc._scheme import Scheme


class Shift:
    """The matrix of shift(), kept as exact angles: products and inverses lose nothing."""

    __slots__ = ("_core",)

    def __init__(self, core: Any) -> None:
        self._core = core

    def __repr__(self) -> str:
        return f"<the matrix that moves encodings of {self.dim} features>"

    @property
    def dim(self) -> int:
        """Features of a row."""
        return self._core.dim

    def matrix(self) -> np.ndarray:
        """[dim, dim] in f64."""
        return np.array(self._core.matrix()).reshape(self.dim, self.dim)

    def __call__(self, rows: Any, out: Any = None) -> Any:
        """The rows at positions p as those at p + k. rows: [.., tokens, dim]; out may be rows."""
        out = like(rows) if out is None else out
        self._core.apply(rows, out)
        return out

    def inverse(self) -> Shift:
        """The matrix that moves by -k."""
        return Shift(self._core.inverse())

    def __matmul__(self, other: Any) -> Shift:
        return Shift(self._core @ other._core) if isinstance(other, Shift) else NotImplemented


def shift(scheme: Scheme, k: int) -> Shift:
    """The matrix that moves a sinusoidal scheme by k positions, whatever the position."""
    if not isinstance(scheme, Scheme):
        raise TypeError(f"[shift] expected a scheme of posenc, got {type(scheme).__name__}")
    return Shift(_core.shift(scheme._core, k))
