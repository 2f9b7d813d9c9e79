// graph_source.h: graphs as they are named on the command line.
#pragma once

#include "posenc/graph.h"

namespace posenc::cli {

// A file; or a graph of a known shape: path:9, cycle:9, star:9, complete:9, grid:4x5.
graph::Graph named_graph(const std::string& name, const graph::EdgeOptions& options,
                         const std::string& weights);

}  // namespace posenc::cli
