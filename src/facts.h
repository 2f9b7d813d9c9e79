// facts.h: what plans tell of their schemes, whatever the numbers of the weights are.
#pragma once

#include "absolute/plan.h"
#include "relative/plan.h"

namespace posenc {

// How rows or biases follow from the weights, and from positions or distances.
struct PlanFacts {
  bool is_table = false;     // entries of trained tables, which have none between whole positions
  bool is_linear = false;    // a linear function of the only weight
  bool is_straight = false;  // a bias is a slope times the distance, or times the key
  bool is_network = false;   // a bias is a deep network of the distance
  size_t tables = 0;         // how many of the first weights are tables that stay where they lie
};

namespace detail {
template <class Rows>
PlanFacts facts_of(const forms::BiasTable<Rows>&) {
  return {.is_table = true, .is_linear = true};
}
inline PlanFacts facts_of(const forms::Slopes& s) {
  return {.is_linear = true, .is_straight = s.rounding == AlibiRounding::none && !s.square_root};
}
inline PlanFacts facts_of(const forms::DistanceNetwork&) { return {.is_network = true}; }
template <class Form>
PlanFacts facts_of(const Form&) {
  return {};
}
}  // namespace detail

inline PlanFacts facts_of(const BiasPlan& plan) {
  PlanFacts out = std::visit([](const auto& form) { return detail::facts_of(form); },
                             plan.parts().formula.form);
  out.is_linear = out.is_linear && plan.parts().shapes.size() == 1;
  return out;
}

inline PlanFacts facts_of(const AbsolutePlan& plan) {
  const RowSource& rows = plan.parts();
  return {.is_table = (rows.table && rows.own_table.empty()) || !rows.lookups.list.empty(),
          .is_linear = rows.table && rows.shapes.size() == 1,
          .tables = (rows.table ? 1 : 0) + rows.lookups.tables.size()};
}

}  // namespace posenc
