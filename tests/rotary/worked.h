// worked.h: what the tests of worked numbers share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "posenc/rotary.h"

namespace posenc {

inline Rope half_rope(int64_t dim, double base = 10000) {
  return {.dim = dim, .layout = Layout::half, .base = base};
}
inline Rope half_rope(int64_t dim, double base, const Scaling& scaling) {
  Rope rope = half_rope(dim, base);
  rope.scaling = scaling;
  return rope;
}

inline std::vector<double> frequencies(const Rope& rope, int64_t length = 0) {
  const RotaryPlan plan = prepare(rope, {.length = length});
  std::vector<double> out;
  for (const Frequency& f : plan.frequencies()) out.push_back(radians(f));
  return out;
}

// One head of one token, in f64, turned at its coordinates.
enum class Which { query, key };
inline std::vector<double> turned(const Rope& rope, std::vector<double> x, std::vector<double> at,
                                  Which which = Which::query) {
  const Tensor t = tensor(x.data(), {1, 1, std::ssize(x)});
  const Positions where = positions(tensor(at.data(), {std::ssize(at), 1, 1}));
  rotate(prepare(rope), which == Which::query ? QueriesKeys{t, {}} : QueriesKeys{{}, t}, where);
  return x;
}

// Each number is within half a unit of the last digit printed.
inline void expect_numbers(const std::vector<double>& got, const std::vector<double>& printed,
                           double last_digit = 1e-6) {
  ASSERT_EQ(got.size(), printed.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], printed[i], last_digit / 2) << "number " << i;
}

}  // namespace posenc
