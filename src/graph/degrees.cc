// degrees.cc: how many edges a node has.
#include "posenc/graph/degrees.h"

#include <algorithm>
#include <cmath>

#include "graph/fill.h"
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

int64_t columns_of(const Degrees& s, const Graph&) { return s.direction == Degree::both ? 2 : 1; }

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

void fill_checked(const Degrees& s, const Graph& graph, const Tensor& table) {
  if (!s.weighted && graph.duplicates == Duplicates::sum)
    fail(ErrorKind::option, s.name,
         "expected weighted degrees where duplicates add their weights, got counts of edges");
  const Adjacency out = adjacency(s.name, graph);
  if (s.direction == Degree::out) return fill_column(s, out, table, 0);
  fill_column(s, reversed(out), table, 0);
  if (s.direction == Degree::both) fill_column(s, out, table, 1);
}

bool is_whole(const Degrees& s) {
  return !s.weighted && (!s.most || *s.most == std::floor(*s.most));
}

}  // namespace posenc::graph
