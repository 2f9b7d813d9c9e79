// graph_bias.cc: Graphormer's biases of scores between nodes.
#include "plan.h"
#include "posenc/graph.h"
#include "told.h"

namespace posenc::python {
namespace {

using graph::Graph;
using graph::SpatialBias;
using nb::handle;
using nb::none;

void make_bias(SpatialBias* self, Whole<"heads"> heads, Whole<"distances"> distances,
               Flag<"graph_token"> graph_token, Whole<"edge_ids"> edge_ids,
               Whole<"max_hops"> max_hops) {
  const SpatialBias made{heads, distances, graph_token, edge_ids, max_hops};
  made.check();
  new (self) SpatialBias(made);
}

using BiasVerb = void (*)(const SpatialBias&, const Graph&, std::span<const Tensor>, const Tensor&,
                          const Tensor&);

template <BiasVerb verb>
void write(const SpatialBias& s, const Graph& g, handle weights, handle out, handle edge_ids) {
  const GivenList list(weights);
  const Given to = output(out), ids = given(edge_ids);
  const Released others;
  verb(s, g, list.tensors, to.tensor, ids.tensor);
}

void bias_gradients(const SpatialBias& s, const Graph& g, handle weights, handle dout,
                    handle dweights, handle edge_ids) {
  const GivenList list(weights), sums(dweights);
  const Given from = output(dout), ids = given(edge_ids);
  const Released others;
  graph::backward_bias(s, g, list.tensors, from.tensor, sums.tensors, ids.tensor);
}

}  // namespace

void bind_graph_biases(nb::module_& m) {
  nb::class_<SpatialBias>(m, "SpatialBias", "Biases of scores between the nodes of a graph.")
      .def("__init__", make_bias, arg("heads"), arg("distances"), arg("graph_token"),
           arg("edge_ids"), arg("max_hops"))
      .def("weights", [](const SpatialBias& s) { return list_of(s.weights()); })
      .def("tokens", [](const SpatialBias& s, const Graph& g) { return s.tokens(g); })
      .def("fill", write<graph::fill_bias>, arg("graph"), arg("weights"), arg("out"),
           arg("edge_ids") = none())
      .def("add", write<graph::add_bias>, arg("graph"), arg("weights"), arg("scores"),
           arg("edge_ids") = none())
      .def("backward", bias_gradients, arg("graph"), arg("weights"), arg("dout"), arg("dweights"),
           arg("edge_ids") = none());
}

}  // namespace posenc::python
