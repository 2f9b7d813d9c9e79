// Explicit positions, of every type and size and on every axis, against the truth.
#include "tests/accuracy/runs.h"

namespace posenc::positions_test {
namespace {

TEST(Positions, OfEveryType) {
  for (const Case& c : all_cases()) expect_positions(c);
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
      out.insert(out.end(), {now.to_int64(), -now.to_int64()});
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
}  // namespace posenc::positions_test
