// graph_picture.h: a graph, coloured by numbers of its nodes.
#pragma once

#include "draw/plot.h"
#include "posenc/graph.h"

namespace posenc::cli {

// Nodes stand where their first two eigenvectors say, each component in a field of its own.
draw::Network draw_graph(const graph::Graph& graph, std::vector<double> values);

}  // namespace posenc::cli
