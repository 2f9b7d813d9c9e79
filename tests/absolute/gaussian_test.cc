// gaussian_test.cc: Fourier features of drawn or trained frequencies, and their gradients.
#include <gtest/gtest.h>

#include "tests/absolute/fourier.h"

namespace posenc::gaussian_test {
namespace {

TEST(Gaussian, MatchesItsFormula) {
  Random random(1);
  for (const Gaussian& s : {Gaussian{}, Gaussian{.coordinates = 1, .features = 5},
                            Gaussian{.coordinates = 3, .features = 7, .deviation = 10},
                            Gaussian{.features = 9, .range = CoordinateRange::as_given}}) {
    const Prepared p = prepare_random(s, random);
    const Row b = numbers(p.weights.arrays[0].view());
    expect_rows(
        p, [&](const Row& c) { return gaussian(s, b, c); }, 4 * pi * s.deviation, 3);
  }
}

Gaussian learnable(int64_t coordinates, int64_t features) {
  Gaussian s{.coordinates = coordinates, .features = features};
  s.range = CoordinateRange::as_given, s.form = FourierForm::cosine_sine;
  s.unit = Unit::radians, s.norm = Norm::rsqrt_dim;
  return s;
}

Gaussian phased(int64_t coordinates, int64_t features, Unit unit = Unit::turns) {
  Gaussian s{.coordinates = coordinates, .features = features};
  s.range = CoordinateRange::as_given, s.form = FourierForm::phases, s.unit = unit;
  return s;
}

TEST(Gaussian, OtherColumnsMatchTheirFormulas) {
  Random random(6);
  for (const Gaussian& s :
       {learnable(1, 5), learnable(2, 33), phased(1, 7), phased(3, 40, Unit::radians)}) {
    const Prepared p = prepare_random(s, random);
    const Row b = numbers(p.weights.arrays[0].view());
    const bool has = s.form == FourierForm::phases;
    const Row phases = has ? numbers(p.weights.arrays[1].view()) : Row{};
    expect_rows(
        p, [&](const Row& c) { return gaussian(s, b, c, phases); }, 4 * pi, 3);
  }
}

TEST(Gaussian, OtherColumnsHaveTheirGradients) {
  Random random(7);
  for (const Gaussian& s : {learnable(1, 4), learnable(3, 4), phased(1, 8), phased(2, 8),
                            phased(1, 8, Unit::radians)}) {
    const Array dout = make_array(DType::f64, {3, 5, 8});
    randomize(dout.view(), random);
    const TestPlaces at(DType::f64, {s.coordinates, 3, 5}, random, 0, 1);
    expect_adjoint(s, random_weights(s, random), dout.view(), at.at(), random,
                   2 * pi * static_cast<double>(s.coordinates + 1));
  }
}

// timm's FourierEmbed(max_res=4, num_bands=2) at (y, x) = (1, -1/2) and ESPnet's and ESMFold2's
// modules, from their formulas by hand: bands pi and 2 pi; w = 2 at position 3; f = 1/4, phase 1/8.
TEST(Gaussian, WorkedNumbersOfOthers) {
  const Perceiver timm{.max_resolution = {4, 4}, .bands = 2, .order = BandOrder::bands};
  const Row row = row_at(prepare(timm), {1, -.5});
  const Row printed{1, -.5, 0, -1, 0, 0, -1, 0, 1, -1};
  ASSERT_EQ(row.size(), printed.size());
  for (size_t c = 0; c < row.size(); ++c) EXPECT_NEAR(row[c], printed[c], 1e-15) << c;
  const Row w{2}, f{.25}, phase{.125};
  const Tensor one[] = {tensor(w.data(), {1, 1})};
  const Row learned = row_at(prepare(learnable(1, 1), {.weights = one}), {3});
  EXPECT_NEAR(learned[0], std::cos(6) / std::sqrt(2), 1e-15);
  EXPECT_NEAR(learned[1], std::sin(6) / std::sqrt(2), 1e-15);
  const Tensor two[] = {tensor(f.data(), {1, 1}), tensor(phase.data(), {1})};
  const Row noise = row_at(prepare(phased(1, 1), {.weights = two}), {.5});
  EXPECT_NEAR(noise[0], std::cos(2 * pi * .25), 1e-15);
}

// A range on one axis takes the fast path, with half a step of shift.
TEST(Gaussian, OfARange) {
  Random random(2);
  const Gaussian s{.coordinates = 1, .features = 40};
  const Prepared p = prepare_random(s, random);
  const Row b = numbers(p.weights.arrays[0].view());
  for (DType dtype : float_types) {
    Guarded out(dtype, {700, 80});
    fill(p.plan, out.view(), range(-100));
    for (int64_t n = 0; n < 700 * 80; n += 7) {  // every column at many places
      const auto c = static_cast<double>(n / 80 - 100);
      const double truth = gaussian(s, b, {c})[static_cast<size_t>(n % 80)];
      // Angles below 2 pi 1200: eight roundings of them.
      ASSERT_NEAR(get(out.view(), n), truth, row_error(dtype, truth) + 8 * 0x1p-53 * 2 * pi * 1200);
    }
  }
}

// dB = 2 pi x (dsin cos z - dcos sin z), summed over all tokens.
TEST(Gaussian, GradientMatchesItsFormula) {
  Random random(3);
  for (int64_t axes : {1, 2, 3})
    for (DType dtype : float_types) {
      const Gaussian s{.coordinates = axes, .features = 35};
      const Weights w = random_weights(s, random);
      const Row b = numbers(w.arrays[0].view());
      const TestPlaces at(DType::f64, {axes, 4, 9}, random, -2, 2, Placement::spaced);
      Guarded dout(dtype, {2, 2, 9, 70}, Placement::swapped);
      randomize(dout.view(), random);
      const Row g = gradient(s, w, dout.view(), at.at());
      Row truth(g.size());
      for (int64_t t = 0; t < 36; ++t) {
        const Row c = at.place(axes, t / 9, t % 9), row = gaussian(s, b, c);
        for (size_t i = 0; i < truth.size(); ++i) {
          const size_t k = i % 35;
          const double turn = get(dout.view(), t * 70 + static_cast<int64_t>(k)) * row[35 + k] -
                              get(dout.view(), t * 70 + 35 + static_cast<int64_t>(k)) * row[k];
          truth[i] += 2 * pi * (2 * c[i / 35] - 1) * turn;
        }
      }
      // 72 terms below 2 pi 7, each from an angle below 2 pi 21 that is off by eight roundings; two
      // sums (sines and cosines) are rounded to the type of the gradient, and their sum again.
      const double term = 2 * pi * 7, angle = 8 * 0x1p-53 * 2 * pi * 21 + 72 * 0x1p-53;
      for (size_t i = 0; i < truth.size(); ++i)
        ASSERT_NEAR(g[i], truth[i],
                    72 * term * angle + 3 * half_ulp(compute_type(dtype), 72 * term));
    }
}

TEST(Gaussian, GradientIsTheAdjoint) {
  Random random(4);
  for (int64_t axes : {1, 2, 3}) {
    const Gaussian s{.coordinates = axes, .features = 4};
    const Array dout = make_array(DType::f64, {3, 5, 8});
    randomize(dout.view(), random);
    const TestPlaces at(DType::f64, {axes, 3, 5}, random, 0, 1);  // 2 c - 1 is below 3
    expect_adjoint(s, random_weights(s, random), dout.view(), at.at(), random,
                   2 * pi * 3 * static_cast<double>(axes));
  }
}

}  // namespace
}  // namespace posenc::gaussian_test
