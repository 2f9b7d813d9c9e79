"""Positional encodings for Transformers: exact, fast, in place.

    import numpy as np, posenc

    posenc.Sinusoidal(dim=512).table(5000)              # the table of the paper
    rope = posenc.Rope(dim=128, layout="half", base=5e5, scaling=posenc.Llama3(factor=8.0))
    rope.rotate_(q, k, positions)                       # in place, one pass over both
    posenc.Alibi(heads=8).bias(queries=128, keys=128)   # [8, 128, 128]

Arrays are NumPy's (bfloat16 through ml_dtypes) or any tensor with __dlpack__, of any strides;
nothing is copied. Names that end in _ work in place. A scheme keeps a plan for its own verbs;
.plan() makes one with weights, or for texts of some length.
"""

from __future__ import annotations

import json
from typing import Any, Optional

from posenc import _core, graph, plot, positions
from posenc._absolute import Absolute, AbsolutePlan, embed_backward, resize, resize_grid, resize_grid_backward
from posenc._attend import attend
from posenc._choice import Choice
from posenc._classes import *  # noqa: F403
from posenc._classes import ALIASES, CLASSES, INFO
from posenc._classes import __all__ as _generated
from posenc._convolution import Convolving, ConvolvingPlan
from posenc._models import check, diff, encodings, explain, identify, lint
from posenc._rotary import Rotary, RotaryPlan, convert_layout, rotate_by, to_polar, to_polar_backward
from posenc._scheme import Plan, Scheme
from posenc._scores import Bias, BiasPlan, Content, ContentPlan
from posenc._shift import Shift, shift

__version__: str = _core.version


def schemes() -> list[dict[str, Any]]:
    """All schemes: name, class, description, options, weights, presets and other names."""
    return [
        {**about, "class": CLASSES[name], "aliases": [a for a, of in ALIASES.items() if of == name]}
        for name, about in INFO.items()
    ]


def scheme(name: str, /, preset: Optional[str] = None, **options: Any) -> Any:
    """The scheme with that name, or with a name used by models and papers: scheme("rope", "llama3.1"), scheme("mae")."""
    if not isinstance(name, str):
        raise TypeError(f"[scheme] expected the name of a scheme, got {type(name).__name__}")
    kind = CLASSES.get(ALIASES.get(name, name))
    if kind is None:
        _core.Scheme(name)  # whose sentence names the nearest
    return kind(preset, **options) if name in CLASSES else kind._named(name, preset, options)


def from_json(name: str, text: str) -> Any:
    """The scheme with that name and the options of a JSON object."""
    try:
        options = json.loads(text)
    except TypeError:
        raise TypeError(f"[from_json] expected JSON as text, got {type(text).__name__}") from None
    except ValueError as why:
        raise ValueError(f"[from_json] expected an object of options, got no JSON: {why}") from None
    if not isinstance(options, dict):
        raise ValueError(f"[from_json] expected an object of options, got {text}")
    return scheme(name, **options)


def threads() -> int:
    """The maximum number of threads of a call."""
    return _core.threads()


def set_threads(count: int) -> None:
    """Sets the maximum number of threads of a call."""
    _core.set_threads(count)


__all__ = [
    "Absolute", "AbsolutePlan", "Bias", "BiasPlan", "Choice", "Content", "ContentPlan", "Convolving", "ConvolvingPlan", "Plan",
    "Rotary", "RotaryPlan", "Scheme", "Shift", "attend", "check", "convert_layout", "diff", "embed_backward", "encodings", "explain", "from_json",
    "graph", "identify", "lint", "plot", "positions", "resize", "resize_grid", "resize_grid_backward", "rotate_by", "scheme", "schemes", "set_threads", "shift", "threads",
    "to_polar", "to_polar_backward",
    *(name for name in _generated if name not in ("ALIASES", "CLASSES", "INFO", "Choice", "Scheme")),
]  # fmt: skip


def __dir__() -> list[str]:
    """What is ours: not what this file imports."""
    return [*__all__, "__version__"]
