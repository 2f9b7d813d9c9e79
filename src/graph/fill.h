// fill.h: what each scheme of the list offers to fill().
#pragma once

#include "graph/adjacency.h"
#include "posenc/graph.h"

namespace posenc::graph {

int64_t columns_of(const Laplacian& scheme, const Graph& graph);
int64_t columns_of(const RandomWalk& scheme, const Graph& graph);
int64_t columns_of(const ShortestPaths& scheme, const Graph& graph);
int64_t columns_of(const Degrees& scheme, const Graph& graph);

// Whether every number is whole.
inline bool is_whole(const Laplacian&) { return false; }
inline bool is_whole(const RandomWalk&) { return false; }
bool is_whole(const ShortestPaths& scheme);
bool is_whole(const Degrees& scheme);

// Into a table of the right shape; throws Error before anything is written.
void fill_checked(const Laplacian& scheme, const Graph& graph, const Tensor& table);
void fill_checked(const RandomWalk& scheme, const Graph& graph, const Tensor& table);
void fill_checked(const ShortestPaths& scheme, const Graph& graph, const Tensor& table);
void fill_checked(const Degrees& scheme, const Graph& graph, const Tensor& table);

}  // namespace posenc::graph
