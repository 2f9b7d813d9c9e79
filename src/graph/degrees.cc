// degrees.cc: how many edges a node has.
#include "posenc/graph/degrees.h"

#include <algorithm>
#include <cmath>

#include "graph/adjacency.h"
#include "graph/table.h"

namespace posenc::graph {

Fields Degrees::fields() {
  using S = Degrees;
  return {{"direction", &S::direction, "edges that leave, that arrive, or two columns: in, out"},
          {"weighted", &S::weighted, "sums of weights instead of counts"},
          {"most", &S::most, "larger ones count as this: the last row of a learned table"}};
}

std::vector<Preset<Degrees>> Degrees::presets() {
  return {
      {"adjacency", "sums of the rows of the adjacency matrix", {}},
      {"graphormer", "Graphormer: in and out degrees, at most 511", {Degree::both, false, 511.0}}};
}

void Degrees::check() const {
  check_choices(name, *this);
  if (most) check_positive(name, "most", *most);
}

namespace {

void fill_column(const Degrees& s, Adjacency a, const Tensor& table, int64_t column) {
  if (!s.weighted) a.weight.clear();
  const auto all = a.degrees();
  for (int64_t i = 0; i < a.nodes(); ++i) {
    const double d = all[static_cast<size_t>(i)];
    put(table, i, column, s.most ? std::min(d, *s.most) : d);
  }
}

}  // namespace

void Degrees::write(const Graph& graph, const Tensor& table) const {
  if (!weighted && graph.duplicates == Duplicates::sum)
    fail(ErrorKind::option, name,
         "expected weighted degrees where duplicates add their weights, got counts of edges");
  const Adjacency out = adjacency(name, graph);
  if (direction == Degree::out) return fill_column(*this, out, table, 0);
  fill_column(*this, reversed(out), table, 0);
  if (direction == Degree::both) fill_column(*this, out, table, 1);
}

bool Degrees::is_integral() const { return !weighted && (!most || *most == std::floor(*most)); }

}  // namespace posenc::graph
