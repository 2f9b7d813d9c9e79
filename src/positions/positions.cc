// positions.cc: checks explicit positions and brings them to [axes, rows, tokens].
#include "posenc/positions.h"

#include <numeric>

#include "positions/planning.h"

namespace posenc {

Positions range(int64_t first) { return {first, {}}; }

Positions positions(const Tensor& ids) {
  if (!is_integer(ids.dtype) && ids.dtype != DType::f64)
    fail(ErrorKind::tensor, "positions",
         "expected i32, i64 or f64 (f32 counts exactly only to 2^24), got ", describe(ids));
  if (ids.rank < 1 || ids.rank > 3)
    fail(ErrorKind::tensor, "positions",
         "expected [tokens], [rows, tokens] or [axes, rows, tokens], got ", describe(ids));
  Positions p{0, ids};
  for (; p.ids.rank < 3; ++p.ids.rank)
    for (int i = p.ids.rank; i >= 0; --i) {
      const auto at = static_cast<size_t>(i);
      p.ids.shape[at] = i ? p.ids.shape[at - 1] : 1;
      p.ids.stride[at] = i ? p.ids.stride[at - 1] : 0;
    }
  return p;
}

PlannedPositions range(int64_t first, int64_t tokens) {
  planning::check_run("range", first, tokens);
  auto out = planning::make<int64_t>("range", 1, 1, tokens);
  std::iota(out.ids.begin(), out.ids.end(), first);
  return out;
}

}  // namespace posenc
