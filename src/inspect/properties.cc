// properties.cc: what is claimed of positional encodings, measured on a table in f64.
#include "properties.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/interrupt.h"
#include "posenc/shift.h"
#include "verdict.h"

namespace posenc {
namespace {

constexpr double row_error = 4e-16;  // of a unit-amplitude f64 value

// The table under test, its columns as waves where it has them, and its amplitude.
struct Subject {
  const Absolute& scheme;
  AbsolutePlan plan;
  int64_t rows, dim;
  std::vector<double> table;
  std::vector<Wave> waves{};
  double amplitude = 0;  // the largest of a sine column

  const double* row(int64_t p) const { return table.data() + p * dim; }
  double product(int64_t p, int64_t q) const {
    check_interrupt();  // claims compare every row with every other one
    double sum = 0;
    for (int64_t c = 0; c < dim; ++c) sum += row(p)[c] * row(q)[c];
    return sum;
  }
  double distance(int64_t p, int64_t q) const {
    check_interrupt();
    double sum = 0;
    for (int64_t c = 0; c < dim; ++c) sum += (row(p)[c] - row(q)[c]) * (row(p)[c] - row(q)[c]);
    return std::sqrt(sum);
  }
  double distance_error() const {
    return 2 * row_error * std::sqrt(static_cast<double>(dim)) * std::max(amplitude, 1e-300);
  }
  // Is d less than the least by more than both may be off? Their sums of dim squares are rounded.
  bool nearer(double d, double least) const {
    const double sums = static_cast<double>(dim) * std::numeric_limits<double>::epsilon();
    return d + 2 * distance_error() < least * (1 - sums);
  }
  // Products of rows are sums of dim terms, each off by twice the error of a value.
  double product_error() const {
    return 4 * static_cast<double>(dim) * row_error * std::max(amplitude * amplitude, 1e-300);
  }
  bool only_sines() const {
    return !waves.empty() && std::all_of(waves.begin(), waves.end(), [](const Wave& w) {
      return w.kind != Wave::Kind::line && w.frequency.size() <= 1;
    });
  }
};

Subject make_subject(const Absolute& scheme, std::span<const Tensor> weights, int64_t rows) {
  Subject s{scheme, prepare(scheme, {.weights = weights}), rows, 0, {}};
  s.dim = s.plan.dim();
  s.table.resize(static_cast<size_t>(rows * s.dim));
  std::vector<double> points(static_cast<size_t>(rows * s.plan.axes()), 0.5);
  const bool coordinates = s.plan.axes() > 1;
  for (int64_t i = 0; coordinates && i < rows; ++i)
    points[static_cast<size_t>(i)] = static_cast<double>(i) / static_cast<double>(rows);
  fill(s.plan, tensor(s.table.data(), {rows, s.dim}),
       coordinates ? positions(tensor(points.data(), {s.plan.axes(), 1, rows})) : range());
  std::visit(
      [&](const auto& x) {
        if constexpr (requires { x.waves(weights); }) s.waves = x.waves(weights);
      },
      scheme);
  for (const Wave& w : s.waves)
    if (w.kind == Wave::Kind::sine) s.amplitude = std::max(s.amplitude, std::abs(w.amplitude));
  return s;
}

double wavelength(const Wave& w) {
  return 2 * std::numbers::pi / std::abs(radians(w.frequency[0]));
}

Property bounded(const Subject& s) {
  Property p{.name = "bounded-values", .claim = "every value is within [-scale, scale]"};
  for (double v : s.table) p.measured = std::max(p.measured, std::abs(v));
  const bool lines = std::any_of(s.waves.begin(), s.waves.end(),
                                 [](const Wave& w) { return w.kind == Wave::Kind::line; });
  if (s.waves.empty()) return p.evidence = "a learned table may hold any value", p;
  p.bound = s.amplitude * (1 + row_error);
  p.evidence = lines ? "a linear column grows with the position"
                     : said("the largest magnitude in ", s.rows, " rows is ", p.measured);
  return judged(p, !lines && p.measured <= p.bound);
}

Property unique(const Subject& s) {
  Property p{.name = "unique-rows", .claim = "no two positions have the same row"};
  p.measured = std::numeric_limits<double>::infinity();
  int64_t a = 0, b = 0;
  for (int64_t i = 0; i < s.rows; ++i)
    for (int64_t j = i + 1; j < s.rows; ++j)
      if (const double d = s.distance(i, j); s.nearer(d, p.measured)) p.measured = d, a = i, b = j;
  p.bound = s.distance_error();
  p.evidence =
      said("of ", s.rows, " rows, the closest two are ", a, " and ", b, ": ", amount(p), " apart");
  return judged(p, p.measured > p.bound);
}

// One column at a real position.
double value_at(const Subject& s, int64_t column, double position) {
  std::vector<double> row(static_cast<size_t>(s.dim));
  fill(s.plan, tensor(row.data(), {1, s.dim}), positions(tensor(&position, {1})));
  return row[static_cast<size_t>(column)];
}

Property periodic(const Subject& s) {
  Property p{.name = "periodic-pairs", .claim = "each column repeats after its wavelength"};
  if (!s.only_sines()) return p.evidence = "its columns are not all sines of one position", p;
  std::vector<std::string> shown;
  for (int64_t c : {int64_t{0}, s.dim / 2, s.dim - 1}) {
    const Wave& w = s.waves[static_cast<size_t>(c)];
    if (w.kind != Wave::Kind::sine || radians(w.frequency[0]) == 0) continue;
    const double length = wavelength(w);
    for (double at : {0.0, 3.0, 17.0})
      p.measured = std::max(p.measured, std::abs(value_at(s, c, at) - value_at(s, c, at + length)));
    shown.push_back(said(length, " (column ", c, ")"));
  }
  p.bound =
      1e-14 * s.amplitude;  // one turn, its length and the end point rounded to f64, and 4e-16
  p.evidence = "wavelengths in positions: " + join(shown, ", ");
  return judged(p, p.measured <= p.bound);
}

Property aperiodic(const Subject& s) {
  Property p{.name = "aperiodic-rows", .claim = "the whole row does not repeat"};
  p.measured = std::numeric_limits<double>::infinity();
  int64_t nearest = 0;
  for (int64_t k = 1; k < s.rows; ++k)
    if (const double d = s.distance(0, k); s.nearer(d, p.measured)) p.measured = d, nearest = k;
  p.bound = s.distance_error();
  p.evidence =
      said("of ", s.rows, " rows, the closest to row 0 is row ", nearest, ": ", amount(p), " away");
  return judged(p, p.measured > p.bound);
}

Property by_offset(const Subject& s) {
  Property p{.name = "product-by-offset", .claim = "PE(p) . PE(q) depends only on q - p"};
  int64_t worst = 0;
  for (int64_t k = 0; k < s.rows; ++k)
    for (int64_t q = k; q < s.rows; q += std::max<int64_t>(s.rows / 16, 1))
      if (const double d = std::abs(s.product(q - k, q) - s.product(0, k));
          d > p.measured + s.product_error())
        p.measured = d, worst = k;
  p.bound = s.product_error();
  p.evidence = said(p.measured <= p.bound ? "at every offset" : said("at offset ", worst),
                    ", the products differ by ", amount(p));
  return judged(p, p.measured <= p.bound);
}

Property readable(const Subject& s) {
  Property p{.name = "offset-readable",
             .claim = "the offset of two rows can be read from their product"};
  int64_t right = 0, asked = 0;
  const int64_t from = s.rows / 3, most = s.rows - from;
  for (int64_t k = 0; k < most; ++k, ++asked) {
    const double seen = s.product(from, from + k);
    int64_t best = 0;
    for (int64_t j = 1; j < most; ++j)
      if (std::abs(s.product(0, j) - seen) + s.product_error() <
          std::abs(s.product(0, best) - seen))
        best = j;
    right += best == k;
  }
  p.measured = static_cast<double>(right) / static_cast<double>(asked), p.bound = 1;
  p.evidence = said(right, " of ", asked, " offsets from position ", from,
                    " are identified correctly from the products with row 0");
  return judged(p, right == asked);
}

Property moves(const Subject& s) {
  Property p{.name = "shift-matrix",
             .claim = "one matrix M_k moves every row by k: PE(p + k) = M_k PE(p)"};
  const auto* sinusoidal = std::get_if<Sinusoidal>(&s.scheme);
  if (!sinusoidal) return p.evidence = "M_k is defined for sinusoids", p;
  try {
    const int64_t k = std::min<int64_t>(7, s.rows - 1);
    std::vector<double> moved = s.table;
    const Tensor t = tensor(moved.data(), {s.rows, s.dim});
    (shift(*sinusoidal, k - 1) * shift(*sinusoidal, 1)).apply(t, t);
    for (int64_t q = 0; q + k < s.rows; ++q)
      for (int64_t c = 0; c < s.dim; ++c)
        p.measured = std::max(
            p.measured, std::abs(moved[static_cast<size_t>(q * s.dim + c)] - s.row(q + k)[c]));
    p.bound = 1.5e-15 * s.amplitude;
    p.evidence = said("M_", k, " = M_", k - 1, " M_1 is off by ", amount(p));
    return judged(p, p.measured <= p.bound);
  } catch (const Error& error) {
    p.evidence = error.sentence();
    return judged(p, false);
  }
}

Property fastest(const Subject& s) {
  Property p{.name = "fastest-first", .claim = "column 0 repeats fastest, the last one slowest"};
  if (!s.only_sines() || s.waves[0].kind != Wave::Kind::sine)
    return p.evidence = "its columns are not all sines of one position", p;
  size_t last = s.waves.size() - 1;
  if (s.waves[last].kind != Wave::Kind::sine) --last;
  p.measured = wavelength(s.waves[0]), p.bound = wavelength(s.waves[last]);
  p.evidence =
      said("column 0 repeats every ", p.measured, " positions, column ", last, " every ", p.bound);
  return judged(p, p.measured <= p.bound);
}

Property steady_norm(const Subject& s) {
  Property p{.name = "constant-norm", .claim = "all rows have the same norm"};
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (int64_t i = 0; i < s.rows; ++i) {
    const double norm = std::sqrt(s.product(i, i));
    least = std::min(least, norm), most = std::max(most, norm);
  }
  p.measured = most - least, p.bound = s.product_error();
  const bool ok = p.measured <= p.bound;
  p.evidence = ok ? said("every norm is ", most) : said("norms range from ", least, " to ", most);
  return judged(p, ok);
}

}  // namespace

std::vector<Property> check_properties(const Absolute& scheme, std::span<const Tensor> weights,
                                       int64_t rows) {
  check_rows(rows);
  const Subject s = make_subject(scheme, weights, rows);
  return {unique(s),    bounded(s),  periodic(s), aperiodic(s),  fastest(s),
          by_offset(s), readable(s), moves(s),    steady_norm(s)};
}

}  // namespace posenc
