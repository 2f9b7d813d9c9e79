"""Graphormer's biases of scores between the nodes of a graph."""

from __future__ import annotations

import functools
import json

import torch
from torch import nn

from posenc import _core
from posenc import graph as graphs
from posenc._choice import dump

from . import _graph_paths, _native
from ._direct import expect_count, expect_tensors
from ._encoding import parameter_of
from ._registry import register
from ._sharded import full_tensors

HOW = "Tensor edges, Tensor? edge_ids, SymInt nodes, bool directed, str edge_axis, str scheme, Tensor[] weights"


@functools.lru_cache(maxsize=64)
def _scheme(text: str) -> graphs.SpatialBias:
    return graphs.SpatialBias(**json.loads(text))


def _read(edges, edge_ids, nodes, directed, edge_axis, scheme, weights):
    """The scheme, the graph, weights and ids of edges, as the library reads them: on the CPU."""
    graph = _core.Graph(edges.detach(), None, nodes, directed, edge_axis=edge_axis)
    kinds = None if edge_ids is None else edge_ids.detach()
    return _scheme(scheme)._native, graph, [w.detach() for w in weights], kinds


def _bias(edges, edge_ids, nodes, directed, edge_axis, scheme, weights):
    core, graph, tables, kinds = _read(edges, edge_ids, nodes, directed, edge_axis, scheme, weights)
    out = torch.empty((tables[0].shape[1], core.tokens(graph), core.tokens(graph)), dtype=weights[0].dtype)
    core.fill(graph, tables, out, kinds)
    return out


def _bias_fake(edges, edge_ids, nodes, directed, edge_axis, scheme, weights):
    tokens = nodes + int(_scheme(scheme).graph_token)  # a SymInt takes no bool
    return weights[0].new_empty((weights[0].shape[1], tokens, tokens))


def _gradients(dout, edges, edge_ids, nodes, directed, edge_axis, scheme, weights):
    core, graph, tables, kinds = _read(edges, edge_ids, nodes, directed, edge_axis, scheme, weights)
    sums = _native.zeros_for(tables, dout)
    core.backward(graph, tables, dout.detach(), sums, kinds)
    return [s.to(w.dtype) for s, w in zip(sums, weights)]


def _gradients_fake(dout, edges, edge_ids, nodes, directed, edge_axis, scheme, weights):
    return [w.new_empty(w.shape) for w in weights]


def _setup(ctx, inputs, output):
    edges, edge_ids, *ctx.how, weights = inputs
    ctx.has_ids = edge_ids is not None
    ctx.save_for_backward(edges, *([edge_ids] if ctx.has_ids else []), *weights)


def _backward(ctx, dout):
    edges, *weights = ctx.saved_tensors
    edge_ids = weights.pop(0) if ctx.has_ids else None
    dweights = torch.ops.posenc.graph_bias_gradients(dout, edges, edge_ids, *ctx.how, weights)
    return None, None, None, None, None, None, dweights


register(f"graph_bias({HOW}) -> Tensor", _bias, _bias_fake, _setup, _backward)
register(f"graph_bias_gradients(Tensor dout, {HOW}) -> Tensor[]", _gradients, _gradients_fake)


class GraphBias(nn.Module):
    """Graphormer's biases: `GraphBias(heads=8, edge_ids=3)`; options are those of posenc.graph.SpatialBias.

    Computed by the library on the CPU, and elsewhere by PyTorch's ops on the device of the weights, without involving the
    host. Each process computes all of them, even if edges or weights are sharded (DTensor).
    """

    def __init__(self, *, device=None, dtype=None, **options) -> None:
        super().__init__()
        self.scheme = graphs.SpatialBias(**options)
        self.handle = dump(vars(self.scheme))
        self.weight_names = list(self.scheme.weights)
        for weight in self.scheme._native.weights():
            empty = torch.empty(tuple(weight["shape"]), device=device, dtype=dtype)
            self.register_parameter(weight["name"], nn.Parameter(empty))
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Sets the scheme's own initial values."""
        for weight in self.scheme._native.weights():
            parameter_of(self, weight["name"]).normal_(weight["mean"], weight["deviation"])

    def forward(
        self, edges: torch.Tensor, nodes: int, edge_ids: torch.Tensor | None = None, *, directed: bool = False,
        edge_axis: str = "found",
    ):  # fmt: skip
        """The biases, [heads, tokens, tokens]: the tokens are the nodes, after the graph token if there is one. edges:
        [edges, 2], or [2, edges] like PyTorch Geometric's edge_index; edge_axis: "rows" or "columns" says which, if the
        shape is ambiguous. edge_ids: [edges] or [edges, ids of each]."""
        given = {} if edge_ids is None else {"edge_ids": edge_ids}
        expect_tensors(type(self).__name__, edges=edges, **given)
        expect_count(type(self).__name__, nodes=nodes)
        edges, edge_ids, *weights = full_tensors([edges, edge_ids, *(getattr(self, name) for name in self.weight_names)])
        if not weights[0].is_cpu and not weights[0].is_meta:
            return _graph_paths.bias(self.scheme, edges, edge_ids, nodes, directed, edge_axis, weights)
        return torch.ops.posenc.graph_bias(edges, edge_ids, nodes, directed, edge_axis, self.handle, weights)

    def extra_repr(self) -> str:
        return repr(self.scheme)[len("SpatialBias(") : -1]
