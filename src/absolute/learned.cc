// learned.cc: a trained table of rows, one per position (BERT, GPT-2, ViT, ...).
#include "posenc/absolute/learned.h"

#include <cmath>

namespace posenc {

Fields Learned::fields() {
  using S = Learned;
  return {
      {"dim", &S::dim, "columns: the size of the embedding"},
      {"rows", &S::rows, "rows of the table"},
      {"offset", &S::offset, "position 0 reads this row"},
      {"padding", &S::padding, "a row that receives no gradient"},
      {"scale", &S::scale, "multiplies every row"},
      {"learned_scale", &S::learned_scale, "multiply rows by a learned number, `alpha`", "true"},
      {"gate", &S::gate, "what multiplies rows: alpha, its tanh, or 1 - tanh (rest)"}};
}

std::vector<Preset<Learned>> Learned::presets() {
  return {{"bert", "BERT base: 512 rows", {}},
          {"gpt2", "GPT-2: 1024 rows", {.rows = 1024}},
          {"roberta",
           "RoBERTa, XLM-R: 514 rows, the first token at padding_idx + 1 = 2",
           {.rows = 514, .offset = 2, .padding = 1}},
          {"bart", "BART, mBART: two rows more than positions", {.rows = 1026, .offset = 2}},
          {"opt", "OPT: two rows more than positions", {.rows = 2050, .offset = 2}},
          {"mllama-tiles",
           "Mllama: a row for each aspect ratio id and tile, at id x 4 + tile",
           {.dim = 1280, .rows = 36, .learned_scale = true, .gate = Gate::tanh}},
          {"mllama-tile-patches",
           "Mllama: a row for each patch of each tile, at (id x 4 + tile) x 1601 + patch",
           {.dim = 1280, .rows = 57636, .learned_scale = true, .gate = Gate::tanh}},
          {"mllama-patches",
           "Mllama: the patches of any tile, with the same alpha",
           {.dim = 1280, .rows = 1601, .learned_scale = true, .gate = Gate::rest}},
          {"abacus", "Abacus: the place of a digit in its number, from digits()", {.rows = 1024}}};
}

void Learned::check() const {
  check_size(name, "dim", dim);
  if (rows < 1 || rows > INT64_MAX / 8 / dim)
    fail(name, "expected rows of at least 1 that fit 64 bits, got ", rows);
  check_offset(name, offset);
  if (padding && (*padding < 0 || *padding >= rows))
    fail(name, "expected padding to be a row from 0 to ", rows - 1, ", got ", *padding);
  check_finite(name, "scale", scale);
  if (gate != Gate::linear && !learned_scale)
    fail(name, "expected learned_scale with a gate of it, got none");
}

double Learned::gate_of(double alpha) const {
  if (gate == Gate::linear) return alpha;
  return gate == Gate::tanh ? std::tanh(alpha) : 1 - std::tanh(alpha);
}

double Learned::gate_slope(double alpha) const {
  if (gate == Gate::linear) return 1;
  const double slope = 1 - std::tanh(alpha) * std::tanh(alpha);
  return gate == Gate::tanh ? slope : -slope;
}

std::vector<Weight> Learned::weights() const {
  std::vector<Weight> out{{"table", {rows, dim}, 0, 0.02}};
  if (learned_scale) out.push_back({"alpha", {1}, gate == Gate::linear ? 1.0 : 0.0, 0});
  return out;
}

}  // namespace posenc
