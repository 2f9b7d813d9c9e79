// boxes.cc: positions of words on a page, from their boxes.
#include "posenc/positions/boxes.h"

#include <algorithm>

#include "base/batch.h"
#include "base/check.h"
#include "positions/planning.h"

namespace posenc {

PlannedPositions boxes(const Tensor& box, int64_t most) {
  if (box.rank != 3 || !is_integer(box.dtype) || box.size(2) != 4)
    fail(ErrorKind::tensor, "boxes", "expected boxes as i32 or i64 [rows, tokens, 4], got ",
         describe(box));
  check_host_memory("boxes", "the boxes", box);
  planning::check_at_least("boxes", "most", most, 0);
  const int64_t rows = box.size(0), tokens = box.size(1);
  auto out = planning::make<int64_t>("boxes", 6, rows, tokens);
  const Batch from(box, 2);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t token = 0; token < tokens; ++token) {
      int64_t side[6];
      for (int64_t i = 0; i < 4; ++i) {
        side[i] = integer(box.dtype, from.at(row, token, i));
        if (side[i] < 0 || side[i] > INT32_MAX)
          fail("boxes", "expected sides from 0 to ", INT32_MAX, ", got ", side[i]);
      }
      side[4] = std::clamp<int64_t>(side[3] - side[1], 0, most);
      side[5] = std::clamp<int64_t>(side[2] - side[0], 0, most);
      for (int64_t i = 0; i < 6; ++i)
        out.ids[static_cast<size_t>((i * rows + row) * tokens + token)] = side[i];
    }
  return out;
}

}  // namespace posenc
