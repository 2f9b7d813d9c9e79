// plan.h: what the plan of a content term holds.
#pragma once

#include "cpu/terms/term.h"

namespace posenc {

struct ContentPlan::Parts {
  // Weights and the term that reads them, in one compute type.
  template <class C>
  struct Typed {
    cpu::WeightLists<C> weights{};
    cpu::TermPointer<C> term{};
  };

  Content scheme;
  int64_t heads;
  ContentReads reads;
  std::vector<std::vector<int64_t>> shapes{};  // of the weights
  Typed<float> f32{};
  Typed<double> f64{};

  template <class C>
  const cpu::Term<C>& term() const {
    if constexpr (std::is_same_v<C, double>) return *f64.term;
    if constexpr (std::is_same_v<C, float>) return *f32.term;
  }
};

}  // namespace posenc
