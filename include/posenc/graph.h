// graph.h: encodings of the nodes of a graph, for graph Transformers: computed once, then given to
// the model beside the features of the nodes.
//
//   const auto g = posenc::graph::read("edges.csv");
//   posenc::graph::Laplacian pe{.dim = 8};
//   posenc::graph::fill(pe, g, table);   // table: [nodes, 8]
//
// Numbers are computed in f64 and rounded once. Results never depend on the number of threads.
// Nothing is written when an Error is thrown. Tensors lie in the memory of the host.
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

// The closed list: a new scheme is one more name here.
using Scheme = std::variant<Laplacian, RandomWalk, ShortestPaths, Degrees>;

// What a member of the list must offer.
template <class S>
concept GraphScheme = Aggregate<S> && requires(const S s, const Graph& graph, const Tensor& table) {
  { S::presets() } -> std::same_as<std::vector<Preset<S>>>;
  { s.columns(graph) } -> std::same_as<int64_t>;
  { s.is_integral() } -> std::same_as<bool>;  // its tables may be i32 or i64 too
  s.write(graph, table);                      // called by fill(), which has checked all three
  s.check();
};

// How many columns the table of a graph has.
int64_t columns(const Scheme& scheme, const Graph& graph);

// table: [nodes, columns] of floats; of shortest paths and degrees that are not weighted also i32
// or i64.
void fill(const Scheme& scheme, const Graph& graph, const Tensor& table);

// What fill() writes for a Laplacian, with its eigenvalues.
struct Spectrum {
  int64_t columns = 0;               // before `both` doubles them: dim
  std::vector<double> vectors{};     // [nodes, columns]
  std::vector<double> values{};      // [1, columns], or [components, columns] where they are apart;
                                     // NaN for columns without a vector
  std::vector<int64_t> component{};  // of each node, counted in the order of their first nodes
};
Spectrum spectrum(const Laplacian& scheme, const Graph& graph);
// The same table from a spectrum of the scheme that is known already.
void fill(const Laplacian& scheme, const Spectrum& known, const Tensor& table);

// By name, as schemes of other families (scheme.h), and by other names: "lappe", "rwpe".
const std::vector<Alias>& aliases();
Scheme make_scheme(std::string_view name, const Options& options = {});
Scheme scheme_from_json(std::string_view name, std::string_view json);
SchemeInfo info(const Scheme& scheme);
std::vector<SchemeInfo> schemes();

}  // namespace graph
}  // namespace posenc
