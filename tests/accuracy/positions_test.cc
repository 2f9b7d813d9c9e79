// Explicit positions, of every type and size and on every axis, against the truth.
#include <numeric>

#include "tests/accuracy/contract.h"

namespace posenc {
namespace {

constexpr int64_t far = int64_t{1} << 31;
constexpr int64_t tokens = 101;

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
double any_size(Random& random, double least_exponent) {
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
    while (std::ssize(out) < (a + 1) * tokens)
      out.push_back(static_cast<T>(std::floor(any_size(random, 0))));
  }
  return out;
}

std::vector<double> real_ids(int64_t axes) {
  Random random(8);
  std::vector<double> out;
  for (int64_t a = 0; a < axes; ++a) {
    for (const double edge : {0.0, 0.5, 0.1, 0.3, 1e-3, 0x1p-40, 0x1p-70, 5e-324, 7.0, 0x1p31})
      out.insert(out.end(), {edge, -edge, std::nextafter(edge, 1), -std::nextafter(edge, 1)});
    while (std::ssize(out) < (a + 1) * tokens) out.push_back(any_size(random, -60));
  }
  return out;
}

TEST(Positions, OfEveryType) {
  std::vector<int64_t> all(tokens);
  std::iota(all.begin(), all.end(), 0);
  for (const Case& c : all_cases()) {
    const auto columns = c.columns();
    const Spots spots = some_columns(all, std::ssize(columns), 12);
    expect_at(c, columns, Ids<int32_t>{whole_ids<int32_t>(c.axes()), spots});
    expect_at(c, columns, Ids<int64_t>{whole_ids<int64_t>(c.axes()), spots});
    expect_at(c, columns, Ids<double>{real_ids(c.axes()), spots});
  }
}

// Calls found(w) with the frequency w of some sinusoidal columns; it returns positions, at which
// that column is then compared with the truth.
template <class T, class Found>
void expect_near_zeros(Found found) {
  for (const Case& c : all_cases()) {
    const auto* s = std::get_if<Sinusoidal>(&c.scheme);
    if (!s) continue;
    const auto columns = c.columns();
    Ids<T> ids;
    for (const int64_t column : {int64_t{0}, s->dim / 7, s->dim / 2, s->dim - 1}) {
      if (columns[static_cast<size_t>(column)].kind != Column::Kind::wave) continue;
      for (const T p : found(reference::frequency(*s, column))) {
        ids.spots.push_back({std::ssize(ids.values), column});
        ids.values.push_back(p - static_cast<T>(s->offset));
      }
    }
    if (!ids.values.empty()) expect_at(c, columns, ids);
  }
}

// Whole positions where w * position is nearly a number of quarter turns: the denominators of the
// continued fraction of w / (pi / 2), which come nearer than any smaller number.
TEST(Positions, WholeNearZeros) {
  expect_near_zeros<int64_t>([](const Real& w) {
    std::vector<int64_t> out;
    Real x = 2 * abs(w) / reference::pi(), before = 0, now = 1;
    while (now <= far) {
      out.insert(out.end(), {now.convert_to<int64_t>(), -now.convert_to<int64_t>()});
      const Real rest = x - floor(x);
      if (rest < 1e-60) break;  // w is a fraction of a turn: positions meet it exactly
      x = 1 / rest;
      before = std::exchange(now, floor(x) * now + before);
    }
    return out;
  });
}

// Real positions nearest to a number of quarter turns, and their neighbours.
TEST(Positions, RealNearZeros) {
  Random random(9);
  expect_near_zeros<double>([&](const Real& w) {
    std::vector<double> out;
    const Real quarter = reference::pi() / 2 / w, most = far / abs(quarter);
    for (int i = 0; i < 12; ++i) {
      const Real turns = floor(most * std::exp2(random.real(-31, 0)));
      const double p = reference::nearest_f64(turns * quarter);
      out.insert(out.end(), {p, -p, std::nextafter(p, 0), std::nextafter(p, 2 * p)});
    }
    return out;
  });
}

}  // namespace
}  // namespace posenc
