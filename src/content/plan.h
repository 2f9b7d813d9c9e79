// plan.h: what the plan of a content term holds.
#pragma once

#include "base/kept.h"
#include "base/on_devices.h"
#include "base/scratch.h"
#include "content/formula.h"
#include "posenc/content/verbs.h"

namespace posenc {

// Rows [heads, range.count, dim] of all distances of a range.
template <class C>
struct ProjectedRows {
  Range range;
  Scratch<C> memory;
};

struct ContentPlan::Parts {
  // Numbers in one compute type.
  template <class C>
  struct Typed {
    std::vector<std::vector<C>> weights{};  // tables with as many rows as are read
    Kept<ProjectedRows<C>> rows{};          // of projected sinusoids, for the CPU
    OnDevices copies{};                     // of the weights
  };

  std::string_view name;  // of the scheme
  int64_t heads;
  ContentReads reads;
  TermFormula formula;
  std::vector<std::vector<int64_t>> shapes{};  // of the weights
  Typed<float> f32{};
  Typed<double> f64{};

  template <class C>
  const Typed<C>& typed() const {
    if constexpr (std::is_same_v<C, double>) return f64;
    if constexpr (std::is_same_v<C, float>) return f32;
  }
};

}  // namespace posenc
