// shift_test.cc: M_k is a group of rotations that moves the encoding.
#include "posenc/shift.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "posenc/absolute.h"
#include "tests/support/elements.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"

namespace posenc::shift_test {
namespace {

// Any encoding that has an M_k.
Sinusoidal any_scheme() {
  using rc::gen::element, rc::gen::inRange;
  Sinusoidal s{.dim = *inRange<int64_t>(1, 40)};
  s.base = *element(10000.0, 100.0, 500000.0, 1.5);
  s.order = *element(Order::interleaved, Order::halves);
  s.first = *element(First::sine, First::cosine);
  s.odd = s.dim % 2 == 1 ? Odd::zero : *element(Odd::zero, Odd::keep);
  s.offset = *inRange<int64_t>(-9, 9);
  s.position_scale = *element(1.0, -1.0, 0.25, 3.7);
  s.numerics = *element(Numerics::exact, Numerics::f32_frequencies);
  s.rule = *element<FrequencyRule>(PaperRule{}, TimescalesRule{}, TimescalesRule{0.5, 77.0});
  if (*rc::gen::arbitrary<bool>()) {
    ExplicitRule rule{{}, *element(Unit::radians, Unit::degrees, Unit::turns)};
    for (int64_t k = 0; k < s.pair_count(); ++k)
      rule.frequencies.push_back(*inRange(-1000, 1000) / 64.0);
    s.rule = rule, s.base = 10000;
  }
  return s;
}
int64_t any_step() { return *rc::gen::inRange<int64_t>(-(int64_t{1} << 31), int64_t{1} << 31); }

double worst_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = a.size() == b.size() ? 0 : 1e9;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

// Row-major n x n times n x m.
std::vector<double> times(const std::vector<double>& a, const std::vector<double>& b, size_t n) {
  std::vector<double> out(b.size());
  const size_t m = n ? b.size() / n : 0;
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < n; ++k)
      for (size_t j = 0; j < m; ++j) out[i * m + j] += a[i * n + k] * b[k * m + j];
  return out;
}
std::vector<double> transposed(const std::vector<double>& a, size_t n) {
  std::vector<double> out(a.size());
  for (size_t i = 0; i < a.size(); ++i) out[i % n * n + i / n] = a[i];
  return out;
}
std::vector<double> identity(size_t n) {
  std::vector<double> out(n * n);
  for (size_t i = 0; i < n; ++i) out[i * n + i] = 1;
  return out;
}

// An entry is a sine within 2.5e-16; angles are cut to 2^-64 turns, far below that. A product of
// two rotations has two terms of such entries, each rounded: 2 * (2 * 2.5e-16 + 2^-53) and a sum.
constexpr double entry = 2.5e-16, two_products = 2 * (2 * entry + 0x1p-53) + 0x1p-53;

RC_GTEST_PROP(Shift, IsAGroup, ()) {
  const Sinusoidal s = any_scheme();
  const int64_t j = any_step(), k = any_step();
  const auto n = static_cast<size_t>(s.dim);
  const Shift a = shift(s, j), b = shift(s, k);
  RC_ASSERT(worst_difference((a * b).matrix(), shift(s, j + k).matrix()) <= 2 * entry);
  RC_ASSERT(worst_difference((a * b).matrix(), (b * a).matrix()) == 0);
  RC_ASSERT(worst_difference((a * b).matrix(), times(a.matrix(), b.matrix(), n)) <=
            two_products + entry);
}

RC_GTEST_PROP(Shift, HasAnInverse, ()) {
  const Sinusoidal s = any_scheme();
  const Shift a = shift(s, any_step());
  const auto n = static_cast<size_t>(s.dim);
  RC_ASSERT(worst_difference((a * a.inverse()).matrix(), identity(n)) <= entry);
  RC_ASSERT(worst_difference(shift(s, 0).matrix(), identity(n)) <= entry);
  RC_ASSERT(worst_difference(a.inverse().matrix(), transposed(a.matrix(), n)) <= 2 * entry);
}

RC_GTEST_PROP(Shift, IsOrthogonal, ()) {
  const Sinusoidal s = any_scheme();
  const auto n = static_cast<size_t>(s.dim);
  const auto m = shift(s, any_step()).matrix();
  RC_ASSERT(worst_difference(times(transposed(m, n), m, n), identity(n)) <= two_products);
}

std::vector<double> row(const Sinusoidal& s, DType dtype, int64_t position) {
  Guarded out(dtype, {1, s.dim});
  fill(s, out.view(), range(position));
  return numbers(out.view());
}

RC_GTEST_PROP(Shift, MovesTheEncoding, ()) {
  const Sinusoidal s = any_scheme();
  const int64_t p = any_step(), k = any_step();
  for (DType dtype : {DType::f32, DType::f64}) {
    Guarded moved(dtype, {1, s.dim});
    fill(s, moved.view(), range(p));
    shift(s, k).apply(moved.view(), moved.view());
    // The row is within e, and its pair turns with it: sqrt(2) e, or e again for the longer row;
    // then the entries of M_k, a rounding, and e of the row it is compared with. That is below the
    // promised 1.2e-7 for f32 and 1.5e-15 for f64.
    const double promised = dtype == DType::f32 ? 1.2e-7 : 1.5e-15;
    RC_ASSERT(worst_difference(numbers(moved.view()), row(s, dtype, p + k)) <= promised);
  }
}

TEST(Shift, AppliesItsMatrix) {
  Random random(1);
  for (DType dtype : float_types)
    for (Placement placement : all_placements)
      for (int64_t dim : {1, 2, 6, 33}) {
        const Sinusoidal s{.dim = dim, .order = Order::halves, .odd = Odd::zero};
        const Shift m = shift(s, 12345);
        Guarded rows(dtype, {2, 3, dim}, placement), out(dtype, {2, 3, dim}, placement);
        randomize(rows.view(), random, -3, 3);
        const auto in = numbers(rows.view());
        m.apply(rows.view(), out.view());
        m.apply(rows.view(), rows.view());
        ASSERT_TRUE(out.intact() && rows.intact());
        ASSERT_EQ(numbers(out.view()), numbers(rows.view()));
        for (int64_t r = 0; r < 6; ++r) {
          const auto d = static_cast<size_t>(dim);
          const std::vector<double> one(in.begin() + r * dim, in.begin() + (r + 1) * dim);
          const auto truth = times(m.matrix(), one, d);
          for (size_t c = 0; c < d; ++c) {
            const double size = std::abs(truth[c]) + 1e-14;  // two products below 3, then roundings
            ASSERT_NEAR(get(out.view(), r * dim + static_cast<int64_t>(c)), truth[c],
                        6 * 0x1p-52 + half_ulp(compute_type(dtype), size) + half_ulp(dtype, size));
          }
        }
      }
}

TEST(Shift, LeavesTheZeroColumnAlone) {
  const Shift m = shift(Sinusoidal{.dim = 5, .odd = Odd::zero}, 3);
  const double rows[] = {1, 2, 3, 4, 5.5};
  double out[5] = {};
  m.apply(tensor(rows, {1, 5}), tensor(out, {1, 5}));
  EXPECT_EQ(out[4], 5.5);
  EXPECT_EQ(m.matrix()[24], 1);
  EXPECT_EQ(m.pairs().size(), 2u);
}

TEST(Shift, SaysWhyThereIsNone) {
  const auto expect = [](const Sinusoidal& s, const char* part) {
    expect_message([&] { shift(s, 1); }, part);
  };
  expect({.rule = PerColumnRule{}}, "got rule per-column: sine and cosine of a pair turn at diff");
  expect({.rule = RawIndexRule{}}, "got rule raw-index: sine and cosine of a pair turn at diff");
  expect({.dim = 7}, "got dim 7: the last sine has no cosine");
  expect({.numerics = Numerics::torch_f32}, "got numerics torch-f32: its rounded phases");
  expect({.dim = 0}, "[sinusoidal] expected dim from 1");
}

TEST(Shift, MixesOnlyWithItsOwnKind) {
  const Shift m = shift(Sinusoidal{.dim = 4}, 3);
  const char* part = "[shift] expected two shifts of one encoding, got different ones";
  expect_message([&] { m* shift(Sinusoidal{.dim = 6}, 3); }, part);
  expect_message([&] { m* shift(Sinusoidal{.dim = 4, .base = 100}, 3); }, part);
  expect_message([&] { m* shift(Sinusoidal{.dim = 4, .order = Order::halves}, 3); }, part);
  Guarded rows(DType::f32, {2, 5}), out(DType::f32, {2, 4});
  expect_message([&] { m.apply(rows.view(), rows.view()); }, "[..., tokens, 4], got f32 [2, 5]");
  expect_message([&] { m.apply(out.view(), rows.view()); }, "expected out as f32 [2, 4] like");
}

}  // namespace
}  // namespace posenc::shift_test
