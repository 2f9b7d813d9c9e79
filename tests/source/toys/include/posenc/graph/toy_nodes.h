// toy_nodes.h: the number of a node, counted from 1, times that of the column.
#pragma once

#include "posenc/graph/graph.h"

namespace posenc {
namespace POSENC_PUBLIC graph {

struct ToyNodes {
  static constexpr std::string_view name = "toy-nodes";
  static constexpr std::string_view about = "the number of a node";
  static constexpr std::string_view used_by = "nobody";

  int64_t dim = 2;

  static Fields fields();
  static std::vector<Preset<ToyNodes>> presets();
  void check() const { check_size(name, "dim", dim); }
  int64_t columns(const Graph&) const { return dim; }
  bool is_integral() const { return true; }
  void write(const Graph& graph, const Tensor& table) const;
};

}  // namespace graph
}  // namespace posenc
