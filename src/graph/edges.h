// edges.h: what every reader of edges does in the end.
#pragma once

#include "posenc/graph/graph.h"

namespace posenc::graph {

// The graph with ids that begin with 0 and as many nodes as the options or the ids say; checked.
Graph with_options(std::string_view where, Graph edges, const EdgeOptions& options);

// The most nodes that a list of so many edges may ask for by its ids or its header, unless the
// caller gives their number: one number in a file must not ask for all memory.
constexpr int64_t plausible_nodes(int64_t edges) { return (int64_t{1} << 20) + 64 * edges; }

}  // namespace posenc::graph
