// measure.cc: frequencies measured on the columns of a table.
#include "measure.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numbers>

namespace posenc::inspect {
namespace {

struct MeasuredTone {
  double frequency, error;
};

// A run of rows without gaps.
struct Run {
  const TableView& table;
  int64_t first, rows;
  double storage, size;  // error of a number of size 1, and the size of the largest
  DType compute;
};

Run longest_start(const TableView& table, const TableFacts& facts) {
  Run best{table, 0, 0, 0, 1, DType::f32};
  constexpr int64_t looks = 4;  // a padding row may stand near the start
  int64_t r = 0;
  for (int64_t look = 0; look < looks && r < table.rows; ++look) {
    while (r < table.rows && !facts.usable[static_cast<size_t>(r)]) ++r;
    const int64_t first = r;
    while (r < table.rows && facts.usable[static_cast<size_t>(r)]) ++r;
    if (r - first > best.rows) best.first = first, best.rows = r - first;
  }
  return best;
}

double nearest_turn(double angle, double expected) {
  constexpr double turn = 2 * std::numbers::pi;
  return angle + turn * std::round((expected - angle) / turn);
}

// Steps of 1, 2, 4, ... rows; each gives the angle more exactly and the one before tells the turns.
std::optional<MeasuredTone> tone_of_pair(const Run& run, int64_t sine, int64_t cosine) {
  const auto at = [&](int64_t r) {
    return std::complex(run.table.at(run.first + r, cosine), run.table.at(run.first + r, sine));
  };
  const auto start = at(0);
  const double size = std::abs(start);
  if (run.rows < 2 || size == 0) return {};
  std::optional<MeasuredTone> tone;
  for (int64_t m = 1; m < run.rows; m *= 2) {
    const auto steps = static_cast<double>(m);
    const double expected = tone ? tone->frequency * steps : 0;
    const double drift = tone ? phase_error(steps, tone->frequency, run.compute) : 0;
    if (drift > 0.1) break;
    const auto now = at(m);
    if (std::abs(std::abs(now) / size - 1) > 4 * run.storage) return {};
    const double angle = nearest_turn(std::arg(now * std::conj(start)), expected);
    tone = MeasuredTone{angle / steps, (4 * run.storage + drift) / steps};
  }
  return tone;
}

// 2 cos(m w) by least squares over some rows, while the steps stay inside the table.
std::optional<MeasuredTone> tone_of_column(const Run& run, int64_t column) {
  constexpr int64_t most_rows = 32;
  std::optional<MeasuredTone> tone;
  for (int64_t m = 1; 2 * m < run.rows; m *= 2) {
    const auto steps = static_cast<double>(m);
    const double drift = tone ? phase_error(2 * steps, tone->frequency, run.compute) : 0;
    if (drift > 0.1) break;
    double product = 0, squares = 0;
    const int64_t rows = std::min(most_rows, run.rows - 2 * m);
    for (int64_t r = 0; r < rows; ++r) {
      const auto at = [&](int64_t i) { return run.table.at(run.first + r + i, column); };
      product += at(m) * (at(0) + at(2 * m)) / 2, squares += at(m) * at(m);
    }
    if (squares == 0 || std::abs(product) > squares) {
      if (tone) break;
      continue;  // too slow to be seen at this step
    }
    const double angle = std::acos(product / squares);
    constexpr double sums = 0x1p-45;  // their own rounding
    const double noise = 2 * run.storage * run.size / std::sqrt(squares) + drift + sums;
    const double error = noise / std::max(std::sin(angle), 1e-9) / steps;
    if (!tone) {
      if (error * steps < 0.1) tone = MeasuredTone{angle / steps, error};
      if (m > 1) return {};  // the turns before the first sight are not known
      continue;
    }
    const double expected = tone->frequency * steps;
    const double up = nearest_turn(angle, expected), down = nearest_turn(-angle, expected);
    const double best = std::abs(up - expected) < std::abs(down - expected) ? up : down;
    if (std::abs(best - expected) > 4 * tone->error * steps + 4 * error * steps) return {};
    if (error < tone->error) tone = MeasuredTone{best / steps, error};
  }
  return tone;
}

struct Point {
  double index, log, error;
};

// Weighted least squares; `grain` is an error that does not average out.
std::optional<MeasuredLine> line_through(const std::vector<Point>& points, double grain) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (const Point& p : points) {
    const double weight = 1 / (p.error * p.error);
    w += weight, wx += weight * p.index, wy += weight * p.log;
    wxx += weight * p.index * p.index, wxy += weight * p.index * p.log;
  }
  if (points.empty()) return {};
  const double spread = wxx - wx * wx / w;
  const bool sloped = points.size() > 1 && spread > 0;
  MeasuredLine out;
  out.slope = sloped ? (wxy - wx * wy / w) / spread : 0;
  out.intercept = (wy - out.slope * wx) / w;
  out.slope_error = 4 / std::sqrt(std::max(spread, 1e-300)) + std::abs(out.slope) * grain;
  out.intercept_error = 4 * std::sqrt(sloped ? wxx / (w * spread) : 1 / w) + grain;
  for (const Point& p : points)
    if (std::abs(out.intercept + out.slope * p.index - p.log) > 6 * p.error) return {};
  return out;
}

struct Columns {
  int64_t sine = -1, cosine = -1;
};
using ColumnsByIndex = std::map<int64_t, Columns>;

ColumnsByIndex columns_by_index(const Formula& layout, int64_t dim) {
  constexpr int64_t enough = 96;  // indices
  ColumnsByIndex out;
  for (int64_t c = 0; c < dim; ++c) {
    const auto column = layout.column(c);
    if (column.zero || column.index % (dim / enough + 1) != 0) continue;
    (column.cosine ? out[column.index].cosine : out[column.index].sine) = c;
  }
  return out;
}

std::optional<MeasuredLine> line_of_run(const Run& run, const ColumnsByIndex& by_index) {
  const double grain = run.compute == DType::f64 ? 0x1p-46 : 0x1p-22;
  std::vector<Point> points;
  for (const auto& [index, columns] : by_index) {
    const bool both = columns.sine >= 0 && columns.cosine >= 0;
    const auto tone = both ? tone_of_pair(run, columns.sine, columns.cosine)
                           : tone_of_column(run, std::max(columns.sine, columns.cosine));
    if (!tone && both) return {};
    if (!tone || std::abs(tone->frequency) < 8 * tone->error) continue;
    const double log = std::log(std::abs(tone->frequency));
    points.push_back({static_cast<double>(index), log,
                      tone->error / std::abs(tone->frequency) + (std::abs(log) + 1) * grain});
  }
  return line_through(points, grain);
}

}  // namespace

std::optional<MeasuredLine> measure(const TableView& table, const TableFacts& facts,
                                    const Formula& layout, const Sample& sample) {
  const auto by_index = columns_by_index(layout, table.dim);
  Run run = longest_start(table, facts);
  run.size = sample.size;
  for (DType compute : {compute_type(sample.type), DType::f32})
    for (double noise : {1.0, 0x1p4, 0x1p8, 0x1p12}) {  // f32 phases far out are not as good
      run.storage = noise * storage_error(sample.type), run.compute = compute;
      if (run.storage > 0.02) break;
      if (const auto line = line_of_run(run, by_index)) return line;
    }
  return {};
}

double rounded_to_digits(double x, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*e", digits - 1, x);
  return std::strtod(text, nullptr);
}

double fewest_digits(double x, double error) {
  for (int digits = 1; digits < 17; ++digits)
    if (const double value = rounded_to_digits(x, digits); std::abs(std::log(value / x)) <= error)
      return value;
  return x;
}

}  // namespace posenc::inspect
