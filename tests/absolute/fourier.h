// fourier.h: features of coordinates (NeRF, Perceiver, Gaussian), from the formulas.
#pragma once

#include "tests/support/gradient.h"

namespace posenc {

inline constexpr double pi = std::numbers::pi;
using Row = std::vector<double>;

// [x | sin, cos of every axis at 2^0 | at 2^1 | ...]
inline Row nerf(const Nerf& s, const Row& x) {
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

// [x | sin(pi f x), all bands of an axis, or all axes of a band, together | cos the same way]
inline Row perceiver(const Perceiver& s, const Row& x) {
  Row row, cosines;
  const auto add = [&](size_t a, int64_t k) {
    const double last = s.max_resolution[a] / 2;
    const double part = s.bands > 1 ? static_cast<double>(k) / static_cast<double>(s.bands - 1) : 0;
    const double f =
        s.spacing == Spacing::linear ? 1 + (last - 1) * part : std::exp2(std::log2(last) * part);
    row.push_back(std::sin(pi * f * x[a]));
    cosines.push_back(std::cos(pi * f * x[a]));
  };
  if (s.concat_pos) row = x;
  if (s.order == BandOrder::axes)
    for (size_t a = 0; a < x.size(); ++a)
      for (int64_t k = 0; k < s.bands; ++k) add(a, k);
  if (s.order == BandOrder::bands)
    for (int64_t k = 0; k < s.bands; ++k)
      for (size_t a = 0; a < x.size(); ++a) add(a, k);
  if (!s.sine_only) row.insert(row.end(), cosines.begin(), cosines.end());
  return row;
}

// z = 2 pi (2 c - 1) B, row = [sin z | cos z], or the other way round; or cos(z + 2 pi phase).
inline Row gaussian(const Gaussian& s, const Row& b, const Row& c, const Row& phases = {}) {
  Row row, cosines;
  const double unit = s.unit == Unit::turns ? 2 * pi : 1;
  for (int64_t k = 0; k < s.features; ++k) {
    double z = 0;
    for (size_t a = 0; a < c.size(); ++a) {
      const double x = s.range == CoordinateRange::unit ? 2 * c[a] - 1 : c[a];
      z += unit * x * b[a * static_cast<size_t>(s.features) + static_cast<size_t>(k)];
    }
    if (!phases.empty()) z += unit * phases[static_cast<size_t>(k)];
    row.push_back(std::sin(z)), cosines.push_back(std::cos(z));
  }
  if (s.form != FourierForm::sine_cosine) std::swap(row, cosines);
  if (s.form != FourierForm::phases) row.insert(row.end(), cosines.begin(), cosines.end());
  const auto columns = static_cast<double>(row.size());
  if (s.norm == Norm::rsqrt_dim)
    for (double& x : row) x /= std::sqrt(columns);
  return row;
}

// `fastest` bounds the frequencies, `far` the coordinates. The reference rounds an angle below
// axes * fastest * far at most eight times; a line has one rounding, or one to the type.
inline void expect_rows(const Prepared& p, const auto& formula, double fastest, double far) {
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

}  // namespace posenc
