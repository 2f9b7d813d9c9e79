// cope.h: contextual position encoding (Golovneva et al., 2024).
//
// Each key has a gate between 0 and 1. The position of a key is the sum of the gates from that key
// up to the query, so it counts the keys that the query selects. The term reads a learned table:
//
//   g_t = sigmoid(score of key t)     p_j = min(g_j + g_j+1 + ..., positions - 1)
//   term_j = (1 - w) q . E[floor p_j] + w q . E[ceil p_j],  w = p_j - floor p_j
//
// With a temperature `soft`, all rows n are mixed by softmax(-|p_j - n| / soft) (x-transformers).
// Sums run over keys in the given order; with a causal mask, keys after the query have no gate. The
// authors' code adds the term before the division by sqrt(dim) (ScaleOn::sum), x-transformers after
// it (ScaleOn::scores).
#pragma once

#include "posenc/content/reads.h"

namespace POSENC_PUBLIC posenc {

struct Cope {
  static constexpr std::string_view name = "cope";
  static constexpr std::string_view about = "positions count the keys that gates let pass";
  static constexpr std::string_view used_by = "CoPE (Golovneva et al. 2024), x-transformers";

  int64_t dim = 64;
  int64_t positions = 64;
  bool scaled_gates = true;
  double soft = 0;
  static constexpr int64_t heads = 0;  // any number: they share the table

  static Fields fields();
  static std::vector<Preset<Cope>> presets();
  void check() const;
  std::vector<Weight> weights() const { return {{"table", {positions, dim}, 0, 0}}; }
  ContentReads reads() const { return {.dim = dim, .q = true, .scores = true}; }
  TermFormula formula(const WeightLists&) const;
};

}  // namespace posenc
