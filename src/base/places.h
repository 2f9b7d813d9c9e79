// places.h: where each token of a call stands; the one spelling of it inside the library.
#pragma once

#include "posenc/positions.h"

namespace posenc {

// Positions [axes, rows, tokens] of so many tokens; one row serves all batch rows where it is
// shared, so every row below is a batch row.
struct Places {
  Positions at;
  int64_t tokens = 0;

  bool shared() const { return at.is_shared(); }
  bool whole() const { return at.is_range() || at.ids.dtype != DType::f64; }
  // Whether the host may read them; what it cannot read, it does not check.
  bool on_host() const { return at.is_range() || at.ids.device == Device::cpu; }
  // Axes of their own; a range stands at the same place on every axis.
  int64_t axes() const { return at.is_range() ? 1 : at.ids.size(0); }

  // Where a token stands, as a whole number where all are, and as a double.
  int64_t integer(int64_t axis, int64_t row, int64_t token) const {
    if (at.is_range()) return at.first + token;
    const void* id = address(axis, row, token);
    return at.ids.dtype == DType::i32 ? *static_cast<const int32_t*>(id)
                                      : *static_cast<const int64_t*>(id);
  }
  double value(int64_t axis, int64_t row, int64_t token) const {
    if (whole()) return static_cast<double>(integer(axis, row, token));
    return *static_cast<const double*>(address(axis, row, token));
  }
  double value(int64_t row, int64_t token) const { return value(0, row, token); }

  // How many tokens from `token` on, before `end`, stand one after the other on the first axes.
  int64_t run(int64_t axes, int64_t row, int64_t token, int64_t end) const {
    if (at.is_range()) return end - token;
    if (!whole()) return 1;
    for (int64_t a = 0; a < axes; ++a) {
      const int64_t first = integer(a, row, token);
      int64_t steps = 1;
      while (token + steps < end && integer(a, row, token + steps) == first + steps) ++steps;
      end = token + steps;
    }
    return end - token;
  }
  // Whether all tokens of a row do.
  bool is_run(int64_t row) const { return tokens <= 1 || run(1, row, 0, tokens) == tokens; }

  // `count` tokens of one row, from `token` on.
  Places part(int64_t row, int64_t token, int64_t count) const {
    if (at.is_range()) return {range(at.first + token), count};
    Places out{at, count};
    out.at.ids.data = const_cast<void*>(address(0, row, token));
    out.at.ids.shape[1] = 1, out.at.ids.shape[2] = count;
    return out;
  }

 private:
  const void* address(int64_t axis, int64_t row, int64_t token) const {
    const Tensor& ids = at.ids;
    const int64_t n =
        axis * ids.step(0) + (ids.size(1) == 1 ? 0 : row) * ids.step(1) + token * ids.step(2);
    return static_cast<const char*>(ids.data) + n * size_of(ids.dtype);
  }
};

}  // namespace posenc
