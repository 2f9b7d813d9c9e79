// fill.cc: tables of graphs.
#include "posenc/graph.h"

#include "graph/table.h"
#include "schemes.h"

namespace posenc::graph {

int64_t columns(const Scheme& scheme, const Graph& graph) {
  return std::visit([&](const auto& s) { return s.columns(graph); }, scheme);
}

void fill(const Scheme& scheme, const Graph& graph, const Tensor& table) {
  std::visit(
      [&](const GraphScheme auto& s) {
        s.check();
        check(s.name, graph);
        check_table(s.name, table, graph.nodes, s.columns(graph), s.is_integral());
        s.write(graph, table);
      },
      scheme);
}

void fill(const Laplacian& s, const Spectrum& known, const Tensor& table) {
  s.check();
  const int64_t nodes = std::ssize(known.component);
  if (known.columns != s.dim || std::ssize(known.vectors) != nodes * s.dim)
    fail(s.name, "expected a spectrum of ", s.dim, " columns, got one of ", known.columns);
  check_table(s.name, table, nodes, s.columns({}), false);
  for (int64_t i = 0; i < nodes; ++i)
    for (int64_t c = 0; c < s.dim; ++c) {
      const double x = known.vectors[static_cast<size_t>(i * s.dim + c)];
      put(table, i, c, x);
      if (s.sign == Sign::both) put(table, i, s.dim + c, -x);
    }
}

namespace {

const Alias* alias_of(std::string_view name) {
  for (const Alias& alias : aliases())
    if (alias.name == name) return &alias;
  return nullptr;
}

}  // namespace

Scheme make_scheme(std::string_view name, const Options& options) {
  return from_options<Scheme>(name, options, alias_of(name));
}

Scheme scheme_from_json(std::string_view name, std::string_view json) {
  return from_json<Scheme>(name, json, alias_of(name));
}

SchemeInfo info(const Scheme& scheme) {
  SchemeInfo out = described(scheme);
  out.family = "graph", out.acts_on = "nodes";
  return out;
}

std::vector<SchemeInfo> schemes() {
  std::vector<SchemeInfo> out;
  for (const auto name : type_of<Scheme>.names) out.push_back(info(named<Scheme>(name)));
  return out;
}

}  // namespace posenc::graph
