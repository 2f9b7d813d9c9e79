// graph.h: a graph: the number of nodes, and the edges.
//
//   graph::Graph g{.nodes = 3, .edges = {{0, 1}, {1, 2}}};
//   graph::Graph h = graph::from_edges(edge_index);   // i64 [2, edges], as PyTorch Geometric's
//
// An edge of weight 0 does not count. A loop is an edge from a node to itself; its effect depends
// on the scheme. An undirected edge may be listed once or in both directions.
#pragma once

#include "posenc/field.h"

namespace posenc {
namespace POSENC_PUBLIC graph {

struct Edge {
  int64_t from, to;
  bool operator==(const Edge&) const = default;
};

// The meaning of an edge listed more than once; in an undirected graph also as (a, b) and (b, a).
enum class Duplicates : uint8_t {
  once,  // one edge; an Error if the weights differ
  sum,   // one edge with the sum of the weights; not for edge counts and path lengths
};
constexpr auto enum_names(Duplicates) { return names({"once", "sum"}); }

struct Graph {
  int64_t nodes = 0;
  std::vector<Edge> edges{};      // between 0 and nodes - 1
  std::vector<double> weights{};  // one for each edge, at least 0; empty: all 1
  bool directed = false;
  Duplicates duplicates = Duplicates::once;
};

inline constexpr int64_t max_nodes = (int64_t{1} << 31) - 2;

// Throws Error unless nodes and weights are valid; `where` names the caller.
void check(std::string_view where, const Graph& graph);

// The shape of a tensor of edges. For [2, 2], which is ambiguous, it must be given.
enum class EdgeAxis : uint8_t {
  found,    // from its shape
  rows,     // [edges, 2]
  columns,  // [2, edges]
};
constexpr auto enum_names(EdgeAxis) { return names({"found", "rows", "columns"}); }

// Options for reading lists of edges.
struct EdgeOptions {
  std::optional<int64_t> nodes{};  // default: the largest id + 1
  bool directed = false;
  Duplicates duplicates = Duplicates::once;
  int64_t first_id = 0;  // the id of the first node, often 1
  EdgeAxis edges = EdgeAxis::found;

  static Fields fields();
};

// edges: i32 or i64 [edges, 2] or [2, edges]; weights: floats [edges], or none. If `nodes` is not
// given, ids much larger than the number of edges are an Error.
Graph from_edges(const Tensor& edges, const EdgeOptions& options = {}, const Tensor& weights = {});

}  // namespace graph
}  // namespace posenc
