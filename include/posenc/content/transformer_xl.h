// transformer_xl.h: projected sinusoids of the distance (Dai et al., 2019); XLNet, Conformer.
//
//   scores[i, j] += u . k_j + (q_i + v) . W R(i - j)
//
// R: a row of sinusoids of the distance, positive for a key before the query; W, u and v are
// learned for each head. The distance may have either sign, so the term is also right without a
// causal mask.
//
// `legacy` reproduces the values above the diagonal of the original code, which shifts a matrix of
// the distances keys - 1 .. 0 only (espnet's legacy attention, Transformer-XL itself): 0 for the
// key after the query, and (q_{i+1} + v) . W R(keys + 1 - (j - i)) for keys after that.
#pragma once

#include "posenc/absolute/sinusoidal.h"
#include "posenc/content/reads.h"

namespace POSENC_PUBLIC posenc {

struct TransformerXl {
  static constexpr std::string_view name = "transformer-xl";
  static constexpr std::string_view about = "projected sinusoids of the distance, times the query";
  static constexpr std::string_view used_by =
      "Transformer-XL, XLNet, Funnel, Conformer, Gemma 3n (audio)";

  int64_t dim = 64;
  int64_t heads = 8;
  Sinusoidal sinusoids{.order = Order::halves};
  int64_t clamp_len = 0;
  bool biases = true;
  bool legacy = false;

  static Fields fields();
  static std::vector<Preset<TransformerXl>> presets();
  void check() const;
  ContentReads reads() const { return {.dim = dim, .q = true, .k = biases, .distance = true}; }
  TermFormula formula(const WeightLists&) const;
  // projection: rows of a linear layer [heads * dim, sinusoids.dim], head after head.
  std::vector<Weight> weights() const;
};

}  // namespace posenc
