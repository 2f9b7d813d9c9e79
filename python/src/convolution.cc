// convolution.cc: convolutions over neighbours, and their plans.
#include "posenc/convolution.h"

#include "plan.h"
#include "told.h"

namespace posenc::python {
namespace {

using nb::handle;
using nb::none;

struct ConvolvingPlan {
  ConvolutionPlan plan;  // weights are read when it is made
  Convolution scheme;
};

ConvolvingPlan plan_of(const Convolution& scheme, handle weights) {
  const GivenList list(weights);
  const Released others;
  return {prepare(scheme, {.weights = list.tensors}), scheme};
}

void convolve_to(const ConvolvingPlan& plan, handle x, handle out, Whole<"height"> height,
                 Whole<"width"> width, Flag<"add_input"> add_input) {
  const Given in = output(x), to = given(out);
  const Released others;
  convolve(plan.plan, in.tensor, to.tensor.rank ? to.tensor : in.tensor,
           {height, width, add_input});
}

void convolution_gradients(const ConvolvingPlan& plan, handle x, handle dout, handle dx,
                           handle dweights, Whole<"height"> height, Whole<"width"> width,
                           Flag<"add_input"> add_input) {
  const Given in = output(x), from = output(dout), to = given(dx);
  const GivenList list(dweights);
  const Released others;
  convolve_backward(plan.plan, in.tensor, from.tensor, to.tensor, list.tensors,
                    {height, width, add_input});
}

}  // namespace

void bind_convolutions(nb::module_& m) {
  nb::class_<Convolution>(m, "Convolution", "A convolution with its options.")
      .def(
          "__init__",
          [](Convolution* self, Word<"name"> name, Word<"json"> json) {
            new (self) Convolution(convolution_from_json(name, json));
          },
          arg("name"), arg("json") = "{}")
      .def_prop_ro("name", [](const Convolution& s) { return std::string(s.name); })
      .def("to_json", [](const Convolution& s) { return to_json(info(s).options); })
      .def("info", [](const Convolution& s) { return dict_of(info(s)); })
      .def("weights", [](const Convolution& s) { return list_of(s.weights()); })
      .def("prepare", plan_of, arg("weights") = none());
  nb::class_<ConvolvingPlan>(m, "ConvolutionPlan", "A convolution with its weights.")
      .def_prop_ro("scheme", [](const ConvolvingPlan& p) { return p.scheme; })
      .def("convolve", convolve_to, arg("x"), arg("out") = none(), arg("height") = 0,
           arg("width") = 0, arg("add_input") = true)
      .def("convolve_backward", convolution_gradients, arg("x"), arg("dout"), arg("dx") = none(),
           arg("dweights") = none(), arg("height") = 0, arg("width") = 0, arg("add_input") = true);
  m.def("is_convolution", &is_convolution, arg("name"));
}

}  // namespace posenc::python
