// lookups_test.cc: tables of several axes and of grids, written again as the few loops they are.
#include <gtest/gtest.h>

#include "posenc/posenc.h"
#include "tests/support/gradient.h"
#include "tests/support/message.h"
#include "tests/support/threads.h"

namespace posenc::lookups_test {
namespace {

using Row = std::vector<double>;

// [t0[p0] | t1[p1] | ...] or their sum.
Row axial(const Axial& s, const Weights& w, const Row& p) {
  Row out;
  for (size_t b = 0; b < p.size(); ++b) {
    const size_t table = s.block_tables.empty() ? b : static_cast<size_t>(s.block_tables[b]);
    const size_t axis = s.block_axes.empty() ? b : static_cast<size_t>(s.block_axes[b]);
    const Array& rows = w.arrays[table];
    for (int64_t c = 0; c < rows.shape[1]; ++c) {
      const double v = get(rows.view(), static_cast<int64_t>(p[axis]) * rows.shape[1] + c);
      if (s.combine == Combine::concat || b == 0) {
        out.push_back(v);
      } else {
        out[static_cast<size_t>(c)] += v;
      }
    }
  }
  return out;
}

double kernel(Between between, double x) {
  x = std::abs(x);
  if (between == Between::linear) return x < 1 ? 1 - x : 0;
  const double a = -0.75;
  return x <= 1  ? (a + 2) * x * x * x - (a + 3) * x * x + 1
         : x < 2 ? a * (x * x * x - 5 * x * x + 8 * x - 4)
                 : 0;
}

// The sum over all rows of an endless table that repeats its border, or is 0 there.
Row on_grid(const LearnedGrid& s, const Weights& w, const Row& p) {
  Row out(static_cast<size_t>(s.dim));
  const auto at = [&](int64_t row, size_t c) {
    return get(w.arrays[0].view(), row * s.dim + static_cast<int64_t>(c));
  };
  for (size_t c = 0; c < out.size(); ++c) {
    if (p[0] <= -1) out[c] = at(static_cast<int64_t>(-1 - p[0]), c);
    for (int64_t y = -3; y < s.height + 3 && p[0] > -1; ++y)
      for (int64_t x = -3; x < s.width + 3; ++x) {
        const bool beyond = y < 0 || y >= s.height || x < 0 || x >= s.width;
        if (beyond && s.border == Border::zeros) continue;
        out[c] += kernel(s.between, p[0] - static_cast<double>(y)) *
                  kernel(s.between, p[1] - static_cast<double>(x)) *
                  at(s.prefix + std::clamp<int64_t>(y, 0, s.height - 1) * s.width +
                         std::clamp<int64_t>(x, 0, s.width - 1),
                     c);
      }
  }
  return out;
}

// Sums of up to 16 products of numbers below 0.05 are made in double, with a few roundings of
// weights below 1.2 each, then rounded to the compute type and to the type.
double allowed(DType dtype, double truth) {
  const double sums = 64 * 2 * 0x1p-53;
  return sums + half_ulp(compute_type(dtype), std::abs(truth) + sums) +
         (dtype == compute_type(dtype) ? 0 : half_ulp(dtype, std::abs(truth) * 1.01));
}

void expect_rows(const Absolute& s, const TestPlaces& at, const auto& formula) {
  Random random(1);
  for (DType weights : float_types)
    for (DType dtype : float_types) {
      const auto [w, plan] = prepare_random(s, random, weights);
      Guarded out(dtype, {3, 11, plan.dim()}, Placement::padded);
      fill(plan, out.view(), at.at());
      ASSERT_TRUE(out.intact());
      for (int64_t t = 0; t < 33; ++t) {
        const Row row = formula(w, at.place(plan.axes(), t / 11, t % 11));
        ASSERT_EQ(std::ssize(row), plan.dim());
        for (int64_t c = 0; c < plan.dim(); ++c) {
          const double truth = row[static_cast<size_t>(c)];
          ASSERT_NEAR(get(out.view(), t * plan.dim() + c), truth, allowed(dtype, truth))
              << to_string(dtype) << " column " << c;
        }
      }
    }
}

std::vector<Axial> axials() {
  return {{.dim = 12, .rows = {9, 12}, .shares = {5, 7}, .block_axes = {1, 0}},
          {.dim = 70, .rows = {9, 12, 9}, .combine = Combine::sum},
          {.dim = 12, .rows = {9, 10}, .block_tables = {0, 1, 0, 1}},
          {.dim = 5, .rows = {9}},
          {.dim = 1100, .rows = {9, 9}, .combine = Combine::sum, .block_axes = {1, 0}}};
}

TEST(Lookups, AxialMatchesItsFormula) {
  Random random(2);
  for (const Axial& s : axials())
    for (int64_t rows : {1, 3})
      expect_rows(s, TestPlaces(DType::i64, {s.axes(), rows, 11}, random, 0, 8),
                  [&](const Weights& w, const Row& p) { return axial(s, w, p); });
}

TEST(Lookups, GridsMatchTheirFormula) {
  Random random(3);
  for (const Between between : {Between::linear, Between::cubic})
    for (const int64_t prefix : {0, 2}) {
      LearnedGrid s{.dim = 7, .height = 6, .width = 5, .prefix = prefix, .between = between};
      s.border = prefix == 0 ? Border::clamp : Border::zeros;
      const auto formula = [&](const Weights& w, const Row& p) { return on_grid(s, w, p); };
      expect_rows(s, TestPlaces(DType::f64, {2, 3, 11}, random, 0, 3, Placement::spaced), formula);
      expect_rows(s, TestPlaces(DType::f64, {2, 3, 11}, random, 0, 4), formula);
      expect_rows(s, TestPlaces(DType::i32, {2, 1, 11}, random, 0, 4), formula);
    }
}

TEST(Lookups, PositionsOfAGridReadItsOwnRows) {
  Random random(4);
  const LearnedGrid s{.dim = 3, .height = 4, .width = 6, .prefix = 1};
  for (DType dtype : float_types) {
    const auto [w, plan] = prepare_random(s, random, dtype);
    const Array out = make_array(dtype, {25, 3});
    fill(plan, out.view(), sampled({{1, 4, 6}}, {4, 6, false, 1, 1}));
    EXPECT_EQ(out.bytes, w.arrays[0].bytes) << to_string(dtype);
  }
}

TEST(Lookups, GradientsAreTheAdjoint) {
  Random random(5);
  std::vector<Absolute> schemes{
      LearnedGrid{.dim = 5, .height = 9, .width = 9, .prefix = 1},
      LearnedGrid{.dim = 5, .height = 9, .width = 9, .border = Border::zeros}};
  for (const Axial& s : axials()) schemes.emplace_back(s);
  for (const Absolute& s : schemes)
    for (const int64_t rows : {1, 4}) {
      const auto plan = prepare_random(s, random).plan;
      const bool real = plan.parts().lookups.on_grid();
      const TestPlaces at(real ? DType::f64 : DType::i32, {plan.axes(), rows, 7}, random, 0, 7);
      const Array dout = make_array(DType::f64, {2, 2, 7, plan.dim()});
      randomize(dout.view(), random);
      // Rows are linear in the tables: only rounding is off.
      expect_adjoint(s, random_weights(s, random), dout.view(), at.at(), random, 1);
    }
}

TEST(Lookups, GradientsLieApartFromTables) {
  Random random(9);
  const Axial s{.dim = 12, .rows = {9, 12}, .shares = {5, 7}};
  const Weights w = random_weights(s, random);
  const Array dout = make_array(DType::f64, {1, 4, 12});
  const Weights sums = zero_weights(weights(s), DType::f64);
  const Tensor into[] = {sums.views()[0], w.views()[1]};
  const int32_t ids[8] = {};
  expect_message(
      [&] {
        backward(prepare(s, {.weights = w.views()}), dout.view(), into,
                 positions(tensor(ids, {2, 1, 4})));
      },
      "apart from");
}

TEST(Lookups, GradientsOfEveryType) {
  Random random(6);
  const Axial s{.dim = 12, .rows = {9, 12}, .shares = {5, 7}};
  for (DType dtype : float_types) {
    const TestPlaces at(DType::i32, {2, 3, 11}, random, 0, 8);
    Guarded dout(dtype, {3, 11, 12}, Placement::swapped);
    randomize(dout.view(), random);
    const Row g = gradient(s, random_weights(s, random), dout.view(), at.at());
    Row truth(g.size());
    for (int64_t n = 0; n < 33 * 12; ++n) {
      const Row p = at.place(2, n / 12 / 11, n / 12 % 11);
      const int64_t c = n % 12, second = c >= 5;
      const auto row = static_cast<int64_t>(p[static_cast<size_t>(second)]);
      truth[static_cast<size_t>(second ? 45 + row * 7 + c - 5 : row * 5 + c)] +=
          get(dout.view(), n);
    }
    for (size_t i = 0; i < g.size(); ++i)  // at most 33 numbers below 1, summed one after the other
      ASSERT_NEAR(g[i], truth[i], 33 * 33 * half_ulp(compute_type(dtype), 1));
  }
}

TEST(Lookups, SameWithAnyThreads) {
  Random random(7);
  const Axial s{.dim = 700, .rows = {20, 20}, .combine = Combine::sum};
  const Weights w = random_weights(s, random);
  const TestPlaces at(DType::i32, {2, 8, 200}, random, 0, 19);
  const Array dout = make_array(DType::f32, {8, 200, 700});
  randomize(dout.view(), random);
  const auto both = [&] {
    Row out = gradient(s, w, dout.view(), at.at());
    const Array rows = make_array(DType::f32, {8, 200, 700});
    fill(prepare(s, {.weights = w.views()}), rows.view(), at.at());
    for (double v : numbers(rows.view())) out.push_back(v);
    return out;
  };
  const Threads one(1);
  const Row alone = both();
  const Threads many(5);
  EXPECT_EQ(both(), alone);
}

TEST(Lookups, Boxes) {
  const std::vector<int32_t> box{10, 20, 110, 25, 5, 9, 5, 3};
  const auto at = boxes(tensor(box.data(), {1, 2, 4}));
  EXPECT_EQ(at.ids, (std::vector<int64_t>{10, 5, 20, 9, 110, 5, 25, 3, 5, 0, 100, 0}));
  const std::vector<int32_t> far{0, 0, 5000, 1};
  EXPECT_EQ(boxes(tensor(far.data(), {1, 1, 4})).at(5, 0, 0), 1023);
}

TEST(Lookups, WorkedNumbers) {  // shape (2, 3): position 4 stands at (1, 1)
  const auto at = grid({.height = 2, .width = 3});
  EXPECT_EQ((Row{double(at.at(0, 0, 4)), double(at.at(1, 0, 4))}), (Row{1, 1}));
  const Row first{1, 2}, second{3, 4, 5};
  const Tensor tables[] = {tensor(first.data(), {2, 1}), tensor(second.data(), {3, 1})};
  EXPECT_EQ(row_at(prepare(Axial{.dim = 2, .rows = {2, 3}}, {.weights = tables}), {1, 1}),
            (Row{2, 4}));
}

TEST(Lookups, SpeakUp) {
  Random random(8);
  const auto refused = [&](const Absolute& s, const std::vector<double>& place, const char* part) {
    const Prepared p = prepare_random(s, random);
    expect_message([&] { row_at(p.plan, place); }, part);
  };
  const Axial s{.dim = 4, .rows = {3, 5}};
  refused(s, {2, 5}, "expected positions from 0 to 4 on axis 1, got 5");
  refused(s, {-1, 0}, "expected positions from 0 to 2 on axis 0, got -1");
  const LearnedGrid g{.dim = 2, .height = 3, .width = 4, .prefix = 1};
  const char* outside = "expected places above -1 and below 3 and 4, or from -1 down to -1 for";
  refused(g, {3, 0}, outside);
  refused(g, {-2, 0}, outside);
  refused(g, {0.5, 4}, outside);
  const auto expect = [](const Axial& axial, const char* part) {
    expect_message([&] { axial.check(); }, part);
  };
  expect({.dim = 5, .rows = {3, 5}}, "expected blocks that have 5 columns together, got 4");
  expect({.rows = {3, 0.5}}, "expected rows that are whole numbers from 1 to 1048576, got 0.5");
  expect({.rows = {3, 5}, .block_axes = {1, 1}}, "each axis from 0 to 1 once, got 1,1");
  expect({.rows = {3, 5}, .block_tables = {0, 2}},
         "block_tables that are whole numbers from 0 to 1");
}

}  // namespace
}  // namespace posenc::lookups_test
