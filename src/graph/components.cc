// components.cc: searches by levels.
#include "graph/components.h"

#include <algorithm>

namespace posenc::graph {
namespace {

struct Levels {
  Spread spread{};
  std::vector<int32_t> order{};  // nodes by distance
};

// All that is reached from start; marks it.
Levels search(const Adjacency& a, int32_t start, std::vector<bool>& reached) {
  Levels out{{}, {start}};
  reached[static_cast<size_t>(start)] = true;
  for (size_t first = 0; first < out.order.size();) {
    const size_t end = out.order.size();
    ++out.spread.levels;
    out.spread.widest = std::max(out.spread.widest, static_cast<int64_t>(end - first));
    for (; first < end; ++first) {
      const int32_t node = out.order[first];
      for (int64_t e = a.first(node); e < a.last(node); ++e) {
        const int32_t to = a.target(e);
        if (!reached[static_cast<size_t>(to)]) out.order.push_back(to);
        reached[static_cast<size_t>(to)] = true;
      }
    }
  }
  return out;
}

// local: the number of each node within its component.
Adjacency links_between(const Adjacency& a, const std::vector<int32_t>& nodes,
                        const std::vector<int32_t>& local) {
  Adjacency out;
  for (const int32_t node : nodes) {
    for (int64_t e = a.first(node); e < a.last(node); ++e) {
      if (a.target(e) == node) continue;
      out.to.push_back(local[static_cast<size_t>(a.target(e))]);
      if (!a.weight.empty()) out.weight.push_back(a.weight_of(e));
    }
    out.begin.push_back(out.edges());
  }
  return out;
}

}  // namespace

std::vector<ConnectedComponent> components(const Adjacency& a) {
  std::vector<ConnectedComponent> out;
  std::vector<bool> reached(static_cast<size_t>(a.nodes()));
  std::vector<int32_t> local(static_cast<size_t>(a.nodes()));
  for (int64_t start = 0; start < a.nodes(); ++start) {
    if (reached[static_cast<size_t>(start)]) continue;
    ConnectedComponent c{search(a, static_cast<int32_t>(start), reached).order};
    std::sort(c.nodes.begin(), c.nodes.end());
    for (size_t i = 0; i < c.nodes.size(); ++i)
      local[static_cast<size_t>(c.nodes[i])] = static_cast<int32_t>(i);
    c.links = links_between(a, c.nodes, local);
    out.push_back(std::move(c));
  }
  return out;
}

Spread spread(const Adjacency& a) {
  std::vector<bool> reached(static_cast<size_t>(a.nodes()));
  const int32_t end = search(a, 0, reached).order.back();
  reached.assign(reached.size(), false);
  return search(a, end, reached).spread;
}

}  // namespace posenc::graph
