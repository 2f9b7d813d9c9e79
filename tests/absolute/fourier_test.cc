// fourier_test.cc: features of coordinates (NeRF, Perceiver, Gaussian), from the formulas.
#include <gtest/gtest.h>

#include "tests/support/gradient.h"

namespace posenc {
namespace {

constexpr double pi = std::numbers::pi;
using Row = std::vector<double>;

// [x | sin, cos of every axis at 2^0 | at 2^1 | ...]
Row nerf(const Nerf& s, const Row& x) {
  Row row;
  if (s.include_input) row = x;
  for (int64_t k = 0; k < s.bands; ++k) {
    const double last = std::exp2(static_cast<double>(s.bands - 1));
    const double step = s.bands > 1 ? (last - 1) / static_cast<double>(s.bands - 1) : 0;
    const double f = s.spacing == Spacing::octaves ? std::exp2(static_cast<double>(k))
                                                   : 1 + static_cast<double>(k) * step;
    for (double c : x) row.push_back(std::sin(f * c));
    for (double c : x) row.push_back(std::cos(f * c));
  }
  return row;
}

// [x | sin(pi f x), all bands of an axis together | cos the same way]
Row perceiver(const Perceiver& s, const Row& x) {
  Row row, cosines;
  if (s.concat_pos) row = x;
  for (size_t a = 0; a < x.size(); ++a)
    for (int64_t k = 0; k < s.bands; ++k) {
      const double last = s.max_resolution[a] / 2;
      const double part =
          s.bands > 1 ? static_cast<double>(k) / static_cast<double>(s.bands - 1) : 0;
      const double f = 1 + (last - 1) * part;
      row.push_back(std::sin(pi * f * x[a]));
      cosines.push_back(std::cos(pi * f * x[a]));
    }
  if (!s.sine_only) row.insert(row.end(), cosines.begin(), cosines.end());
  return row;
}

// z = 2 pi (2 c - 1) B, row = [sin z | cos z]
Row gaussian(const Gaussian& s, const Row& b, const Row& c) {
  Row row, cosines;
  for (int64_t k = 0; k < s.features; ++k) {
    double z = 0;
    for (size_t a = 0; a < c.size(); ++a) {
      const double x = s.range == CoordinateRange::unit ? 2 * c[a] - 1 : c[a];
      z += 2 * pi * x * b[a * static_cast<size_t>(s.features) + static_cast<size_t>(k)];
    }
    row.push_back(std::sin(z)), cosines.push_back(std::cos(z));
  }
  row.insert(row.end(), cosines.begin(), cosines.end());
  return row;
}

// `fastest` bounds the frequencies, `far` the coordinates. The reference rounds an angle below
// axes * fastest * far at most eight times; a line has one rounding, or one to the type.
void expect_rows(const Prepared& p, const auto& formula, double fastest, double far) {
  Random random(static_cast<uint64_t>(p.plan.dim()));
  const auto axes = p.plan.axes();
  const double reference = 8 * 0x1p-53 * static_cast<double>(axes) * fastest * far + 0x1p-53;
  for (DType dtype : float_types) {
    Guarded out(dtype, {2, 9, p.plan.dim()}, Placement::padded), ids(DType::f64, {axes, 2, 9});
    randomize(ids.view(), random, -far, far);
    fill(p.plan, out.view(), positions(ids.view()));
    ASSERT_TRUE(out.intact());
    for (int64_t t = 0; t < 18; ++t) {
      Row x;
      for (int64_t a = 0; a < axes; ++a) x.push_back(get(ids.view(), a * 18 + t));
      const Row row = formula(x);
      ASSERT_EQ(std::ssize(row), p.plan.dim());
      for (int64_t c = 0; c < p.plan.dim(); ++c) {
        const double truth = row[static_cast<size_t>(c)];
        ASSERT_NEAR(get(out.view(), t * p.plan.dim() + c), truth,
                    reference + row_error(dtype, truth, std::max(1.0, far)))
            << to_string(dtype) << " column " << c;
      }
    }
  }
}

TEST(Fourier, NerfMatchesItsFormula) {
  for (const Nerf& s :
       {Nerf{}, Nerf{.coordinates = 1, .bands = 1}, Nerf{.coordinates = 2, .bands = 5},
        Nerf{.bands = 4, .spacing = Spacing::linear}, Nerf{.bands = 1, .spacing = Spacing::linear},
        Nerf{.coordinates = 5, .bands = 3, .include_input = false}})
    expect_rows(
        {{}, prepare(s)}, [&](const Row& x) { return nerf(s, x); },
        std::exp2(static_cast<double>(s.bands)), 3);
}

TEST(Fourier, PerceiverMatchesItsFormula) {
  for (const Perceiver& s :
       {Perceiver{}, Perceiver{{10}, 1}, Perceiver{{10, 7, 3}, 5}, Perceiver{{16, 9}, 4, false},
        Perceiver{{16, 9}, 4, true, true}, Perceiver{{1}, 3}})
    expect_rows(
        {{}, prepare(s)}, [&](const Row& x) { return perceiver(s, x); }, pi * 112, 1);
}

TEST(Fourier, GaussianMatchesItsFormula) {
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

// A range on one axis takes the fast path, with half a step of shift.
TEST(Fourier, GaussianOfARange) {
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

void expect_printed(const Row& row, const Row& printed) {  // six digits after the point
  ASSERT_EQ(row.size(), printed.size());
  for (size_t c = 0; c < row.size(); ++c) EXPECT_NEAR(row[c], printed[c], 5.1e-7) << c;
}

TEST(Fourier, WorkedNumbers) {
  expect_printed(row_at(prepare(Nerf{.coordinates = 1, .bands = 2}), {.5}),
                 {.5, .479426, .877583, .841471, .540302});
  expect_printed(row_at(prepare(Perceiver{{4}, 2}), {.5}), {.5, 1, 0, 0, -1});
  const Row b{.1, .2, .3, -.4};
  const Tensor weight = tensor(b.data(), {2, 2});
  const Gaussian sam{.coordinates = 2, .features = 2};
  expect_printed(row_at(prepare(sam, {.weights = std::span(&weight, 1)}), {.25, .75}),
                 {.587785, -.951057, .809017, -.309017});
}

// dB = 2 pi x (dsin cos z - dcos sin z), summed over all tokens.
TEST(Fourier, GaussianGradientMatchesItsFormula) {
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

TEST(Fourier, GaussianGradientIsTheAdjoint) {
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
}  // namespace posenc
