// graph_picture.cc: a graph, coloured by numbers of its nodes.
#include "cli/graph/graph_picture.h"

#include <algorithm>
#include <cmath>

#include "cli/error.h"

namespace posenc::cli {
namespace {

constexpr size_t most_edges = 100'000;

// Moves the numbers of each component into [0, 1].
void spread_out(std::vector<double>& all, const std::vector<int64_t>& component, int64_t count) {
  std::vector<double> low(static_cast<size_t>(count), 1), high(static_cast<size_t>(count), -1);
  for (size_t i = 0; i < all.size(); ++i) {
    const auto c = static_cast<size_t>(component[i]);
    low[c] = std::min(low[c], all[i]), high[c] = std::max(high[c], all[i]);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const auto c = static_cast<size_t>(component[i]);
    const double width = high[c] - low[c];
    all[i] = width > 1e-9 ? (all[i] - low[c]) / width : 0.5;
  }
}

}  // namespace

draw::Network draw_graph(const graph::Graph& g, std::vector<double> values) {
  if (g.nodes < 1) refuse("expected a graph with nodes for a picture, got none");
  if (g.edges.size() > most_edges)
    refuse("expected at most ", most_edges, " edges for a picture, got ", g.edges.size());
  graph::Graph both_ways = g;
  both_ways.directed = false, both_ways.weights.clear();
  const auto places = spectrum({.dim = 2,
                                .normalization = graph::Normalization::random_walk,
                                .components = graph::Components::apart},
                               both_ways);
  draw::Network out;
  for (size_t i = 0; i < places.vectors.size(); i += 2)
    out.x.push_back(places.vectors[i]), out.y.push_back(places.vectors[i + 1]);
  const int64_t count = 1 + *std::max_element(places.component.begin(), places.component.end());
  spread_out(out.x, places.component, count), spread_out(out.y, places.component, count);
  const auto side = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  for (size_t i = 0; i < out.x.size(); ++i) {
    out.x[i] += 1.2 * static_cast<double>(places.component[i] % side);
    out.y[i] -= 1.2 * static_cast<double>(places.component[i] / side);
  }
  for (const auto& [from, to] : g.edges)
    if (from != to) out.links.emplace_back(static_cast<size_t>(from), static_cast<size_t>(to));
  out.values = std::move(values);
  return out;
}

}  // namespace posenc::cli
