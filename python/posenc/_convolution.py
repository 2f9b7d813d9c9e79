"""Verbs of convolutions over neighbours: x + act(norm(conv(x)))."""

from __future__ import annotations

from typing import Any

from posenc import _core
from posenc._absolute import sides
from posenc._arrays import like, zeros
from posenc._scheme import Plan, Scheme


def extent(grid: Any) -> tuple[int, int]:
    """Height and width, as the library takes them; 0 and 0 of a line."""
    if grid is None:
        return 0, 0
    given = sides("convolve", grid)
    if len(given) != 2:
        raise ValueError(f"[convolve] expected a grid (height, width), got {grid!r}")
    return given[0], given[1]


class ConvolvingVerbs:
    """x: [..., tokens, dim]. grid: (height, width) of the patches, for one over a grid; add_input=False: the
    result is the encoding alone."""

    __slots__ = ()
    _ready: Any

    def convolve(self, x: Any, *, grid: Any = None, add_input: bool = True, out: Any = None) -> Any:
        """x plus the convolution over its neighbours. x, out: [..., tokens, dim]."""
        out = like(x) if out is None else out
        self._ready.convolve(x, out, *extent(grid), add_input)
        return out

    def convolve_(self, x: Any, *, grid: Any = None, add_input: bool = True) -> Any:
        """convolve() in place. x: [..., tokens, dim]."""
        self._ready.convolve(x, None, *extent(grid), add_input)
        return x

    def backward(self, x: Any, dout: Any, *, grid: Any = None, add_input: bool = True) -> dict[str, Any]:
        """Gradients by name: "x", and those of the weights. dout: the gradient of what convolve() returned,
        [..., tokens, dim] as x."""
        dx, weights = like(x), {w["name"]: zeros(w["shape"], x) for w in self._ready.scheme.weights()}
        self._ready.convolve_backward(x, dout, dx, list(weights.values()), *extent(grid), add_input)
        return {"x": dx, **weights}


class ConvolvingPlan(ConvolvingVerbs, Plan):
    """A convolution with its weights, which are read when the plan is made."""

    __slots__ = ()


class Convolving(ConvolvingVerbs, Scheme):
    """A scheme that adds to each token a convolution over its neighbours."""

    __slots__ = ()
    _plan_class = ConvolvingPlan
    _core_class = _core.Convolution

    def plan(self, weights: Any = None) -> Any:  # type: ignore[override]
        """weights: a dict by name, or a list in the order of `weights`; they are read now."""
        return ConvolvingPlan(self, self._core.prepare(self._listed(weights)))
