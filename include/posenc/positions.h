// positions.h: where each token stands.
//
// Positions are whole numbers or doubles, never a tensor of the activation's type: bf16 counts
// exactly only to 256, f32 to 2^24. They are [axes, rows, tokens]; one row serves the whole batch.
#pragma once

#include <cstdint>

#include "posenc/tensor.h"

namespace posenc {

struct Positions {
  int64_t first = 0;  // without ids: token t stands at first + t, on every axis
  Tensor ids;         // i32, i64 or f64 [axes, rows, tokens]; rank 0 means a range
  bool is_range() const { return ids.rank == 0; }
};

// 0, 1, 2, ... from `first` on; any number of tokens.
Positions range(int64_t first = 0);

// Explicit positions: [tokens] shared by all rows of the batch, [rows, tokens] or [axes, rows,
// tokens]; i32, i64 or f64. The memory must outlive the call that uses it.
Positions positions(const Tensor& ids);

}  // namespace posenc
