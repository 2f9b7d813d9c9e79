// adjacency.cc: two counting sorts bring edges into rows.
#include "graph/adjacency.h"

#include <numeric>

namespace posenc::graph {
namespace {

struct Entries {  // edges that lead one way
  std::vector<int32_t> from, to;
  std::vector<double> weight;  // none: all are 1
  size_t size() const { return from.size(); }

  void add(int64_t a, int64_t b) {
    from.push_back(static_cast<int32_t>(a)), to.push_back(static_cast<int32_t>(b));
  }
};

Entries entries_of(const Graph& g) {
  Entries out;
  const size_t most = g.edges.size() * (g.directed ? 1 : 2);
  out.from.reserve(most), out.to.reserve(most), out.weight.reserve(g.weights.empty() ? 0 : most);
  for (size_t e = 0; e < g.edges.size(); ++e) {
    const auto [a, b] = g.edges[e];
    if (!g.weights.empty() && g.weights[e] == 0) continue;
    const bool twice = !g.directed && a != b;
    out.add(a, b);
    if (twice) out.add(b, a);
    if (!g.weights.empty()) out.weight.insert(out.weight.end(), twice ? 2 : 1, g.weights[e]);
  }
  return out;
}

// Where each key's run begins.
std::vector<int64_t> starts(const std::vector<int32_t>& keys, int64_t nodes) {
  std::vector<int64_t> out(static_cast<size_t>(nodes) + 1);
  for (const int32_t key : keys) ++out[static_cast<size_t>(key) + 1];
  std::partial_sum(out.begin(), out.end(), out.begin());
  return out;
}

// The same order by key, and by the order before where keys are equal.
std::vector<int64_t> sorted(const std::vector<int64_t>& order, const std::vector<int32_t>& keys,
                            int64_t nodes) {
  std::vector<int64_t> next = starts(keys, nodes), out(order.size());
  for (const int64_t i : order) {
    const auto key = static_cast<size_t>(keys[static_cast<size_t>(i)]);
    out[static_cast<size_t>(next[key]++)] = i;
  }
  return out;
}

// One entry for all between the same nodes.
struct Merging {
  std::string_view where;
  Duplicates duplicates;
  Adjacency out{};

  void add(int32_t from, int32_t to, double weight, bool weighted) {
    const bool again = std::ssize(out.to) > out.begin.back() && out.to.back() == to;
    if (!again) {
      out.to.push_back(to);
      if (weighted) out.weight.push_back(weight);
    } else if (duplicates == Duplicates::sum) {
      out.weight.back() += weight;
    } else if (weighted && out.weight.back() != weight) {
      fail(where, "expected one weight for the edge between ", from, " and ", to, ", got ",
           out.weight.back(), " and ", weight, "; duplicates may be summed");
    }
  }
};

Adjacency in_rows(std::string_view where, const Entries& all, int64_t nodes, Duplicates how) {
  std::vector<int64_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  order = sorted(sorted(order, all.to, nodes), all.from, nodes);
  const bool weighted = !all.weight.empty() || how == Duplicates::sum;
  Merging merging{where, how};
  size_t at = 0;
  for (int64_t node = 0; node < nodes; ++node) {
    for (; at < order.size() && all.from[static_cast<size_t>(order[at])] == node; ++at) {
      const auto e = static_cast<size_t>(order[at]);
      merging.add(all.from[e], all.to[e], all.weight.empty() ? 1 : all.weight[e], weighted);
    }
    merging.out.begin.push_back(std::ssize(merging.out.to));
  }
  return std::move(merging.out);
}

}  // namespace

std::vector<double> Adjacency::degrees() const {
  std::vector<double> out;
  for (int64_t i = 0; i < nodes(); ++i) {
    double sum = 0;
    for (int64_t e = first(i); e < last(i); ++e) sum += weight_of(e);
    if (sum != 0 && !(sum >= 1e-300 && sum <= 1e300))
      fail("graph", "expected weights whose sum at a node is between 1e-300 and 1e300, got ", sum,
           " at node ", i);
    out.push_back(sum);
  }
  return out;
}

Adjacency adjacency(std::string_view where, const Graph& graph) {
  check(where, graph);
  return in_rows(where, entries_of(graph), graph.nodes, graph.duplicates);
}

Adjacency in_order(const Adjacency& a, const std::vector<int32_t>& order) {
  std::vector<int32_t> number(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    number[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
  Adjacency out;
  out.to.reserve(a.to.size()), out.weight.reserve(a.weight.size());
  for (const int32_t node : order) {
    for (int64_t e = a.first(node); e < a.last(node); ++e) {
      out.to.push_back(number[static_cast<size_t>(a.target(e))]);
      if (!a.weight.empty()) out.weight.push_back(a.weight_of(e));
    }
    out.begin.push_back(out.edges());
  }
  return out;
}

Adjacency reversed(const Adjacency& a) {
  Entries all{{}, {}, a.weight};
  for (int64_t i = 0; i < a.nodes(); ++i)
    for (int64_t e = a.first(i); e < a.last(i); ++e) all.add(a.target(e), i);
  return in_rows("", all, a.nodes(), Duplicates::once);
}

}  // namespace posenc::graph
