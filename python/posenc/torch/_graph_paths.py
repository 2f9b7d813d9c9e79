"""Graphormer's biases by PyTorch's ops, on devices where the library has none: nothing is read by the host.

Edges whose ends are no nodes are left out, and ids of edges that do not exist give NaN.
"""

from __future__ import annotations

import torch

from posenc import _core

from . import _native
from ._registry import register

FAR = 1 << 30  # of nodes without a path


def _in_rows(edges, edge_axis) -> bool:
    """Whether edges are [edges, 2]."""
    return edge_axis == "rows" or (edge_axis == "found" and edges.shape[-1] == 2)


def _ends(edges, nodes, directed, edge_axis):
    """Both ends of every edge, after the library has checked their type and shape."""
    _core.Graph(torch.zeros(edges.shape, dtype=edges.dtype), None, max(nodes, 1), directed, edge_axis=edge_axis)
    return (edges if _in_rows(edges, edge_axis) else edges.t()).long().unbind(-1)


def _shortest(edges, nodes, directed, edge_axis):
    """Of all pairs of nodes: edges on the shortest path, the node after the first, and the edge between both; as
    graph/paths.h chooses among paths. Floyd's search: inner nodes are let in one after the other."""
    start, end = _ends(edges, nodes, directed, edge_axis)
    inside = (start >= 0) & (start < nodes) & (end >= 0) & (end < nodes)
    place = torch.where(inside, start * nodes + end, nodes * nodes)  # one more, for those that are left out
    number = torch.full((nodes * nodes + 1,), -1, device=edges.device)
    number = number.scatter_reduce(0, place, torch.arange(len(place), device=edges.device), "amax")
    number = number[:-1].view(nodes, nodes)
    if not directed:
        number = torch.where(number >= 0, number, number.t())
    length = torch.where(number >= 0, 1, FAR).fill_diagonal_(0)
    after = torch.arange(nodes, device=edges.device).expand(nodes, nodes)
    for inner in range(nodes):
        through = length[:, inner, None] + length[inner]
        shorter = through < length
        length = torch.where(shorter, through, length)
        after = torch.where(shorter, after[:, inner, None], after)
    return [length, after.contiguous(), number]


def _shortest_fake(edges, nodes, directed, edge_axis):
    return [edges.new_empty((nodes, nodes), dtype=torch.int64) for _ in range(3)]


register("shortest_paths(Tensor edges, SymInt nodes, bool directed, str edge_axis) -> Tensor[]", _shortest, _shortest_fake)


def _along(length, after, number, mapped):
    """The mean of what the first edges of each path say; mapped: [hops, edges, heads]."""
    nodes = length.shape[0]
    here = torch.arange(nodes, device=length.device)[:, None].expand(nodes, nodes)
    there = torch.arange(nodes, device=length.device).expand(nodes, nodes)
    reached = torch.where(length < FAR, length, 0)
    total = mapped.new_zeros((nodes, nodes, mapped.shape[-1]))
    for hop, maps in enumerate(mapped.unbind(0)):
        on_path = reached > hop
        towards = torch.where(on_path, after[here, there], here)
        edge = torch.where(on_path, number[here, towards], 0)
        total = total + torch.where(on_path[..., None], maps[edge], 0)
        here = towards
    return total / reached.clamp(1, len(mapped))[..., None]


def _ids_of(edge_ids, edges, edge_axis):
    """Ids as [edges, ids of each], after what the library refuses of their type and shape."""
    if edge_ids is None:
        raise ValueError("[spatial-bias] expected ids of edges, got none")
    count = edges.shape[0 if _in_rows(edges, edge_axis) else 1]
    if edge_ids.dtype not in (torch.int32, torch.int64) or edge_ids.dim() not in (1, 2) or edge_ids.shape[0] != count:
        got = f"{edge_ids.dtype} {list(edge_ids.shape)}"
        raise ValueError(f"[spatial-bias] expected ids of edges as i32 or i64 [{count}] or [{count}, any], got {got}")
    return (edge_ids if edge_ids.dim() == 2 else edge_ids[:, None]).long()


def bias(scheme, edges, edge_ids, nodes, directed, edge_axis, weights):
    """The biases of a posenc.graph.SpatialBias, [heads, tokens, tokens], in the type of the weights."""
    length, after, number = torch.ops.posenc.shortest_paths(edges, nodes, directed, edge_axis)
    wide = [w.to(_native.compute_type(w.dtype)) for w in weights]
    rows = length.clamp(max=scheme.distances - 2) + 1
    out = wide[0][rows]
    if scheme.edge_ids:
        ids = _ids_of(edge_ids, edges, edge_axis)
        known = (ids >= 0) & (ids < scheme.edge_ids)
        each = wide[-2][ids.clamp(0, scheme.edge_ids - 1)].masked_fill(~known[..., None], float("nan"))
        mapped = torch.einsum("eg,ngh->neh", each.mean(1), wide[-1])
        if mapped.shape[1]:
            out = out + _along(length, after, number, mapped)
    elif edge_ids is not None:
        raise ValueError("[spatial-bias] expected no ids of edges for a scheme without them, got some")
    out = out.permute(2, 0, 1)
    if scheme.graph_token:
        token = wide[1][:, None, None]
        out = torch.cat([token.expand(-1, nodes, 1), out], dim=2)
        out = torch.cat([token.expand(-1, 1, nodes + 1), out], dim=1)
    return out.to(weights[0].dtype)
