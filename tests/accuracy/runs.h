// runs.h: tables of consecutive rows and of any positions, compared with the truth.
#pragma once

#include <limits>
#include <numeric>

#include "tests/accuracy/contract.h"

namespace posenc {

inline constexpr int64_t far = int64_t{1} << 31;

struct Range {
  int64_t first, tokens;
};
// 130 rows are two blocks and a bit, 1100 two runs and a bit; 17 just a run, 1 none.
inline const std::vector<Range> all_ranges{
    {0, 130},         {-77, 130},         {997, 131},        {31337, 133},
    {999'963, 67},    {9'999'991, 130},   {123'456'789, 17}, {1'000'000'007, 97},
    {far - 128, 129}, {-far, 131},        {88'888, 1100},    {far - 1100, 1101},
    {1, 1},           {(1 << 24) + 1, 1}, {far, 1}};
inline const std::vector<Range> few_ranges{
    {0, 130}, {999'963, 67}, {-far, 17}, {far - 1100, 1101}, {far, 1}};

// The edges of blocks and runs, the last row, and some others.
inline std::vector<int64_t> some_rows(int64_t tokens) {
  std::vector<int64_t> out;
  for (const int64_t edge : {0, 1, 2, 3, 63, 64, 65, 127, 128, 511, 512, 513, 1023, 1024})
    if (edge < tokens) out.push_back(edge);
  Random random(static_cast<uint64_t>(tokens));
  for (int i = 0; i < 4; ++i) out.push_back(random.integer(0, tokens - 1));
  out.push_back(tokens - 1);
  return out;
}

// A range means the same position on every axis of a rotary scheme; others need one axis.
inline void expect_tables(const std::vector<Case>& cases, const std::vector<Range>& ranges) {
  for (const Case& c : cases) {
    if (c.axes() != 1 && as_family<Absolute>(c.scheme)) continue;
    SCOPED_TRACE(c.name);
    const auto columns = c.columns();
    for (const Range& r : ranges) {
      SCOPED_TRACE(r.first);
      const auto point = [&](int64_t token) {
        return Point(static_cast<size_t>(c.axes()), Real(r.first + token));
      };
      const Expected expected(columns, some_columns(some_rows(r.tokens), std::ssize(columns), 32),
                              point);
      expect_contract(c, r.tokens, range(r.first), expected);
    }
  }
}

inline constexpr int64_t id_tokens = 101;

// Ids [axes, 1, tokens] of type T, and the numbers that are looked at.
template <class T>
struct Ids {
  std::vector<T> values;
  Spots spots;
};

template <class T>
void expect_at(const Case& c, const std::vector<Column>& columns, const Ids<T>& ids) {
  const int64_t n = std::ssize(ids.values) / c.axes();
  const Expected expected(columns, ids.spots, [&](int64_t token) {
    Point p;
    for (int64_t a = 0; a < c.axes(); ++a)
      p.emplace_back(ids.values[static_cast<size_t>(a * n + token)]);
    return p;
  });
  SCOPED_TRACE(c.name + " at " + std::string(to_string(dtype_of<T>)));
  expect_contract(c, n, positions(tensor(ids.values.data(), {c.axes(), 1, n})), expected);
}

// A number of any size up to 2^31, either sign.
inline double any_size(Random& random, double least_exponent) {
  const double sign = random.integer(0, 1) == 1 ? 1 : -1;
  return sign * std::exp2(random.real(least_exponent, 31));
}

// Whole numbers: edges, a run long enough for the recurrence, jumps, and any size.
template <class T>
std::vector<T> whole_ids(int64_t axes) {
  Random random(7);
  std::vector<T> out;
  for (int64_t a = 0; a < axes; ++a) {
    out.insert(out.end(), {0, 1, -1, 5, 5, 4, 1 << 24, (1 << 24) + 1});
    out.push_back(static_cast<T>(std::min<int64_t>(far, std::numeric_limits<T>::max())));
    out.push_back(static_cast<T>(-far));
    for (T p = 99'999; p < 100'020; ++p) out.push_back(p);
    while (std::ssize(out) < (a + 1) * id_tokens)
      out.push_back(static_cast<T>(std::floor(any_size(random, 0))));
  }
  return out;
}

inline std::vector<double> real_ids(int64_t axes) {
  Random random(8);
  std::vector<double> out;
  for (int64_t a = 0; a < axes; ++a) {
    for (const double edge : {0.0, 0.5, 0.1, 0.3, 1e-3, 0x1p-40, 0x1p-70, 5e-324, 7.0, 0x1p31})
      out.insert(out.end(), {edge, -edge, std::nextafter(edge, 1), -std::nextafter(edge, 1)});
    while (std::ssize(out) < (a + 1) * id_tokens) out.push_back(any_size(random, -60));
  }
  return out;
}

// Ids of every type.
inline void expect_positions(const Case& c) {
  std::vector<int64_t> all(id_tokens);
  std::iota(all.begin(), all.end(), 0);
  const auto columns = c.columns();
  const Spots spots = some_columns(all, std::ssize(columns), 12);
  expect_at(c, columns, Ids<int32_t>{whole_ids<int32_t>(c.axes()), spots});
  expect_at(c, columns, Ids<int64_t>{whole_ids<int64_t>(c.axes()), spots});
  expect_at(c, columns, Ids<double>{real_ids(c.axes()), spots});
}

}  // namespace posenc
