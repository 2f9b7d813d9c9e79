// graph.cc: graphs, and tables with a row for each of their nodes.
#include "posenc/graph.h"

#include "plan.h"

namespace posenc::python {
namespace {

using graph::Graph;
using nb::handle;
using nb::none;

void make_graph(Graph* self, handle edges, handle weights, WholeOrNone<"nodes"> nodes,
                Flag<"directed"> directed, Word<"duplicates"> duplicates,
                Whole<"first_id"> first_id, Word<"edge_axis"> edge_axis) {
  const Given ids = output(edges), sizes = given(weights);
  const graph::EdgeOptions options{nodes, directed,
                                   choice_of<graph::Duplicates>("duplicates", duplicates), first_id,
                                   choice_of<graph::EdgeAxis>("edge_axis", edge_axis)};
  new (self) Graph(graph::from_edges(ids.tensor, options, sizes.tensor));
}

int64_t columns_of(const Graph& g, std::string_view name, std::string_view json) {
  return graph::columns(graph::scheme_from_json(name, json), g);
}

void fill_table(const Graph& g, std::string_view name, std::string_view json, handle table) {
  const graph::Scheme scheme = graph::scheme_from_json(name, json);
  const Given out = output(table);
  const Released others;
  graph::fill(scheme, g, out.tensor);
}

nb::tuple fill_spectrum(const Graph& g, std::string_view json, handle table) {
  const auto scheme = std::get<graph::Laplacian>(graph::scheme_from_json("laplacian", json));
  const Given out = output(table);
  graph::Spectrum found;
  {
    const Released others;
    found = graph::spectrum(scheme, g);
    graph::fill(scheme, found, out.tensor);
  }
  return nb::make_tuple(found.columns, found.values, found.component);
}

}  // namespace

void bind_graphs(nb::module_& m) {
  nb::class_<Graph>(m, "Graph", "How many nodes there are, and which are joined.")
      .def("__init__", make_graph, arg("edges"), arg("weights") = none(), arg("nodes") = none(),
           arg("directed") = false, arg("duplicates") = "once", arg("first_id") = 0,
           arg("edge_axis") = "found")
      .def_prop_ro("nodes", [](const Graph& g) { return g.nodes; })
      .def("columns", columns_of, arg("scheme"), arg("json") = "{}")
      .def("fill", fill_table, arg("scheme"), arg("json"), arg("table"))
      .def("spectrum", fill_spectrum, arg("json"), arg("table"));
}

}  // namespace posenc::python
