"""Made by make_stubs.py from the library's fields; not to be edited."""

from typing import Any, Literal, Optional, Sequence

import numpy as np

INFO: dict[str, dict[str, Any]]
READING: dict[str, Any]

def empty_table(name: str, edges: Any, given: dict[str, Any]) -> tuple[Any, str, np.ndarray]: ...
__all__ = ['laplacian', 'random_walk', 'shortest_paths', 'degrees']

def laplacian(
    edges: Any,
    weights: Any = ...,
    *,
    preset: Optional[Literal['posenc', 'pyg', 'signnet']] = ...,
    nodes: Optional[int] = ...,
    directed: bool = ...,
    duplicates: Literal['once', 'sum'] = ...,
    first_id: int = ...,
    edge_axis: Literal['found', 'rows', 'columns'] = ...,
    dtype: Any = ...,
    dim: int = ...,
    normalization: Literal['symmetric', 'unnormalised', 'random-walk'] = ...,
    skip: Literal['trivial', 'first', 'none'] = ...,
    components: Literal['together', 'apart'] = ...,
    sign: Literal['fixed', 'random', 'free', 'both', 'absolute'] = ...,
    seed: int = ...,
) -> np.ndarray:
    """eigenvectors of the graph Laplacian."""

def random_walk(
    edges: Any,
    weights: Any = ...,
    *,
    preset: Optional[Literal['pyg', 'gps']] = ...,
    nodes: Optional[int] = ...,
    directed: bool = ...,
    duplicates: Literal['once', 'sum'] = ...,
    first_id: int = ...,
    edge_axis: Literal['found', 'rows', 'columns'] = ...,
    dtype: Any = ...,
    steps: int = ...,
) -> np.ndarray:
    """chance that a random walk is back after t steps."""

def shortest_paths(
    edges: Any,
    weights: Any = ...,
    *,
    preset: Optional[Literal['hops', 'graphormer']] = ...,
    nodes: Optional[int] = ...,
    directed: bool = ...,
    duplicates: Literal['once', 'sum'] = ...,
    first_id: int = ...,
    edge_axis: Literal['found', 'rows', 'columns'] = ...,
    dtype: Any = ...,
    anchors: Sequence[float] = ...,
    weighted: bool = ...,
    cutoff: Optional[float] = ...,
    unreachable: float = ...,
) -> np.ndarray:
    """distances to all nodes, or to some anchors."""

def degrees(
    edges: Any,
    weights: Any = ...,
    *,
    preset: Optional[Literal['adjacency', 'graphormer']] = ...,
    nodes: Optional[int] = ...,
    directed: bool = ...,
    duplicates: Literal['once', 'sum'] = ...,
    first_id: int = ...,
    edge_axis: Literal['found', 'rows', 'columns'] = ...,
    dtype: Any = ...,
    direction: Literal['out', 'in', 'both'] = ...,
    weighted: bool = ...,
    most: Optional[float] = ...,
) -> np.ndarray:
    """number of edges of a node, to look up a learned row."""
