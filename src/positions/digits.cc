// digits.cc: positions of digits inside their numbers.
#include "posenc/positions/digits.h"

#include <algorithm>

#include "base/batch.h"
#include "base/check.h"
#include "positions/planning.h"

namespace posenc {

PlannedPositions digits(const Tensor& ids, std::span<const int64_t> digit_ids, int64_t shift) {
  if (ids.rank < 1 || ids.rank > 2 || !is_integer(ids.dtype))
    fail(ErrorKind::tensor, "digits", "expected ids as i32 or i64 [tokens] or [rows, tokens], got ",
         describe(ids));
  check_host_memory("digits", "ids", ids);
  planning::check_at_least("digits", "shift", shift, 0);
  const Batch tokens(ids, 1);
  planning::check_run("digits", shift, tokens.tokens());
  auto out = planning::make<int64_t>("digits", 1, tokens.rows, tokens.tokens());
  auto position = out.ids.begin();
  for (int64_t row = 0; row < tokens.rows; ++row) {
    int64_t run = 0;
    for (int64_t t = 0; t < tokens.tokens(); ++t) {
      const int64_t id = integer(ids.dtype, tokens.at(row, t));
      run = std::find(digit_ids.begin(), digit_ids.end(), id) == digit_ids.end() ? 0 : run + 1;
      *position++ = run == 0 ? 0 : run + shift;
    }
  }
  return out;
}

}  // namespace posenc
