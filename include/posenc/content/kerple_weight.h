// kerple_weight.h: KERPLE's weight form (Chi et al., 2022): scores times a kernel of the distance.
//
//   score exp(-a |r|^p)
//
// The authors' code multiplies scores by the kernel before it adds the bias of `kerple --form
// power`. Their variants without a or without p are those with a = 1 or p = 1.
#pragma once

#include "posenc/content/reads.h"

namespace POSENC_PUBLIC posenc {

struct KerpleWeight {
  static constexpr std::string_view name = "kerple-weight";
  static constexpr std::string_view about = "scores times a learned kernel of the distance";
  static constexpr std::string_view used_by =
      "KERPLE (Chi et al. 2022), the weight form of its code";

  int64_t heads = 8;
  bool clamp = true;

  static Fields fields();
  static std::vector<Preset<KerpleWeight>> presets();
  void check() const;
  std::vector<Weight> weights() const {
    return {{"a", {heads}, 0.5, 0.25}, {"p", {heads}, 1, 0.5}};
  }
  ContentReads reads() const { return {.scores = true}; }
  TermFormula formula(const WeightLists& weights) const;
};

}  // namespace posenc
