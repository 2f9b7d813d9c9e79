"""One function for each scheme of graphs, made from the library's fields."""

from __future__ import annotations

import inspect
from typing import Any, Callable

import numpy as np

from posenc import _core
from posenc._arrays import dtype_of, ids
from posenc._choice import dump
from posenc._classes import told

INFO: dict[str, dict[str, Any]] = {about["name"]: about for about in _core.graph_schemes()}
READING: dict[str, Any] = {
    "weights": None, "preset": None, "nodes": None, "directed": False, "duplicates": "once", "first_id": 0,
    "edge_axis": "found", "dtype": "float32",
}  # fmt: skip


def _floats(numbers: Any) -> Any:
    return numbers if numbers is None or hasattr(numbers, "__dlpack__") else np.asarray(numbers, dtype=np.float64)


def empty_table(name: str, edges: Any, given: dict[str, Any]) -> tuple[Any, str, np.ndarray]:
    """The graph, the options of the scheme as JSON, and a table for it."""
    usual = {o["name"]: o["value"] for o in INFO[name]["options"]}
    for option in given:
        if option not in usual and option not in READING:
            raise TypeError(f"[{name}] {_core.unknown_option(option, [*usual, *READING])}")
    read = {**READING, **{k: v for k, v in given.items() if k in READING}}
    weights, preset, dtype = _floats(read.pop("weights")), read.pop("preset"), dtype_of(read.pop("dtype"))
    own = {k: v for k, v in given.items() if k in usual}
    text = dump(own if preset is None else {"preset": preset, **own})
    graph = _core.Graph(ids(edges), weights, **read)
    return graph, text, np.empty((graph.nodes, graph.columns(name, text)), dtype)


def make_verb(name: str) -> Callable[..., np.ndarray]:
    def table(edges: Any, weights: Any = None, **options: Any) -> np.ndarray:
        graph, text, out = empty_table(name, edges, {"weights": weights, **options})
        graph.fill(name, text, out)
        return out

    about = INFO[name]
    table.__name__ = table.__qualname__ = name.replace("-", "_")
    presets = "\n".join(f"    {p['name']}: {p['help']}" for p in about["presets"])
    shapes = "edges: [edges, 2] or [2, edges]. Returns [nodes, columns]: a row for each node."
    table.__doc__ = f"{about['about']}.\n\n{shapes}\nUsed by {about['used_by']}.\n\nOptions:\n{told(about['options'])}\n\nPresets:\n{presets}\n"
    usual = {**READING, **{o["name"]: o["value"] for o in about["options"]}}
    kinds = [inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY]
    first = [inspect.Parameter("edges", kinds[0]), inspect.Parameter("weights", kinds[0], default=None)]
    rest = [inspect.Parameter(k, kinds[1], default=v) for k, v in usual.items() if k != "weights"]
    table.__signature__ = inspect.Signature([*first, *rest])  # type: ignore[attr-defined]
    return table


VERBS: dict[str, Callable[..., np.ndarray]] = {name: make_verb(name) for name in INFO}
__all__ = [verb.__name__ for verb in VERBS.values()]
globals().update({verb.__name__: verb for verb in VERBS.values()})
