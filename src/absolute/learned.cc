// learned.cc: a trained table of rows, one per position (BERT, GPT-2, ViT, ...).
#include "posenc/absolute/learned.h"

namespace posenc {

Fields Learned::fields() {
  using S = Learned;
  return {
      {"dim", &S::dim, "columns: the size of the embedding"},
      {"rows", &S::rows, "rows of the table"},
      {"offset", &S::offset, "position 0 reads this row"},
      {"padding", &S::padding, "a row that receives no gradient"},
      {"scale", &S::scale, "multiplies every row"},
      {"learned_scale", &S::learned_scale, "multiply rows by a learned number, `alpha`", "true"}};
}

std::vector<Preset<Learned>> Learned::presets() {
  return {{"bert", "BERT base: 512 rows", {}},
          {"gpt2", "GPT-2: 1024 rows", {.rows = 1024}},
          {"roberta",
           "RoBERTa, XLM-R: 514 rows, the first token at padding_idx + 1 = 2",
           {.rows = 514, .offset = 2, .padding = 1}},
          {"bart", "BART, mBART: two rows more than positions", {.rows = 1026, .offset = 2}},
          {"opt", "OPT: two rows more than positions", {.rows = 2050, .offset = 2}}};
}

void Learned::check() const {
  check_size(name, "dim", dim);
  if (rows < 1 || rows > INT64_MAX / 8 / dim)
    fail(name, "expected rows of at least 1 that fit 64 bits, got ", rows);
  check_offset(name, offset);
  if (padding && (*padding < 0 || *padding >= rows))
    fail(name, "expected padding to be a row from 0 to ", rows - 1, ", got ", *padding);
  check_finite(name, "scale", scale);
}

std::vector<Weight> Learned::weights() const {
  std::vector<Weight> out{{"table", {rows, dim}, 0, 0.02}};
  if (learned_scale) out.push_back({"alpha", {1}, 1, 0});
  return out;
}

}  // namespace posenc
