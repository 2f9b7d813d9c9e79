// toy_nodes.cc: the number of a node, counted from 1, times that of the column.
#include "posenc/graph/toy_nodes.h"

#include "graph/table.h"

namespace posenc::graph {

Fields ToyNodes::fields() { return {{"dim", &ToyNodes::dim, "columns"}}; }

std::vector<Preset<ToyNodes>> ToyNodes::presets() { return {}; }

void ToyNodes::write(const Graph& graph, const Tensor& table) const {
  for (int64_t i = 0; i < graph.nodes; ++i)
    for (int64_t c = 0; c < dim; ++c) put(table, i, c, static_cast<double>((i + 1) * (c + 1)));
}

}  // namespace posenc::graph
