// spatial_bias.h: Graphormer's score biases between the nodes of a graph (Ying et al., 2021).
//
//   bias(i, j) = table[1 + distance of i to j] + edge term
//   edge term  = sum over edges n of the path from i to j of edges[id of n] . hops[n], over their
//                number; of the first max_hops of them
//
// Row 0 of the table is for padding, which the models mask; the last row is for nodes without a
// path and for all larger distances. With a graph token, token 0 is not a node and has a bias of
// its own to and from every node. Edges have one id or several, whose rows are averaged. Of several
// shortest paths, the one whose largest inner node is smallest is used, and so on recursively on
// both sides of that node, as in Graphormer's own search. Edge weights are not used.
// Distances are found by a breadth-first search from each node; paths by a search whose time grows
// with the cube of the number of nodes, so graphs with an edge term are limited to 4096 nodes.
//
//   graph::SpatialBias bias{.heads = 8};
//   graph::fill_bias(bias, g, weights, out);   // out: [heads, nodes + 1, nodes + 1]
#pragma once

#include <span>

#include "posenc/graph/graph.h"
#include "posenc/wave.h"

namespace posenc {
namespace POSENC_PUBLIC graph {

struct SpatialBias {
  static constexpr std::string_view name = "spatial-bias";

  int64_t heads = 8;
  int64_t distances = 512;  // rows of the table
  bool graph_token = true;
  int64_t edge_ids = 0;  // kinds of edges, with ids from 0; 0: no edge term
  int64_t max_hops = 5;

  void check() const;
  int64_t tokens(const Graph& graph) const { return graph.nodes + (graph_token ? 1 : 0); }
  // table [distances, heads]; token [heads]; edges [edge_ids, heads] and hops [max_hops, heads,
  // heads], from the heads of edges to those of scores.
  std::vector<Weight> weights() const;
};

// Functions on biases of one graph, in host memory. edge_ids, if the scheme has them: i32 or i64
// [edges] or [edges, ids of each], in the order of graph.edges. An edge listed twice has the last
// ids; an undirected edge listed in both directions has ids for each direction.

// out: [heads, tokens, tokens] of f32, f64, f16 or bf16.
void fill_bias(const SpatialBias& scheme, const Graph& graph, std::span<const Tensor> weights,
               const Tensor& out, const Tensor& edge_ids = {});
// scores += biases. scores: [..., heads, tokens, tokens].
void add_bias(const SpatialBias& scheme, const Graph& graph, std::span<const Tensor> weights,
              const Tensor& scores, const Tensor& edge_ids = {});
// Adds the gradients of all weights to dweights, f32 (f64 for an f64 dout). dout: [..., heads,
// tokens, tokens].
void backward_bias(const SpatialBias& scheme, const Graph& graph, std::span<const Tensor> weights,
                   const Tensor& dout, std::span<const Tensor> dweights,
                   const Tensor& edge_ids = {});

}  // namespace graph
}  // namespace posenc
