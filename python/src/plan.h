// plan.h: schemes and plans as Python objects, and the verbs that other files give them.
#pragma once

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "arguments.h"

namespace posenc::python {

struct PythonPlan {
  Plan plan;
  Scheme scheme;
  std::vector<Given> weights;  // they must outlive a plan of `learned`
};

// The plan as one of a family.
template <class Family>
const Family& family_of(const char* verb, const char* family, const PythonPlan& given) {
  if (const auto* plan = std::get_if<Family>(&given.plan)) return *plan;
  fail(verb, "expected the plan of ", family, " scheme, got that of ", info(given.scheme).name);
}

using PlanClass = nb::class_<PythonPlan>;

// What a verb on scores takes beside its tensors, by these keywords.
struct ScoreArguments {
  Where queries, keys;
  ScoreOptions options;
  ScoreArguments(nb::handle q, nb::handle k, std::optional<int64_t> first_head, bool causal,
                 double scale, std::string_view scale_on)
      : queries(q),
        keys(k),
        options{queries.positions(),
                keys.positions(),
                first_head,
                causal,
                scale,
                choice_of<ScaleOn>("scale_on", scale_on)} {}
};

void bind_schemes(nb::module_& m);
PlanClass bind_plans(nb::module_& m);
void bind_absolute(nb::module_& m, PlanClass& plan);
void bind_rotary(nb::module_& m, PlanClass& plan);
void bind_rotate_into(nb::module_& m, PlanClass& plan);
void bind_biases(nb::module_& m, PlanClass& plan);
void bind_content(PlanClass& plan);
void bind_attend(nb::module_& m, PlanClass& plan);
void bind_layouts(nb::module_& m);
void bind_positions(nb::module_& m);
void bind_models(nb::module_& m);
void bind_graphs(nb::module_& m);
void bind_graph_biases(nb::module_& m);
void bind_convolutions(nb::module_& m);
void bind_device_weights(nb::module_& m, PlanClass& plan);
void bind_shift(nb::module_& m);

nb::object value_of(const Value& value);

}  // namespace posenc::python
