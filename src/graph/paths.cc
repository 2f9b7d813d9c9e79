// paths.cc: Floyd's and Warshall's search, which lets inner nodes in one after the other.
#include "graph/paths.h"

#include <algorithm>

#include "base/check.h"
#include "base/memory.h"

namespace posenc::graph {

Paths::Paths(const Graph& graph, const Adjacency& a) : nodes_(a.nodes()) {
  length_ = zeros<int32_t>("graph", "paths", nodes_ * nodes_);
  inner_ = zeros<int32_t>("graph", "paths", nodes_ * nodes_);
  std::fill(length_.begin(), length_.end(), none);
  std::fill(inner_.begin(), inner_.end(), -1);
  for (int64_t i = 0; i < nodes_; ++i) {
    for (int64_t e = a.first(i); e < a.last(i); ++e) length_[index(i, a.target(e))] = 1;
    length_[index(i, i)] = 0;
  }
  list(graph);
  for (int64_t inner = 0; inner < nodes_; ++inner) pass_through(inner);
}

int64_t Paths::longest() const {
  int32_t out = 0;
  for (const int32_t length : length_)
    if (length != none) out = std::max(out, length);
  return out;
}

void Paths::list(const Graph& graph) {
  const auto is_there = [&](size_t e) { return graph.weights.empty() || graph.weights[e] != 0; };
  for (size_t e = 0; e < graph.edges.size(); ++e)
    if (is_there(e)) listed_[{graph.edges[e].from, graph.edges[e].to}] = static_cast<int64_t>(e);
  if (graph.directed) return;
  std::map<std::pair<int64_t, int64_t>, int64_t> back;
  for (const auto& [ends, e] : listed_) back[{ends.second, ends.first}] = e;
  listed_.merge(back);  // what is listed both ways keeps its own
}

void Paths::pass_through(int64_t inner) {
  const int32_t* after = length_.data() + inner * nodes_;
  for (int64_t i = 0; i < nodes_; ++i) {
    const int32_t before = length(i, inner);
    if (before == none || i == inner) continue;
    for (int64_t j = 0; j < nodes_; ++j)
      if (before + after[j] < length_[index(i, j)]) {
        length_[index(i, j)] = before + after[j];
        inner_[index(i, j)] = static_cast<int32_t>(inner);
      }
  }
}

}  // namespace posenc::graph
