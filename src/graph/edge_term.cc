// edge_term.cc: rows of edges and matrices of hops.
#include "graph/edge_term.h"

#include "base/batch.h"
#include "base/check.h"
#include "base/memory.h"

namespace posenc::graph {
namespace {

constexpr int64_t most_nodes = 4096;  // about a minute

size_t at(int64_t n) { return static_cast<size_t>(n); }

std::vector<int64_t> integers(const Tensor& t) {
  std::vector<int64_t> out;
  for (int64_t n = 0; n < t.elements(); ++n)
    out.push_back(
        integer(t.dtype, static_cast<const char*>(t.data) + offset_of(t, n) * size_of(t.dtype)));
  return out;
}

}  // namespace

void check_edge_ids(const char* verb, const SpatialBias& s, const Graph& graph, const Tensor& ids) {
  if (s.edge_ids == 0) {
    if (ids.rank != 0)
      fail(ErrorKind::tensor, verb, "expected no ids of edges for a scheme without them, got ",
           describe(ids));
    return;
  }
  if (!is_integer(ids.dtype) || (ids.rank != 1 && ids.rank != 2) ||
      ids.size(0) != std::ssize(graph.edges) || (ids.rank == 2 && ids.size(1) < 1))
    fail(ErrorKind::tensor, verb, "expected ids of edges as i32 or i64 [", graph.edges.size(),
         "] or [", graph.edges.size(), ", any], got ", describe(ids));
  check_host_memory(verb, "ids of edges", ids);
  if (graph.nodes > most_nodes)
    fail(verb, "expected at most ", most_nodes,
         " nodes for edges along paths, whose search takes the cube of that, got ", graph.nodes);
  for (const int64_t id : integers(ids))
    if (id < 0 || id >= s.edge_ids)
      fail(verb, "expected ids of edges from 0 to ", s.edge_ids - 1, ", got ", id);
}

EdgeTerm::EdgeTerm(const SpatialBias& s, const Graph& graph, const std::vector<double>& edges,
                   const std::vector<double>& hops, const Tensor& ids)
    : heads_(s.heads),
      nodes_(graph.nodes),
      count_(std::ssize(graph.edges)),
      edges_(edges),
      hops_(hops),
      ids_(integers(ids)),
      paths_(graph, adjacency(s.name, graph)),
      most_(std::min(s.max_hops, paths_.longest())) {}

std::vector<double> EdgeTerm::means() const {
  std::vector<double> out(at(count_ * heads_));
  const int64_t each = count_ == 0 ? 1 : std::ssize(ids_) / count_;
  for (int64_t n = 0; n < std::ssize(ids_); ++n)
    for (int64_t h = 0; h < heads_; ++h)
      out[at(n / each * heads_ + h)] +=
          edges_[at(ids_[at(n)] * heads_ + h)] / static_cast<double>(each);
  return out;
}

std::vector<double> EdgeTerm::sums() const {
  return zeros<double>(SpatialBias::name, "edges of paths", most_ * count_ * heads_);
}

std::vector<double> EdgeTerm::mapped() const {
  const auto mean = means();
  auto out = sums();
  for (int64_t n = 0; n < most_; ++n)
    for (int64_t e = 0; e < count_; ++e)
      for (int64_t g = 0; g < heads_; ++g)
        for (int64_t h = 0; h < heads_; ++h)
          out[at((n * count_ + e) * heads_ + h)] +=
              mean[at(e * heads_ + g)] * hops_[at((n * heads_ + g) * heads_ + h)];
  return out;
}

void EdgeTerm::backward_mapped(const std::vector<double>& sums, std::span<double> edges,
                               std::span<double> hops) const {
  const auto mean = means();
  std::vector<double> dmean(mean.size());
  for (int64_t n = 0; n < most_; ++n)
    for (int64_t e = 0; e < count_; ++e)
      for (int64_t g = 0; g < heads_; ++g)
        for (int64_t h = 0; h < heads_; ++h) {
          const double d = sums[at((n * count_ + e) * heads_ + h)];
          const size_t map = at((n * heads_ + g) * heads_ + h);
          hops[map] += d * mean[at(e * heads_ + g)];
          dmean[at(e * heads_ + g)] += d * hops_[map];
        }
  const int64_t each = count_ == 0 ? 1 : std::ssize(ids_) / count_;
  for (int64_t n = 0; n < std::ssize(ids_); ++n)
    for (int64_t h = 0; h < heads_; ++h)
      edges[at(ids_[at(n)] * heads_ + h)] +=
          dmean[at(n / each * heads_ + h)] / static_cast<double>(each);
}

}  // namespace posenc::graph
