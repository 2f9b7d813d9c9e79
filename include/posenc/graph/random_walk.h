// random_walk.h: return probabilities of random walks of 1, 2, 3, ... steps (Dwivedi et al., 2022).
//
//   column t = diagonal of P^(t + 1),   P = D^(-1) A
//
// A walk takes an edge, or a loop, with a probability proportional to its weight; in a directed
// graph it follows the direction of edges. The row of a node without edges is 0. Probabilities
// are exact sums in f64, not samples.
#pragma once

#include "posenc/graph/graph.h"

namespace posenc {
namespace POSENC_PUBLIC graph {

struct RandomWalk {
  static constexpr std::string_view name = "random-walk";
  static constexpr std::string_view about = "chance that a random walk is back after t steps";
  static constexpr std::string_view used_by =
      "Dwivedi et al. 2022, GraphGPS; PyTorch Geometric's AddRandomWalkPE";

  int64_t steps = 16;

  static Fields fields();
  static std::vector<Preset<RandomWalk>> presets();
  void check() const;
  int64_t columns(const Graph&) const { return steps; }
  bool is_integral() const { return false; }
  void write(const Graph& graph, const Tensor& table) const;
};

}  // namespace graph
}  // namespace posenc
