// plan.h: what the plan of a content term holds.
#pragma once

#include "content/term.h"

namespace posenc {

struct ContentPlan::Parts {
  Content scheme;
  int64_t heads;
  ContentReads reads;
  std::vector<std::vector<int64_t>> shapes;  // of the weights
  WeightLists<double> weights;
  WeightLists<float> weights32;
};

template <class C>
const WeightLists<C>& weights_as(const ContentPlan::Parts& parts) {
  if constexpr (std::is_same_v<C, double>) return parts.weights;
  if constexpr (std::is_same_v<C, float>) return parts.weights32;
}

template <class C>
Term<C> make_term(const ContentPlan::Parts& parts, const TermCall& call) {
  return std::visit([&](const auto& s) { return make_term<C>(s, weights_as<C>(parts), call); },
                    parts.scheme);
}

}  // namespace posenc
