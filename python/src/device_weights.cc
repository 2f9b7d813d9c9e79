// device_weights.cc: plans whose weights stay on a CUDA device.
#include "posenc/device_weights.h"

#include "plan.h"

namespace posenc::python {
namespace {

// A plan for weights that come later, or none where they are read otherwise.
template <class Family>
bool prepared(const Scheme& scheme, int device, std::optional<Plan>& out) {
  const auto one = as_family<Family>(scheme);
  if (!one || !can_follow_weights(*one)) return false;
  out = prepare_for_weights(*one, device);
  return true;
}

nb::object blank(const Scheme& scheme, Argument<int, "cuda_device"> device) {
  std::optional<Plan> plan;
  {
    const Released others;
    static_cast<void>(prepared<Absolute>(scheme, device, plan) ||
                      prepared<Rope>(scheme, device, plan) || prepared<Bias>(scheme, device, plan));
  }
  return plan ? nb::cast(PythonPlan{std::move(*plan), scheme, {}}) : nb::none();
}

PythonPlan filled(const PythonPlan& blank, nb::handle weights) {
  GivenList list(weights);
  Plan plan = std::visit(
      [&](const auto& p) -> Plan {
        if constexpr (requires { with_weights(p, list.tensors); })
          return with_weights(p, list.tensors);
        fail("with_weights", "expected a plan of prepare_for_weights(), got another");
      },
      blank.plan);
  return {std::move(plan), blank.scheme, std::move(list.all)};
}

}  // namespace

void bind_device_weights(nb::module_& m, PlanClass& plan) {
  m.def(
      "prepare_for_weights", blank, arg("scheme"), arg("cuda_device"),
      "A plan whose weights stay on that device, or None for a scheme that reads them otherwise.");
  plan.def("with_weights", filled, arg("weights"));
}

}  // namespace posenc::python
