// learned.h: a trained table of rows, one per position (BERT, GPT-2, ViT, ...).
//
//   row(p) = scale * table[p + offset]
//
// Models disagree on which row the first token reads: BART and OPT skip two rows, RoBERTa counts
// from padding_idx + 1. That is `offset`; rows - offset positions are usable, and a position
// outside is an error, never a read past the table.
#pragma once

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

struct Learned {
  static constexpr std::string_view name = "learned";
  static constexpr std::string_view about = "a trained table of rows, one per position";

  int64_t dim = 768;
  int64_t rows = 512;
  int64_t offset = 0;
  std::optional<int64_t> padding{};
  double scale = 1;
  bool learned_scale = false;

  static constexpr auto fields() {
    using S = Learned;
    return std::tuple{
        Field{"dim", &S::dim, "columns: the size of the embedding"},
        Field{"rows", &S::rows, "rows of the table"},
        Field{"offset", &S::offset, "position 0 reads this row"},
        Field{"padding", &S::padding, "a row that receives no gradient"},
        Field{"scale", &S::scale, "multiplies every row"},
        Field{"learned_scale", &S::learned_scale, "multiply rows by a learned number, `alpha`"}};
  }

  static std::vector<Preset<Learned>> presets() {
    return {{"bert", "BERT base: 512 rows", {}},
            {"gpt2", "GPT-2: 1024 rows", {.rows = 1024}},
            {"roberta",
             "RoBERTa, XLM-R: 514 rows, the first token at padding_idx + 1 = 2",
             {.rows = 514, .offset = 2, .padding = 1}},
            {"bart", "BART, mBART: two rows more than positions", {.rows = 1026, .offset = 2}},
            {"opt", "OPT: two rows more than positions", {.rows = 2050, .offset = 2}}};
  }

  void check() const {
    check_size(name, "dim", dim);
    if (rows < 1 || rows > INT64_MAX / 8 / dim)
      fail(name, "expected rows of at least 1 that fit 64 bits, got ", rows);
    check_offset(name, offset);
    if (padding && (*padding < 0 || *padding >= rows))
      fail(name, "expected padding to be a row from 0 to ", rows - 1, ", got ", *padding);
    check_finite(name, "scale", scale);
  }

  int64_t axes() const { return 1; }
  std::vector<Weight> weights() const {
    std::vector<Weight> out{{"table", {rows, dim}, 0, 0.02}};
    if (learned_scale) out.push_back({"alpha", {1}, 1, 0});
    return out;
  }
};

}  // namespace posenc
