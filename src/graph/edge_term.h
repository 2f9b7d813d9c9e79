// edge_term.h: what the edges along shortest paths add to biases.
#pragma once

#include <algorithm>
#include <span>

#include "graph/paths.h"
#include "posenc/graph/spatial_bias.h"

namespace posenc::graph {

// Throws Error unless there are ids of all edges exactly where the scheme has any.
void check_edge_ids(const char* verb, const SpatialBias& scheme, const Graph& graph,
                    const Tensor& ids);

class EdgeTerm {
 public:
  // Both live as long as this: edges [edge_ids, heads], hops [max_hops, heads, heads].
  EdgeTerm(const SpatialBias& scheme, const Graph& graph, const std::vector<double>& edges,
           const std::vector<double>& hops, const Tensor& ids);

  // bias(i, j, head), of two nodes, += the term.
  template <class Bias>
  void add(const Bias& bias) const {
    const auto maps = mapped();
    each_path([&](int64_t i, int64_t j, int64_t n, int64_t e, double share) {
      for (int64_t h = 0; h < heads_; ++h)
        bias(i, j, h) += share * maps[static_cast<size_t>((n * count_ + e) * heads_ + h)];
    });
  }

  // g(i, j, head): the gradients of biases; those of edges and hops are added to.
  template <class G>
  void backward(const G& g, std::span<double> edges, std::span<double> hops) const {
    auto all = sums();
    each_path([&](int64_t i, int64_t j, int64_t n, int64_t e, double share) {
      for (int64_t h = 0; h < heads_; ++h)
        all[static_cast<size_t>((n * count_ + e) * heads_ + h)] += share * g(i, j, h);
    });
    backward_mapped(all, edges, hops);
  }

 private:
  // Calls f(i, j, n, e, 1 / edges that count) for the first edges of all paths.
  template <class F>
  void each_path(const F& f) const {
    for (int64_t i = 0; i < nodes_; ++i)
      for (int64_t j = 0; j < nodes_; ++j) {
        int64_t count = 0;
        paths_.each_edge(i, j, most_, [&](int64_t, int64_t) { ++count; });
        const double share = 1 / static_cast<double>(std::max<int64_t>(count, 1));
        paths_.each_edge(i, j, most_, [&](int64_t n, int64_t e) { f(i, j, n, e, share); });
      }
  }
  // The mean of an edge's rows, [edges, heads]; and times the matrix of each hop, [hops, edges,
  // heads].
  std::vector<double> means() const;
  std::vector<double> mapped() const;
  std::vector<double> sums() const;  // zeros, of the same shape
  void backward_mapped(const std::vector<double>& sums, std::span<double> edges,
                       std::span<double> hops) const;

  int64_t heads_, nodes_, count_;  // count: edges of the graph
  const std::vector<double>&edges_, &hops_;
  std::vector<int64_t> ids_;  // [edges, ids of each]
  Paths paths_;
  int64_t most_;  // edges of a path that count
};

}  // namespace posenc::graph
