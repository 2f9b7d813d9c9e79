// plan.h: what the plan of a content term holds.
#pragma once

#include <memory>

#include "base/on_devices.h"
#include "posenc/content/verbs.h"

namespace posenc {
namespace cpu {

template <class C>
class Term;
template <class C>
using TermPointer = std::shared_ptr<const Term<C>>;
// One list of numbers for each of the scheme's weights(), in row-major order; they outlive the
// term.
template <class C>
using WeightLists = std::vector<std::vector<C>>;

// What the CPU makes of a scheme S, in its compute types: in src/cpu/terms/, in a file of its name.
template <class C, class S>
TermPointer<C> make_term(const S& scheme, const WeightLists<C>& weights);

}  // namespace cpu

struct ContentPlan::Parts {
  // Weights and the term that reads them, in one compute type.
  template <class C>
  struct Typed {
    cpu::WeightLists<C> weights{};
    cpu::TermPointer<C> term{};
    OnDevices copies{};  // of all that
  };

  std::string_view name;               // of the scheme
  std::shared_ptr<const void> scheme;  // as() knows what it is
  int64_t heads;
  ContentReads reads;
  std::vector<std::vector<int64_t>> shapes{};  // of the weights
  Typed<float> f32{};
  Typed<double> f64{};

  // The scheme where it is an S, or null.
  template <class S>
  const S* as() const {
    return name == S::name ? static_cast<const S*>(scheme.get()) : nullptr;
  }
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
