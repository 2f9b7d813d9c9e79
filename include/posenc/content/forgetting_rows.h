// forgetting_rows.h: data-dependent decay with separate gates for each query (x-transformers).
//
// Separate small queries and keys, projected from the layer's input, give every query a log gate
// for every key before it. The term is the sum of the gates from the key up to the query:
//
//   f_it = gate_scale ln sigmoid(q_i . k_t / sqrt(dim))     key t before query i; otherwise 0
//   term_j = f_ij + f_i,j+1 + ..                            over keys in the given order
#pragma once

#include "posenc/content/reads.h"

namespace POSENC_PUBLIC posenc {

struct ForgettingRows {
  static constexpr std::string_view name = "forgetting-rows";
  static constexpr std::string_view about = "scores fall by gates that each query sets for itself";
  static constexpr std::string_view used_by = "x-transformers (data-dependent ALiBi)";

  int64_t dim = 8;
  double gate_scale = 1;
  static constexpr int64_t heads = 0;  // any number

  static Fields fields();
  static std::vector<Preset<ForgettingRows>> presets();
  void check() const;
  std::vector<Weight> weights() const { return {}; }
  ContentReads reads() const { return {.dim = dim, .q = true, .k = true, .hidden = true}; }
  TermFormula formula(const WeightLists&) const;
};

}  // namespace posenc
