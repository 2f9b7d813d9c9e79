// facts.h: what the form of a bias tells of it.
#pragma once

#include "relative/plan.h"

namespace posenc {

// How biases follow from the weights and the distance.
struct BiasFacts {
  bool is_table = false;     // one entry of a weight, which the distance or the pair names
  bool is_linear = false;    // a linear function of the weights
  bool is_straight = false;  // a slope times the distance, or times the key
  bool is_network = false;   // a deep network of the distance
};

namespace detail {
template <class Rows>
BiasFacts facts_of(const forms::Table<Rows>&) {
  return {.is_table = true, .is_linear = true};
}
inline BiasFacts facts_of(const forms::Slopes& s) {
  return {.is_linear = true, .is_straight = s.rounding == AlibiRounding::none && !s.square_root};
}
inline BiasFacts facts_of(const forms::DistanceNetwork&) { return {.is_network = true}; }
template <class Form>
BiasFacts facts_of(const Form&) {
  return {};
}
}  // namespace detail

inline BiasFacts facts_of(const BiasPlan& plan) {
  return std::visit([](const auto& form) { return detail::facts_of(form); },
                    plan.parts().formula.form);
}

}  // namespace posenc
