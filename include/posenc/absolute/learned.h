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

  static Fields fields();
  static std::vector<Preset<Learned>> presets();
  void check() const;
  int64_t axes() const { return 1; }
  std::vector<Weight> weights() const;
};

}  // namespace posenc
