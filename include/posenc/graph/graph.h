// graph.h: a graph: how many nodes, and which are joined.
//
//   graph::Graph g{.nodes = 3, .edges = {{0, 1}, {1, 2}}};
//   graph::Graph h = graph::from_edges(edge_index);   // i64 [2, edges], as PyTorch Geometric's
//
// An edge of weight 0 is none. A loop is an edge from a node to itself; the schemes say what they
// make of it. An undirected edge may be listed once or in both directions.
#pragma once

#include "posenc/field.h"

namespace posenc {
namespace POSENC_PUBLIC graph {

struct Edge {
  int64_t from, to;
  bool operator==(const Edge&) const = default;
};

// What an edge that is listed more than once is; in an undirected graph also as (a, b) and (b, a).
enum class Duplicates : uint8_t {
  once,  // the same edge again; an Error where the weights differ
  sum,   // one edge, whose weights add up; nothing for counts of edges and for lengths of paths
};
constexpr auto enum_names(Duplicates) { return names({"once", "sum"}); }

struct Graph {
  int64_t nodes = 0;
  std::vector<Edge> edges{};      // between 0 and nodes - 1
  std::vector<double> weights{};  // one for each edge, 0 or more; none: all are 1
  bool directed = false;
  Duplicates duplicates = Duplicates::once;
};

inline constexpr int64_t max_nodes = (int64_t{1} << 31) - 2;

// Throws Error unless ends and weights are as said above; `where` names the caller.
void check(std::string_view where, const Graph& graph);

// How a tensor lists edges. [2, 2] may be both, and must be told.
enum class EdgeAxis : uint8_t {
  found,    // by its shape
  rows,     // [edges, 2]
  columns,  // [2, edges]
};
constexpr auto enum_names(EdgeAxis) { return names({"found", "rows", "columns"}); }

// How lists of edges are read.
struct EdgeOptions {
  std::optional<int64_t> nodes{};  // as many as the ids ask for, where not given
  bool directed = false;
  Duplicates duplicates = Duplicates::once;
  int64_t first_id = 0;  // the id of the first node, often 1
  EdgeAxis edges = EdgeAxis::found;

  static Fields fields();
};

// edges: i32 or i64 [edges, 2] or [2, edges]; weights: floats [edges], or none. Where `nodes` is
// not given, ids that are far larger than the number of edges explains are an Error.
Graph from_edges(const Tensor& edges, const EdgeOptions& options = {}, const Tensor& weights = {});

}  // namespace graph
}  // namespace posenc
