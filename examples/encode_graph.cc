// encode_graph.cc: eigenvectors and random walks of a small graph.
#include <cstdio>
#include <vector>

#include "posenc/graph.h"

int main() {
  namespace graph = posenc::graph;
  const graph::Graph g{.nodes = 4, .edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}}};

  std::vector<float> walks(4 * 3);
  graph::fill(graph::RandomWalk{.steps = 3}, g, posenc::tensor(walks.data(), {4, 3}));
  std::printf("node 0 is back after 2 steps with chance %g\n", walks[1]);

  const auto found = graph::spectrum({.dim = 2}, g);
  std::printf("eigenvalues %.4f %.4f\n", found.values[0], found.values[1]);
}
