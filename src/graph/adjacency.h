// adjacency.h: for each node, the nodes that its edges lead to.
#pragma once

#include "posenc/graph/graph.h"

namespace posenc::graph {

// Compressed rows: node i leads to to[e] with weight[e], e from begin[i] to before begin[i + 1], in
// ascending order, each once.
struct Adjacency {
  std::vector<int64_t> begin{0};
  std::vector<int32_t> to{};
  std::vector<double> weight{};  // none: all are 1

  int64_t nodes() const { return static_cast<int64_t>(begin.size()) - 1; }
  int64_t edges() const { return static_cast<int64_t>(to.size()); }
  int64_t first(int64_t node) const { return begin[static_cast<size_t>(node)]; }
  int64_t last(int64_t node) const { return begin[static_cast<size_t>(node) + 1]; }
  int32_t target(int64_t edge) const { return to[static_cast<size_t>(edge)]; }
  double weight_of(int64_t edge) const {
    return weight.empty() ? 1 : weight[static_cast<size_t>(edge)];
  }
  // The sum of the weights of each row.
  std::vector<double> degrees() const;
};

// Of a checked graph; an undirected edge leads both ways, a loop once. Edges of weight 0 are left
// out. Throws Error for duplicates of other weights, where they are to be the same.
Adjacency adjacency(std::string_view where, const Graph& graph);

// Node i of the result is node order[i]. Rows are in the order of their old numbers.
Adjacency in_order(const Adjacency& a, const std::vector<int32_t>& order);

// Every edge the other way.
Adjacency reversed(const Adjacency& a);

}  // namespace posenc::graph
