// paths.h: which of the shortest paths is taken, and the edges along it.
#pragma once

#include <map>
#include <vector>

#include "graph/adjacency.h"

namespace posenc::graph {

// Shortest paths by numbers of edges. Between two nodes, the path whose largest inner node is the
// smallest; on both sides of that node alike.
class Paths {
 public:
  Paths(const Graph& graph, const Adjacency& a);

  // Edges of the longest one.
  int64_t longest() const;

  // Calls f(n, e) for the first `most` edges from node i to j: graph.edges[e] is number n.
  template <class F>
  void each_edge(int64_t i, int64_t j, int64_t most, const F& f) const {
    if (i == j || length(i, j) == none) return;
    std::vector<int64_t> ahead{j};
    for (int64_t n = 0, from = i; n < most && !ahead.empty();) {
      const int64_t to = ahead.back(), inner = inner_[index(from, to)];
      if (inner >= 0) {
        ahead.push_back(inner);
      } else {
        f(n++, listed_.at({from, to}));
        from = to, ahead.pop_back();
      }
    }
  }

 private:
  static constexpr int32_t none = 1 << 30;
  size_t index(int64_t i, int64_t j) const { return static_cast<size_t>(i * nodes_ + j); }
  int32_t length(int64_t i, int64_t j) const { return length_[index(i, j)]; }
  void list(const Graph& graph);
  void pass_through(int64_t inner);

  int64_t nodes_;
  std::vector<int32_t> length_, inner_;  // inner: the largest inner node, -1 for an edge
  std::map<std::pair<int64_t, int64_t>, int64_t> listed_;
};

}  // namespace posenc::graph
