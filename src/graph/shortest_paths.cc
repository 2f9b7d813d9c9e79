// shortest_paths.cc: a search from each anchor, against the direction of the edges.
#include "posenc/graph/shortest_paths.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <queue>

#include "base/parallel.h"
#include "graph/adjacency.h"
#include "graph/table.h"

namespace posenc::graph {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Distances from one node at a time.
class PathSearch {
 public:
  PathSearch(const Adjacency& a, double cutoff)
      : a_(a), cutoff_(cutoff), distance_(static_cast<size_t>(a.nodes()), infinity) {}

  // Edges count 1.
  const std::vector<double>& by_steps(int64_t start) {
    begin(start);
    order_.assign(1, static_cast<int32_t>(start));
    for (size_t next = 0; next < order_.size(); ++next) {
      const int32_t node = order_[next];
      for (int64_t e = a_.first(node); e < a_.last(node); ++e)
        if (shorten(a_.target(e), at(node) + 1)) order_.push_back(a_.target(e));
    }
    return distance_;
  }

  // Weights are lengths: Dijkstra's search.
  const std::vector<double>& by_lengths(int64_t start) {
    begin(start);
    using Entry = std::pair<double, int32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    open.push({0.0, static_cast<int32_t>(start)});
    while (!open.empty()) {
      const Entry nearest = open.top();
      open.pop();
      if (nearest.first > at(nearest.second)) continue;
      for (int64_t e = a_.first(nearest.second); e < a_.last(nearest.second); ++e)
        if (shorten(a_.target(e), nearest.first + a_.weight_of(e)))
          open.push({at(a_.target(e)), a_.target(e)});
    }
    return distance_;
  }

 private:
  double at(int32_t node) const { return distance_[static_cast<size_t>(node)]; }
  void begin(int64_t start) {
    std::fill(distance_.begin(), distance_.end(), infinity);
    distance_[static_cast<size_t>(start)] = 0;
  }
  bool shorten(int32_t node, double distance) {
    double& known = distance_[static_cast<size_t>(node)];
    if (!(distance < known) || distance > cutoff_) return false;
    known = distance;
    return true;
  }

  const Adjacency& a_;
  double cutoff_;
  std::vector<double> distance_;
  std::vector<int32_t> order_;
};

bool is_whole_number(double x) { return std::abs(x) < 0x1p31 && x == std::floor(x); }

void check_anchors(const ShortestPaths& s, const Graph& graph) {
  for (const double a : s.anchors)
    if (!(a < static_cast<double>(graph.nodes)))
      fail(ErrorKind::option, s.name, "expected anchors from 0 to ", graph.nodes - 1, ", got ", a);
}

}  // namespace

Fields ShortestPaths::fields() {
  using S = ShortestPaths;
  return {
      {"anchors", &S::anchors, "nodes, each with a column of distances to it; all unless given"},
      {"weighted", &S::weighted, "weights are lengths; otherwise each edge counts 1"},
      {"cutoff", &S::cutoff, "what is farther counts as unreachable"},
      {"unreachable", &S::unreachable, "the number for nodes without a path"}};
}

std::vector<Preset<ShortestPaths>> ShortestPaths::presets() {
  return {{"hops", "numbers of edges between all nodes", {}},
          {"graphormer",
           "Graphormer: the same, 510 where there is no path of 509",
           {{}, false, 509.0, 510}}};
}

void ShortestPaths::check() const {
  if (cutoff) check_positive(name, "cutoff", *cutoff);
  check_finite(name, "unreachable", unreachable);
  for (const double a : anchors)
    if (!is_whole_number(a) || a < 0)
      fail(ErrorKind::option, name, "expected option anchors of whole numbers from 0, got ", a);
}

int64_t ShortestPaths::columns(const Graph& graph) const {
  return anchors.empty() ? graph.nodes : std::ssize(anchors);
}

bool ShortestPaths::is_integral() const { return !weighted && is_whole_number(unreachable); }

void ShortestPaths::write(const Graph& graph, const Tensor& table) const {
  check_anchors(*this, graph);
  if (weighted && graph.duplicates == Duplicates::sum)
    fail(ErrorKind::option, name,
         "expected duplicates once where weights are lengths, got sum: edges side by side make no "
         "longer one");
  const Adjacency out = adjacency(name, graph), a = graph.directed ? reversed(out) : out;
  const int64_t count = columns(graph);
  Tickets tickets;
  const auto search_some = [&](int64_t) {
    PathSearch search(a, cutoff.value_or(infinity));
    for (int64_t c = tickets.take(); c < count; c = tickets.take()) {
      const int64_t anchor =
          anchors.empty() ? c : static_cast<int64_t>(anchors[static_cast<size_t>(c)]);
      const auto& found = weighted ? search.by_lengths(anchor) : search.by_steps(anchor);
      for (int64_t i = 0; i < a.nodes(); ++i) {
        const double d = found[static_cast<size_t>(i)];
        put(table, i, c, d == infinity ? unreachable : d);
      }
    }
  };
  const int64_t bytes = 16 * count * (a.nodes() + a.edges());
  for_each_piece_of(std::min(count, threads_for(bytes)), PieceCall(search_some));
}

}  // namespace posenc::graph
