// edges.h: what every reader of edges does in the end.
#pragma once

#include "posenc/graph/graph.h"

namespace posenc::graph {

// The graph with ids that begin with 0 and as many nodes as the options or the ids say; checked.
Graph with_options(std::string_view where, Graph edges, const EdgeOptions& options);

}  // namespace posenc::graph
