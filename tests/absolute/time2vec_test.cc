// time2vec_test.cc: Time2Vec and its gradient, from the formulas.
#include <gtest/gtest.h>

#include "tests/support/gradient.h"

namespace posenc::time2vec_test {
namespace {

using Row = std::vector<double>;

Row time2vec(const Time2Vec& s, const Row& w, const Row& b, double t) {
  Row row;
  for (size_t c = 0; c < w.size(); ++c) {
    const bool line = c == (s.linear == LinearTerm::first ? 0 : w.size() - 1);
    const double x = w[c] * t + b[c];
    row.push_back(line ? x : s.activation == Activation::sine ? std::sin(x) : std::cos(x));
  }
  return row;
}

const Time2Vec variants[] = {{.dim = 7},
                             {.dim = 1},
                             {.dim = 2, .linear = LinearTerm::last},
                             {.dim = 9, .activation = Activation::cosine},
                             {.dim = 70, .linear = LinearTerm::last}};

TEST(Time2Vec, MatchesItsFormula) {
  Random random(1);
  for (const Time2Vec& s : variants)
    for (DType dtype : float_types) {
      const Prepared p = prepare_random(s, random);
      const Row w = numbers(p.weights.arrays[0].view()), b = numbers(p.weights.arrays[1].view());
      const TestPlaces at(DType::f64, {2, 9}, random, -30, 30, Placement::reversed);
      Guarded out(dtype, {2, 9, s.dim}, Placement::spaced);
      fill(p.plan, out.view(), at.at());
      ASSERT_TRUE(out.intact());
      for (int64_t n = 0; n < out.view().elements(); ++n) {
        const Row row = time2vec(s, w, b, at.place(1, n / s.dim / 9, n / s.dim % 9)[0]);
        const double truth = row[static_cast<size_t>(n % s.dim)];
        // Values and angles are below 33 and rounded twice here; a line is within an ulp.
        const double error = row_error(dtype, truth) + 2 * half_ulp(compute_type(dtype), truth);
        ASSERT_NEAR(get(out.view(), n), truth, error + 2 * 33 * 0x1p-53) << to_string(dtype);
      }
    }
}

TEST(Time2Vec, WorkedNumbers) {
  const Row w{.1, 1, 2}, b{0, 0, .5};
  const Tensor weights[] = {tensor(w.data(), {3}), tensor(b.data(), {3})};
  const Row row = row_at(prepare(Time2Vec{.dim = 3}, {.weights = weights}), {3});
  const double printed[] = {.3, .141120, .215120};
  for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(row[c], printed[c], 5.1e-7);
}

// dw_0 = sum dout t, dw = sum dout F'(w t + b) t, and db the same without t.
TEST(Time2Vec, GradientMatchesItsFormula) {
  Random random(2);
  for (const Time2Vec& s : variants)
    for (DType dtype : float_types) {
      const Weights weights = random_weights(s, random);
      const Row w = numbers(weights.arrays[0].view()), b = numbers(weights.arrays[1].view());
      const TestPlaces at(DType::f64, {4, 70}, random, -9, 9);
      Guarded dout(dtype, {2, 2, 70, s.dim}, Placement::spaced);
      randomize(dout.view(), random);
      const Row g = gradient(s, weights, dout.view(), at.at());
      Row truth(g.size());
      const int64_t line = s.linear == LinearTerm::first ? 0 : s.dim - 1;
      for (int64_t n = 0; n < dout.view().elements(); ++n) {
        const auto c = static_cast<size_t>(n % s.dim);
        const double t = at.place(1, n / s.dim / 70, n / s.dim % 70)[0], x = w[c] * t + b[c];
        const double slope = n % s.dim == line                  ? 1
                             : s.activation == Activation::sine ? std::cos(x)
                                                                : -std::sin(x);
        truth[c] += get(dout.view(), n) * slope * t;
        truth[c + static_cast<size_t>(s.dim)] += get(dout.view(), n) * slope;
      }
      // 280 terms below 10, from angles below 11 that are off by two roundings; one rounding.
      const double error = 280 * 10 * (2 * 11 + 280) * 0x1p-53;
      for (size_t i = 0; i < g.size(); ++i)
        ASSERT_NEAR(g[i], truth[i], error + half_ulp(compute_type(dtype), 2800)) << i;
    }
}

TEST(Time2Vec, GradientIsTheAdjoint) {
  Random random(3);
  for (const Time2Vec& s : variants) {
    const Array dout = make_array(DType::f64, {3, 5, s.dim});
    randomize(dout.view(), random);
    const TestPlaces at(DType::f64, {3, 5}, random, -9, 8);
    expect_adjoint(s, random_weights(s, random), dout.view(), at.at(), random, 9 + 1);
    expect_adjoint(s, random_weights(s, random), dout.view(), range(2), random, 7 + 1);
  }
}

TEST(Time2Vec, GradientIsLinearInItsInput) {
  Random random(4);
  const Time2Vec s{.dim = 5};
  const Weights w = random_weights(s, random);
  const TestPlaces at(DType::f64, {2, 6}, random, -9, 8);
  const Array a = make_array(DType::f64, {2, 6, 5}), b = a, sum = a;
  randomize(a.view(), random), randomize(b.view(), random);
  for (int64_t n = 0; n < 60; ++n) set(sum.view(), n, 3 * get(a.view(), n) - get(b.view(), n));
  const Row ga = gradient(s, w, a.view(), at.at()), gb = gradient(s, w, b.view(), at.at());
  const Row g = gradient(s, w, sum.view(), at.at());
  for (size_t i = 0; i < g.size(); ++i)  // 12 terms below 4 * 9, each with a few roundings
    EXPECT_NEAR(g[i], 3 * ga[i] - gb[i], 12 * 36 * 20 * 0x1p-53);
}

}  // namespace
}  // namespace posenc::time2vec_test
