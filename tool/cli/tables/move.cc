// move.cc: rows, moved and made anew.
#include "cli/tables/move.h"

#include <algorithm>
#include <cmath>

#include "cli/memory.h"

namespace posenc::cli {

int64_t sum(int64_t a, int64_t b) {
  int64_t out = 0;
  if (__builtin_add_overflow(a, b, &out))
    refuse("expected a move that fits 64 bits, got ", a, " + ", b);
  return out;
}

std::vector<Trial> try_move(const Ready& ready, const Move& move, const PositionList& from,
                            DType dtype) {
  const int64_t dim = move.m.dim();
  check_fits("rows", from.count, dim, 3 * sizeof(double));
  PositionList to{from.count, 1, 0, make_array(DType::i64, {1, from.count})};
  for (int64_t i = 0; i < from.count; ++i)
    to.ids.values<int64_t>()[static_cast<size_t>(i)] = sum(from.whole(i), move.distance);
  const Array rows = fill_table(ready, from, dtype);
  move.m.apply(rows.view(), rows.view());
  const auto moved = as_doubles(rows), there = as_doubles(fill_table(ready, to, dtype));
  std::vector<Trial> out;
  for (int64_t i = 0; i < from.count; ++i) {
    const auto row = [&](const std::vector<double>& all) {
      return std::vector(all.begin() + i * dim, all.begin() + (i + 1) * dim);
    };
    Trial trial{from.text(0, i), row(moved), row(there)};
    for (size_t c = 0; c < trial.moved.size(); ++c)
      trial.error = std::max(trial.error, std::abs(trial.moved[c] - trial.there[c]));
    out.push_back(trial);
  }
  return out;
}

double worst(const std::vector<Trial>& trials) {
  double out = 0;
  for (const Trial& trial : trials) out = std::max(out, trial.error);
  return out;
}

}  // namespace posenc::cli
