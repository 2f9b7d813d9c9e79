// toy_term.h: every query meets one learned vector.
#pragma once

#include "posenc/content/reads.h"

namespace POSENC_PUBLIC posenc {

struct ToyTerm {
  static constexpr std::string_view name = "toy-term";
  static constexpr std::string_view about = "every query meets one learned vector";
  static constexpr std::string_view used_by = "nobody";

  int64_t dim = 4;
  static constexpr int64_t heads = 0;  // any number: they share the vector

  static Fields fields();
  static std::vector<Preset<ToyTerm>> presets();
  void check() const;
  ContentReads reads() const { return {.dim = dim, .q = true, .distance = true}; }
  TermFormula formula(const WeightLists&) const;
  std::vector<Weight> weights() const { return {{"table", {1, dim}, 0, 0.02}}; }
};

}  // namespace posenc
