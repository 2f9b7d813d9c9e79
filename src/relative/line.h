// line.h: positions of queries or of keys, on one axis.
#pragma once

#include "base/batch.h"
#include "posenc/positions.h"

namespace posenc {

struct Line {
  Positions at;
  int64_t tokens;

  bool whole() const { return at.is_range() || at.ids.dtype != DType::f64; }
  bool shared() const { return at.is_shared(); }
  // Where a token of a batch row stands.
  double value(int64_t row, int64_t token) const {
    if (at.is_range()) return static_cast<double>(at.first + token);
    const void* id = entry(row, token);
    return at.ids.dtype == DType::f64 ? *static_cast<const double*>(id)
                                      : static_cast<double>(integer(at.ids.dtype, id));
  }
  // Whether the tokens of a batch row stand one after the other.
  bool is_run(int64_t row) const {
    if (at.is_range()) return true;
    if (!whole()) return tokens <= 1;
    for (int64_t t = 1; t < tokens; ++t)
      if (value(row, t) != value(row, 0) + static_cast<double>(t)) return false;
    return true;
  }

 private:
  const void* entry(int64_t row, int64_t token) const {
    const int64_t n = (shared() ? 0 : row) * at.ids.step(1) + token * at.ids.step(2);
    return static_cast<const char*>(at.ids.data) + n * size_of(at.ids.dtype);
  }
};

// Throws Error unless the positions are [1, 1 or rows, tokens], finite and within 2^52.
void check_line(const char* verb, const char* what, const Line& line, int64_t rows);

}  // namespace posenc
