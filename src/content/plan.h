// plan.h: what the plan of a content term holds.
#pragma once

#include "base/on_devices.h"
#include "cpu/terms/term.h"

namespace posenc {

struct ContentPlan::Parts {
  // Weights and the term that reads them, in one compute type.
  template <class C>
  struct Typed {
    cpu::WeightLists<C> weights{};
    cpu::TermPointer<C> term{};
    OnDevices copies{};  // of all that
  };

  Content scheme;
  int64_t heads;
  ContentReads reads;
  std::vector<std::vector<int64_t>> shapes{};  // of the weights
  Typed<float> f32{};
  Typed<double> f64{};

  template <class C>
  const Typed<C>& typed() const {
    if constexpr (std::is_same_v<C, double>) return f64;
    if constexpr (std::is_same_v<C, float>) return f32;
  }
  template <class C>
  const cpu::Term<C>& term() const {
    return *typed<C>().term;
  }
};

}  // namespace posenc
