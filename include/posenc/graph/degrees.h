// degrees.h: the number of edges of a node, the index of Graphormer's centrality encoding.
//
// A self-loop counts once, as in the row sum of the adjacency matrix.
#pragma once

#include "posenc/graph/graph.h"

namespace posenc {
namespace POSENC_PUBLIC graph {

enum class Degree : uint8_t {
  out,   // outgoing edges
  in,    // incoming edges
  both,  // two columns: in, then out
};
constexpr auto enum_names(Degree) { return names({"out", "in", "both"}); }

struct Degrees {
  static constexpr std::string_view name = "degrees";
  static constexpr std::string_view about = "number of edges of a node, to look up a learned row";
  static constexpr std::string_view used_by = "Graphormer's centrality encoding";

  Degree direction = Degree::out;
  bool weighted = false;         // the sum of the edges' weights
  std::optional<double> most{};  // the maximum; larger degrees are clipped

  static Fields fields();
  static std::vector<Preset<Degrees>> presets();
  void check() const;
  int64_t columns(const Graph&) const { return direction == Degree::both ? 2 : 1; }
  bool is_integral() const;
  void write(const Graph& graph, const Tensor& table) const;
};

}  // namespace graph
}  // namespace posenc
