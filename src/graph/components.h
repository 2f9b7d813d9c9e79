// components.h: the connected parts of an undirected graph.
#pragma once

#include "graph/adjacency.h"

namespace posenc::graph {

// One of them, as a graph of its own: without loops, its nodes counted from 0.
struct ConnectedComponent {
  std::vector<int32_t> nodes{};  // of the whole graph, ascending
  Adjacency links{};
};

// In the order of their first nodes. Edges lead both ways.
std::vector<ConnectedComponent> components(const Adjacency& a);

// How a search from one end of a connected graph spreads.
struct Spread {
  int64_t levels = 0;  // steps to the farthest node, and one
  int64_t widest = 0;  // the most nodes at one distance
};
Spread spread(const Adjacency& a);

}  // namespace posenc::graph
