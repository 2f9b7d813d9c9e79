// positions.h: the positions of tokens (position ids).
//
// Positions are integers or doubles, never a tensor of the activations' type: bf16 is exact only up
// to 256, f32 up to 2^24. Their shape is [axes, rows, tokens]; a single row is for the whole batch.
//
// Functions in posenc/positions/ make them: sequence.h for batches, caches and packed
// sequences, padding.h for masks, shard.h for context parallelism, grid.h and coordinates.h for
// images, segments.h for text mixed with images and videos.
#pragma once

#include <cstdint>
#include <vector>

#include "posenc/tensor.h"

namespace POSENC_PUBLIC posenc {

struct Positions {
  int64_t first = 0;  // without ids: token t is at first + t, on every axis
  Tensor ids;         // i32, i64 or f64 [axes, rows, tokens]; rank 0 means a range
  bool is_range() const { return ids.rank == 0; }
  bool is_shared() const { return is_range() || ids.size(1) == 1; }  // by all rows of the batch
};

// 0, 1, 2, ... from `first` on; any number of tokens.
Positions range(int64_t first = 0);

// Explicit positions: [tokens] shared by all rows of the batch, [rows, tokens] or [axes, rows,
// tokens]; i32, i64 or f64. The memory must outlive the call that uses it.
Positions positions(const Tensor& ids);

// Positions that own their numbers. They convert to Positions, which every function takes and which
// they must outlive.
template <class T>
struct Planned {
  int64_t axes = 1, rows = 1, tokens = 0;
  std::vector<T> ids{};  // [axes, rows, tokens]

  T at(int64_t axis, int64_t row, int64_t token) const {
    return ids[static_cast<size_t>((axis * rows + row) * tokens + token)];
  }
  Tensor view() const { return tensor(ids.data(), {axes, rows, tokens}); }
  operator Positions() const { return positions(view()); }
  bool operator==(const Planned&) const = default;
};
using PlannedPositions = Planned<int64_t>;
using PlannedCoordinates = Planned<double>;

// first, first + 1, ... for `tokens` tokens.
PlannedPositions range(int64_t first, int64_t tokens);

}  // namespace posenc
