// plans.cc: what plans tell of themselves.
#include "facts.h"
#include "plan.h"

namespace posenc::python {
namespace {

// f of the plan, or None for a plan of another family.
template <class Family, class F>
nb::object told(const PythonPlan& given, const F& f) {
  const auto* plan = std::get_if<Family>(&given.plan);
  return plan ? nb::cast(f(*plan)) : nb::none();
}

nb::object dim_of(const PythonPlan& p) {
  if (const auto* rotary = std::get_if<RotaryPlan>(&p.plan)) return nb::cast(rotary->scheme().dim);
  return told<AbsolutePlan>(p, [](const auto& plan) { return plan.dim(); });
}
nb::object axes_of(const PythonPlan& p) {
  if (const auto* rotary = std::get_if<RotaryPlan>(&p.plan)) return nb::cast(rotary->axes());
  if (const auto* bias = std::get_if<BiasPlan>(&p.plan)) return nb::cast(bias->axes());
  return told<AbsolutePlan>(p, [](const auto& plan) { return plan.axes(); });
}
nb::object heads_of(const PythonPlan& p) {
  if (const auto* content = std::get_if<ContentPlan>(&p.plan)) return nb::cast(content->heads());
  return told<BiasPlan>(p, [](const auto& plan) { return plan.heads(); });
}
// Of a bias one word; of a term the tensors it reads.
nb::object reads_of(const PythonPlan& p) {
  if (const auto* bias = std::get_if<BiasPlan>(&p.plan)) switch (bias->reads()) {
      case Reads::distance:
        return nb::str("distance");
      case Reads::key:
        return nb::str("key");
      default:
        return nb::str("both");
    }
  return told<ContentPlan>(p, [](const ContentPlan& plan) {
    const ContentReads reads = plan.reads();
    std::vector<std::string> out;
    if (reads.q) out.emplace_back("q");
    if (reads.k) out.emplace_back("k");
    if (reads.gates) out.emplace_back("gates");
    return out;
  });
}
PlanFacts facts(const PythonPlan& p) {
  if (const auto* absolute = std::get_if<AbsolutePlan>(&p.plan)) return facts_of(*absolute);
  const auto* bias = std::get_if<BiasPlan>(&p.plan);
  return bias ? facts_of(*bias) : PlanFacts{};
}
std::vector<double> frequencies_of(const RotaryPlan& plan) {
  std::vector<double> out;
  for (const Frequency& f : plan.frequencies()) out.push_back(radians(f));
  return out;
}

}  // namespace

PlanClass bind_plans(nb::module_& m) {
  PlanClass plan(m, "Plan",
                 "A scheme with what is worth keeping; many threads may use it at once.");
  plan.def_prop_ro("scheme", [](const PythonPlan& p) { return p.scheme; })
      .def_prop_ro("name", [](const PythonPlan& p) { return info(p.scheme).name; })
      .def_prop_ro("family", [](const PythonPlan& p) { return info(p.scheme).family; })
      .def_prop_ro("dim", dim_of)
      .def_prop_ro("axes", axes_of)
      .def_prop_ro("heads", heads_of)
      .def_prop_ro("reads", reads_of)
      .def_prop_ro("tables", [](const PythonPlan& p) { return facts(p).tables; })
      .def_prop_ro("is_linear", [](const PythonPlan& p) { return facts(p).is_linear; })
      .def_prop_ro("is_table", [](const PythonPlan& p) { return facts(p).is_table; })
      .def_prop_ro("is_straight", [](const PythonPlan& p) { return facts(p).is_straight; })
      .def_prop_ro("is_network", [](const PythonPlan& p) { return facts(p).is_network; })
      .def_prop_ro("row_dim", [](const PythonPlan& p) { return rows_of(p.plan).dim(); })
      .def_prop_ro("max_length",
                   [](const PythonPlan& p) {
                     return told<RotaryPlan>(p, [](const auto& r) { return r.max_length(); });
                   })
      .def_prop_ro("cos_sin_factor",
                   [](const PythonPlan& p) {
                     return told<RotaryPlan>(p, [](const auto& r) { return r.cos_sin_factor(); });
                   })
      .def_prop_ro("softmax_factor",
                   [](const PythonPlan& p) {
                     return told<RotaryPlan>(p, [](const auto& r) { return r.softmax_factor(); });
                   })
      .def("frequencies", [](const PythonPlan& p) { return told<RotaryPlan>(p, frequencies_of); });
  return plan;
}

}  // namespace posenc::python
