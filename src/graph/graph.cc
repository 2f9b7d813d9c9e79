// graph.cc: graphs from lists of edges.
#include "posenc/graph/graph.h"

#include <cmath>

#include "base/check.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "base/memory.h"
#include "graph/edges.h"

namespace posenc::graph {
namespace {

// [edges, 2], or [2, edges] seen as that.
Tensor as_rows(const Tensor& t, EdgeAxis axis) {
  const bool rows = t.rank == 2 && t.size(1) == 2, columns = t.rank == 2 && t.size(0) == 2;
  if (rows && columns && axis == EdgeAxis::found)
    fail(
        ErrorKind::tensor, "from_edges",
        "expected edges to be given as rows or columns for [2, 2], which may be both, got neither");
  if (axis == EdgeAxis::rows ? !rows : axis == EdgeAxis::columns ? !columns : !rows && !columns)
    fail(ErrorKind::tensor, "from_edges", "expected edges ",
         axis == EdgeAxis::columns ? "[2, edges]"
         : axis == EdgeAxis::rows  ? "[edges, 2]"
                                   : "[edges, 2] or [2, edges]",
         ", got ", describe(t));
  return rows && axis != EdgeAxis::columns ? t : permuted(t, {1, 0});
}

int64_t id_at(const Tensor& t, int64_t edge, int64_t end) {
  const int64_t at = edge * t.step(0) + end * t.step(1);
  return t.dtype == DType::i32 ? static_cast<const int32_t*>(t.data)[at]
                               : static_cast<const int64_t*>(t.data)[at];
}

double weight_at(const Tensor& t, int64_t edge) {
  return dispatch(t.dtype, [&]<class T>() {
    return as_double(static_cast<const T*>(t.data)[edge * t.step(0)]);
  });
}

void check_tensors(const Tensor& edges, const Tensor& weights) {
  check_host_memory("from_edges", "edges", edges);
  if (!is_integer(edges.dtype))
    fail(ErrorKind::tensor, "from_edges", "expected edges of i32 or i64, got ", describe(edges));
  if (weights.rank == 0 && !weights.data) return;
  check_host_memory("from_edges", "weights", weights);
  if (!is_float(weights.dtype) || weights.rank != 1)
    fail(ErrorKind::tensor, "from_edges", "expected weights [edges] of floats, got ",
         describe(weights));
}

}  // namespace

Fields EdgeOptions::fields() {
  using S = EdgeOptions;
  return {{"nodes", &S::nodes, "number of nodes; as many as the ids need unless given"},
          {"directed", &S::directed, "edges lead one way; otherwise both"},
          {"duplicates", &S::duplicates,
           "an edge listed again, or in both directions, is the same one, or adds its weight"},
          {"first_id", &S::first_id, "the id of the first node in text and .npy, often 1"},
          {"edges", &S::edges, "a .npy file holds them as rows [edges, 2] or columns [2, edges]"}};
}

void check(std::string_view where, const Graph& g) {
  if (g.nodes < 0 || g.nodes > max_nodes)
    fail(where, "expected 0 to ", max_nodes, " nodes, got ", g.nodes);
  if (!g.weights.empty() && g.weights.size() != g.edges.size())
    fail(where, "expected a weight for each of ", g.edges.size(), " edges, got ", g.weights.size());
  for (size_t e = 0; e < g.edges.size(); ++e)
    for (const int64_t id : {g.edges[e].from, g.edges[e].to})
      if (id < 0 || id >= g.nodes)
        fail(where, "expected ends of edges from 0 to ", g.nodes - 1, ", got ", id, " in edge ", e);
  for (size_t e = 0; e < g.weights.size(); ++e)
    if (!(g.weights[e] >= 0) || std::isinf(g.weights[e]))
      fail(where, "expected weights of at least 0, got ", g.weights[e], " for edge ", e);
}

Graph from_edges(const Tensor& edges, const EdgeOptions& options, const Tensor& weights) {
  check_tensors(edges, weights);
  const Tensor rows = as_rows(edges, options.edges);
  Graph g{0, zeros<Edge>("from_edges", "edges", rows.size(0))};
  for (int64_t e = 0; e < rows.size(0); ++e)
    g.edges[static_cast<size_t>(e)] = {id_at(rows, e, 0), id_at(rows, e, 1)};
  if (weights.rank > 0) g.weights.resize(static_cast<size_t>(weights.size(0)));
  for (size_t e = 0; e < g.weights.size(); ++e)
    g.weights[e] = weight_at(weights, static_cast<int64_t>(e));
  return with_options("from_edges", std::move(g), options);
}

}  // namespace posenc::graph
