// positions_arg.h: positions as they are typed.
//
//   5           one position              0:4        0 1 2 3
//   0,3,100     a list                    0:100:10   0 10 20 ... 90
//   0.5,1.25    real numbers              0:4,100    parts of a list may be ranges
//   0,0.5;1,2   two axes: (0, 1) and (0.5, 2)
//   p.npy       a file: [tokens], [rows, tokens] or [axes, rows, tokens]
#pragma once

#include <string>
#include <string_view>

#include "model/array.h"
#include "posenc/positions.h"

namespace posenc::cli {

struct PositionList {
  int64_t count = 0, axes = 1;
  int64_t first = 0;  // of a run first, first + 1, ..., which has no ids
  Array ids{};        // i64 or f64 [axes, count]
  std::string typed{};
  int64_t rows = 1;  // of a batch, one after the other in `count`

  bool is_run() const { return ids.bytes.empty(); }
  // Tokens from `from` on; the list must outlive what is returned.
  Positions at(int64_t from, int64_t tokens) const;
  // All of them, [axes, rows, tokens].
  Positions batch() const;
  std::string text(int64_t axis, int64_t token) const;
  double value(int64_t axis, int64_t token) const;
  int64_t whole(int64_t token) const;  // on the first axis; throws a usage error for a real number
};

// Throws a usage error, and Error for the content of a file.
PositionList parse_positions(std::string_view text, int64_t axes);

}  // namespace posenc::cli
