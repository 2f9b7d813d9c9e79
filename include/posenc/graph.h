// graph.h: encodings of the nodes of a graph, for graph Transformers. They are computed once and
// given to the model in addition to the features of the nodes.
//
//   const auto g = posenc::graph::read("edges.csv");
//   posenc::graph::Laplacian pe{.dim = 8};
//   posenc::graph::fill(pe, g, table);   // table: [nodes, 8]
//
// Numbers are computed in f64 and rounded once. Results do not depend on the number of threads.
// Nothing is written when an Error is thrown. Tensors are in host memory.
#pragma once

#include "posenc/aliases.h"
#include "posenc/graph/degrees.h"
#include "posenc/graph/graph.h"
#include "posenc/graph/laplacian.h"
#include "posenc/graph/random_walk.h"
#include "posenc/graph/read.h"
#include "posenc/graph/shortest_paths.h"
#include "posenc/graph/spatial_bias.h"
#include "posenc/scheme_info.h"

namespace posenc {
namespace POSENC_PUBLIC graph {

// The closed list of schemes: add the name of a new one here.
using Scheme = std::variant<Laplacian, RandomWalk, ShortestPaths, Degrees>;

// What a member of the list must provide.
template <class S>
concept GraphScheme = Aggregate<S> && requires(const S s, const Graph& graph, const Tensor& table) {
  { S::presets() } -> std::same_as<std::vector<Preset<S>>>;
  { s.columns(graph) } -> std::same_as<int64_t>;
  { s.is_integral() } -> std::same_as<bool>;  // its tables may also be i32 or i64
  s.write(graph, table);                      // called by fill(), which has checked all three
  s.check();
};

// The number of columns of a graph's table.
int64_t columns(const Scheme& scheme, const Graph& graph);

// table: [nodes, columns] of floats; for unweighted shortest paths and degrees also i32
// or i64.
void fill(const Scheme& scheme, const Graph& graph, const Tensor& table);

// What fill() writes for a Laplacian, with its eigenvalues.
struct Spectrum {
  int64_t columns = 0;               // before `both` doubles them: dim
  std::vector<double> vectors{};     // [nodes, columns]
  std::vector<double> values{};      // [1, columns], or [components, columns] with apart;
                                     // NaN for columns without a vector
  std::vector<int64_t> component{};  // of each node, numbered in the order of first nodes
};
Spectrum spectrum(const Laplacian& scheme, const Graph& graph);
// The same table from a spectrum that was computed before.
void fill(const Laplacian& scheme, const Spectrum& known, const Tensor& table);

// By name, like schemes of other families (scheme.h), and by aliases: "lappe", "rwpe".
const std::vector<Alias>& aliases();
Scheme make_scheme(std::string_view name, const Options& options = {});
Scheme scheme_from_json(std::string_view name, std::string_view json);
SchemeInfo info(const Scheme& scheme);
std::vector<SchemeInfo> schemes();

}  // namespace graph
}  // namespace posenc
