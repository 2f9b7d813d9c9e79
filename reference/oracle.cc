// oracle.cc: Fourier features, Time2Vec, time stamps; sinusoidal.cc and rope.cc hold the others.
#include "reference/oracle.h"

#include "reference/formulas.h"

namespace posenc::reference {
namespace {

Column coordinate(size_t axis) {
  return {Column::Kind::line, 0, [=](const Point& p) { return p[axis]; }};
}

// The i-th of n numbers in equal steps from one to the other.
Real linspace(int64_t i, int64_t n, const Real& from, const Real& to) {
  return n == 1 ? from : Real(from + (to - from) * i / (n - 1));
}

}  // namespace

Column wave(bool is_cosine, const Real& amplitude, Angle angle) {
  return {Column::Kind::wave, nearest_f64(abs(amplitude)),
          [=, angle = std::move(angle)](const Point& p) {
            return Real(amplitude * (is_cosine ? cos(angle(p)) : sin(angle(p))));
          }};
}

std::vector<Column> columns_of(const Nerf& s, const Weights&) {
  const auto axes = static_cast<size_t>(s.coordinates);
  std::vector<Column> out;
  for (size_t a = 0; s.include_input && a < axes; ++a) out.push_back(coordinate(a));
  for (int64_t k = 0; k < s.bands; ++k) {
    const Real f = s.spacing == Spacing::octaves
                       ? pow(Real(2), k)
                       : linspace(k, s.bands, 1, pow(Real(2), s.bands - 1));
    for (const bool is_cosine : {false, true})
      for (size_t a = 0; a < axes; ++a)
        out.push_back(wave(is_cosine, 1, [=](const Point& p) { return Real(f * p[a]); }));
  }
  return out;
}

std::vector<Column> columns_of(const Perceiver& s, const Weights&) {
  const size_t axes = s.max_resolution.size();
  std::vector<Column> out;
  for (size_t a = 0; s.concat_pos && a < axes; ++a) out.push_back(coordinate(a));
  const auto bands = static_cast<size_t>(s.bands);
  for (const bool is_cosine : {false, true})
    for (size_t n = 0; n < axes * bands && !(is_cosine && s.sine_only); ++n) {
      const size_t a = s.order == BandOrder::axes ? n / bands : n % axes;
      const auto k = static_cast<int64_t>(s.order == BandOrder::axes ? n % bands : n / axes);
      const Real last = Real(s.max_resolution[a]) / 2;
      const Real f = s.spacing == Spacing::linear ? linspace(k, s.bands, 1, last)
                                                  : pow(last, linspace(k, s.bands, 0, 1));
      out.push_back(wave(is_cosine, 1, [=](const Point& p) { return Real(pi() * f * p[a]); }));
    }
  return out;
}

std::vector<Column> columns_of(const Gaussian& s, const Weights& weights) {
  const auto axes = static_cast<size_t>(s.coordinates), features = static_cast<size_t>(s.features);
  const std::vector<double>& b = weights.at(0);
  const bool phased = s.form == FourierForm::phases;
  const Real unit = s.unit == Unit::turns ? Real(2 * pi()) : Real(1);
  const Real dim = s.row_size();
  const Real amplitude = s.norm == Norm::none        ? Real(1)
                         : s.norm == Norm::rsqrt_dim ? Real(1 / sqrt(dim))
                                                     : Real(sqrt(2 / dim));
  std::vector<Column> out;
  for (const bool second : {false, true})
    for (size_t k = 0; k < features && !(second && phased); ++k) {
      const bool is_cosine = second == (s.form == FourierForm::sine_cosine);
      const double phase = phased ? weights.at(1)[k] : 0;
      out.push_back(wave(is_cosine, amplitude, [=](const Point& p) {
        Real sum = phase;
        for (size_t a = 0; a < axes; ++a)
          sum += (s.range == CoordinateRange::unit ? 2 * p[a] - 1 : p[a]) * b[a * features + k];
        return Real(unit * sum);
      }));
    }
  return out;
}

std::vector<Column> columns_of(const Time2Vec& s, const Weights& weights) {
  std::vector<Column> out;
  for (int64_t c = 0; c < s.dim; ++c) {
    const double w = weights.at(0)[static_cast<size_t>(c)];
    const double b = weights.at(1)[static_cast<size_t>(c)];
    const Angle trend = [=](const Point& p) { return Real(w * p[0] + b); };
    const bool is_line = c == (s.linear == LinearTerm::first ? 0 : s.dim - 1);
    out.push_back(is_line ? Column{Column::Kind::line, 0, trend}
                          : wave(s.activation == Activation::cosine, 1, trend));
  }
  return out;
}

std::vector<Column> columns_of(const Temporal& s, const Weights&) {
  const Real root = sqrt(Real(s.dim));
  std::vector<Column> out;
  for (int64_t k = 0; k < s.dim; ++k) {
    const Real w = pow(root, -linspace(k, s.dim, 0, root));
    out.push_back(wave(true, 1, [=](const Point& p) { return Real(p[0] * w); }));
  }
  return out;
}

std::vector<Column> columns(const Scheme& scheme, const Weights& weights, int64_t length) {
  return std::visit(
      [&](const auto& s) -> std::vector<Column> {
        if constexpr (requires { columns_of(s, weights); }) return columns_of(s, weights);
        if constexpr (requires { columns_of(s, weights, length); })
          return columns_of(s, weights, length);
        fail("reference", "expected a scheme whose formula is written here, got ", s.name);
      },
      scheme);
}

}  // namespace posenc::reference
