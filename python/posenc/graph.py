"""Encodings of the nodes of a graph, computed once: a row for each node.

    edges = np.array([[0, 1], [1, 2], [2, 3]])          # or [2, edges], as PyTorch Geometric's edge_index
    posenc.graph.laplacian(edges, dim=2)                # eigenvectors, [nodes, 2]
    posenc.graph.random_walk(edges, steps=16)           # [nodes, 16]
    posenc.graph.shortest_paths(edges, dtype="int64")   # [nodes, nodes]
    posenc.graph.degrees(edges, weights)
    bias = posenc.graph.SpatialBias(heads=8)            # Graphormer's score biases
    bias.bias(edges, bias.initial_weights())            # [8, nodes + 1, nodes + 1]
    vectors, values, component = posenc.graph.spectrum(edges, dim=2)

weights: one for each edge, or None. nodes: number of nodes; as many as the ids need unless given.
directed: edges have a direction. duplicates: an edge that is listed again is the same one ("once") or adds its
weight ("sum"). first_id: the id of the first node. edge_axis: "rows" [edges, 2] or "columns" [2, edges], if the
shape is ambiguous.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from posenc import _core, _graph_verbs
from posenc._arrays import dtype_of, ids, ids_or_none, zeros
from posenc._graph_verbs import *
from posenc._scheme import initial_weights, listed


class Spectrum(NamedTuple):
    """The result of laplacian(), with its eigenvalues."""

    vectors: np.ndarray  # [nodes, dim]
    values: np.ndarray  # [1, dim], or [components, dim] if they are apart; NaN where there is no vector
    component: np.ndarray  # of each node


def _read(edges: Any, given: dict[str, Any]) -> Any:
    """The graph, where edge weights do not count."""
    known = [k for k in _graph_verbs.READING if k not in ("weights", "preset", "dtype")]
    for option in given:
        if option not in known:
            raise TypeError(f"[spatial-bias] {_core.unknown_option(option, known)}")
    return _core.Graph(ids(edges), None, **given)


def spectrum(edges: Any, weights: Any = None, **options: Any) -> Spectrum:
    """The eigenvectors of laplacian(), [nodes, dim], their eigenvalues, and the component of each node."""
    graph, text, out = _graph_verbs.empty_table("laplacian", edges, {"weights": weights, **options})
    columns, values, component = graph.spectrum(text, out)
    return Spectrum(out, np.array(values).reshape(-1, columns), np.array(component, dtype=np.int64))


@dataclass(frozen=True)
class SpatialBias:
    """Graphormer's score biases: one for each distance between nodes, and one from the edges of the path.

    heads: attention heads. distances: rows of the table; row 0 is for padding, the last for nodes without a path.
    graph_token: token 0 is not a node, but the whole graph. edge_ids: kinds of edges; 0: edges do not count. max_hops:
    edges of a path that count. Methods take edges, weights (a dict by name, or a list in the order of `weights`), edge_ids,
    which are [edges] or [edges, ids of each], and options for reading edges: nodes, directed, duplicates, first_id,
    edge_axis.
    """

    heads: int = 8
    distances: int = 512
    graph_token: bool = True
    edge_ids: int = 0
    max_hops: int = 5

    def __post_init__(self) -> None:
        self._native  # which checks the options

    @property
    def _native(self) -> Any:
        return _core.SpatialBias(self.heads, self.distances, self.graph_token, self.edge_ids, self.max_hops)

    @property
    def weights(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the learned weights, by name."""
        return {w["name"]: w["shape"] for w in self._native.weights()}

    def initial_weights(self, seed: int = 0) -> dict[str, np.ndarray]:
        """The weights at the start of training, in f32."""
        return initial_weights(self._native.weights(), seed)

    def _given(self, edges: Any, weights: Any, edge_ids: Any, reading: dict[str, Any]) -> tuple[Any, Any, Any]:
        """The graph, the list of weights and the ids of edges, as the library reads them."""
        listed_weights = listed("spatial-bias", list(self.weights), weights)
        return _read(edges, reading), listed_weights, ids_or_none(edge_ids)

    def bias(
        self, edges: Any, weights: Any, edge_ids: Any = None, *, dtype: Any = np.float32, **reading: Any
    ) -> np.ndarray:
        """The biases as an array [heads, tokens, tokens]."""
        graph, tables, kinds = self._given(edges, weights, edge_ids, reading)
        tokens = self._native.tokens(graph)
        out = np.empty((self.heads, tokens, tokens), dtype_of(dtype))
        self._native.fill(graph, tables, out, kinds)
        return out

    def add_(self, scores: Any, edges: Any, weights: Any, edge_ids: Any = None, **reading: Any) -> Any:
        """Adds the biases in place. scores: [..., heads, tokens, tokens]."""
        graph, tables, kinds = self._given(edges, weights, edge_ids, reading)
        self._native.add(graph, tables, scores, kinds)
        return scores

    def backward(self, dout: Any, edges: Any, weights: Any, edge_ids: Any = None, **reading: Any) -> dict[str, Any]:
        """The gradient of every weight, by name; that of the scores is dout itself. dout: [..., heads, tokens, tokens]."""
        graph, tables, kinds = self._given(edges, weights, edge_ids, reading)
        out = {name: zeros(shape, dout) for name, shape in self.weights.items()}
        self._native.backward(graph, tables, dout, list(out.values()), kinds)
        return out


__all__ = ["SpatialBias", "Spectrum", "spectrum"]
__all__ += _graph_verbs.__all__


def __dir__() -> list[str]:
    """What is ours: not what this file imports."""
    return list(__all__)
