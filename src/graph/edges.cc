// edges.cc: from ids as they are listed to nodes.
#include "graph/edges.h"

#include <algorithm>

namespace posenc::graph {
namespace {

// How many nodes the ids ask for.
int64_t nodes_for(std::string_view where, const Graph& g) {
  int64_t largest = -1;
  for (const Edge& e : g.edges) largest = std::max({largest, e.from, e.to});
  if (largest >= plausible_nodes(std::ssize(g.edges)))
    fail(where, "expected the number of nodes to be given with an id as large as ", largest, " in ",
         g.edges.size(), " edges, got none");
  return largest + 1;
}

}  // namespace

Graph with_options(std::string_view where, Graph g, const EdgeOptions& options) {
  check_choices(where, options);
  for (Edge& e : g.edges)
    for (int64_t* id : {&e.from, &e.to}) {
      if (*id < options.first_id)
        fail(where, "expected ids from ", options.first_id, ", got ", *id);
      if (__builtin_sub_overflow(*id, options.first_id, id))
        fail(where, "expected ids that fit 63 bits beside the first, ", options.first_id);
    }
  g.nodes = options.nodes ? *options.nodes : nodes_for(where, g);
  g.directed = options.directed, g.duplicates = options.duplicates;
  check(where, g);
  return g;
}

}  // namespace posenc::graph
