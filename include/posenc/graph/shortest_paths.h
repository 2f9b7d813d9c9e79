// shortest_paths.h: distances between nodes, as Graphormer's spatial encoding counts them.
//
//   table[i, c] = length of the shortest path from node i to anchor c
//
// Without anchors, all nodes are: table[i, j] is the distance from i to j. Loops have no effect.
#pragma once

#include "posenc/graph/graph.h"

namespace posenc {
namespace POSENC_PUBLIC graph {

struct ShortestPaths {
  static constexpr std::string_view name = "shortest-paths";
  static constexpr std::string_view about = "distances to all nodes, or to some anchors";
  static constexpr std::string_view used_by = "Graphormer's spatial encoding";

  std::vector<double> anchors{};   // nodes; none: all
  bool weighted = false;           // weights are lengths; otherwise each edge has length 1
  std::optional<double> cutoff{};  // nodes beyond it are unreachable
  double unreachable = -1;         // the value for such nodes

  static Fields fields();
  static std::vector<Preset<ShortestPaths>> presets();
  void check() const;
  int64_t columns(const Graph& graph) const;
  bool is_integral() const;
  void write(const Graph& graph, const Tensor& table) const;
};

}  // namespace graph
}  // namespace posenc
