// padding.h: from a mask (1: a token, 0: padding) to positions.
//
//   mask             0 0 1 1 1    1 1 1 0 0
//   transformers     0 0 0 1 2    0 1 2 0 0    padding is at 0
//   transformers-4   1 1 0 1 2    0 1 2 1 1    ... at 1: before version 5
//   roberta         -1-1 0 1 2    0 1 2-1-1    for schemes with offset 2, like the preset
//   fairseq, opt    -1-1 0 1 2    0 1 2-1-1    the same
//   roberta-rows     1 1 2 3 4    2 3 4 1 1    row numbers, for schemes with offset 0
//   fairseq-rows, opt-rows                     the same
//
// A scheme adds its offset to positions. These three models read row 2 for the first token and row
// 1, their padding_idx, for padding. `learned --preset roberta` and the others have offset 2,
// so their positions count from 0. In Transformers, RoBERTa's position_ids are row numbers, OPT's
// are positions. Attention masks padding, so its positions matter only when tables are
// compared.
#pragma once

#include "posenc/field.h"
#include "posenc/positions.h"

namespace POSENC_PUBLIC posenc {

// The n-th token of a row (n from 0) is at first + n, padding is at padded.
struct Padding {
  int64_t first = 0;
  int64_t padded = 0;

  static std::vector<Preset<Padding>> presets();
};

// Row numbers for a table with any padding_idx: the first token reads row padding_idx + 1.
constexpr Padding padding_rows(int64_t padding_idx) { return {padding_idx + 1, padding_idx}; }

// mask: i32 or i64 [tokens] or [rows, tokens], only 0 and 1. The first `past` slots of every row
// are already in the cache: they are counted but not returned.
PlannedPositions padded(const Tensor& mask, const Padding& rule = {}, int64_t past = 0);

}  // namespace posenc
