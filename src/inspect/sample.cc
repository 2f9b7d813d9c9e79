// sample.cc: which elements are looked at first, and whether a formula gives them.
#include "sample.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace posenc::inspect {
namespace {

// The first few, then ever larger steps to the last, and the same backwards.
std::vector<int64_t> spread(int64_t count, int64_t dense) {
  std::set<int64_t> out;
  for (int64_t i = 0, step = 1; i < count; i += step, step = i < dense ? 1 : i / 4 + 1) {
    out.insert(i);
    out.insert(count - 1 - i);
  }
  return {out.begin(), out.end()};
}

std::vector<int64_t> some_columns(int64_t dim) {
  std::set<int64_t> out;
  const int64_t half = (dim + 1) / 2;  // where the second half of a row may begin
  for (int64_t c : spread(half, 4)) out.insert({c, std::min(c + half, dim - 1)});
  return {out.begin(), out.end()};
}

std::vector<int64_t> some_rows(const std::vector<uint8_t>& usable) {
  std::vector<int64_t> good;
  for (size_t r = 0; r < usable.size(); ++r)
    if (usable[r]) good.push_back(static_cast<int64_t>(r));
  std::vector<int64_t> out;
  for (int64_t i : spread(std::ssize(good), 12)) out.push_back(good[static_cast<size_t>(i)]);
  if (out.size() > 1) std::swap(out[0], out[1]);  // position 0 tells the least
  return out;
}

// The formula at every element of the sample, with how far it may be off.
struct FormulaValues {
  std::vector<double> value, tolerance;
};

// Sums for the least-squares factor; elements count as much as they can be trusted.
struct Fit {
  double vm = 0, mm = 0;
  void add(double v, double m, double tolerance) {
    vm += v * m / (tolerance * tolerance);
    mm += m * m / (tolerance * tolerance);
  }
  double factor() const { return mm > 0 ? vm / mm : 0; }
};

// At least one row must tell something about each column: position 0 does not, and far out f32
// phases are anybody's guess.
bool shows_every_column(const Sample& sample, const Formula& f,
                        const std::vector<double>& tolerance) {
  constexpr double telling = 0.1;
  const size_t columns = sample.columns.size();
  for (size_t c = 0; sample.rows.size() > 1 && c < columns; ++c) {
    bool shown = false;
    for (size_t i = c; i < tolerance.size(); i += columns)
      shown |=
          tolerance[i] < telling && f.position(sample.rows[i / columns], sample.table_rows) != 0;
    if (!shown) return false;
  }
  return true;
}

}  // namespace

double phase_error(double position, double frequency, DType compute) {
  const double ulp = compute == DType::f64 ? 0x1p-52 : 0x1p-23;
  const double angle = std::abs(position * frequency);
  return angle == 0 ? 0 : angle * ulp * (std::abs(std::log(std::abs(frequency))) + 2);
}

// phase_error in f32, with the logarithm that is known.
double Sample::tolerance(double position, const Sketch::Tone& tone) const {
  const double angle = std::abs(position * tone.frequency);
  return storage_error(type) + (angle == 0 ? 0 : angle * 0x1p-23 * (std::abs(tone.log) + 2));
}

Sample take_sample(const TableView& table, const TableFacts& facts) {
  Sample out{table.rows, table.dim, some_rows(facts.usable), some_columns(table.dim), {}};
  double squares = 0, largest = 0;
  for (int64_t r : out.rows)
    for (int64_t c : out.columns) {
      out.values.push_back(table.at(r, c));
      squares += out.values.back() * out.values.back();
      largest = std::max(largest, std::abs(out.values.back()));
    }
  out.type = narrowest(table.dtype, out.values);
  const double mean = squares / std::max<double>(1, static_cast<double>(out.values.size()));
  out.size = std::max(largest, std::sqrt(2 * mean));
  return out;
}

std::optional<double> factor_for(const Sample& sample, const Formula& unit) {
  const Sketch sketch(unit);
  const size_t columns = sample.columns.size();
  const auto larger = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto anchor = static_cast<size_t>(
      std::max_element(sample.values.begin(), sample.values.begin() + std::ssize(sample.columns),
                       larger) -
      sample.values.begin());
  const auto model_at = [&](size_t i, double& tolerance) {
    ++sample.work;
    const double p = unit.position(sample.rows[i / columns], sample.table_rows);
    const Sketch::Tone tone = sketch.tone(sample.columns[i % columns]);
    tolerance = sample.tolerance(p, tone);
    return sketch.value(p, tone);
  };
  double slack0, slack;
  const double v0 = sample.values[anchor], m0 = model_at(anchor, slack0);
  FormulaValues model;
  Fit fit;
  for (size_t i = 0; i < sample.values.size(); ++i) {  // v / m = v0 / m0, without the division
    const double v = sample.values[i], m = model_at(i, slack);
    const double most = 2 * sample.size * (slack * std::abs(m0) + slack0 * std::abs(m));
    if (std::abs(v * m0 - v0 * m) > most) return {};
    model.value.push_back(m), model.tolerance.push_back(slack);
    fit.add(v, m, slack);
  }
  if (!shows_every_column(sample, unit, model.tolerance)) return {};
  // A scale that is not known is only as good as the numbers it was measured on.
  const double own = unit.scheme.amplitude(), storage = storage_error(sample.type);
  const bool is_own = std::abs(fit.factor() / own - 1) <= 2 * storage;
  const double factor = is_own ? own : fit.factor(), more = is_own ? 0 : storage;
  for (size_t i = 0; i < sample.values.size(); ++i)
    if (std::abs(sample.values[i] - factor * model.value[i]) >
        std::abs(factor) * (model.tolerance[i] + more))
      return {};
  if (factor == 0) return {};
  return factor;
}

Share share_of(const Sample& sample, const Formula& unit, double enough) {
  const Sketch sketch(unit);
  const size_t columns = sample.columns.size(), all = sample.values.size();
  const auto position = [&](size_t i) {
    return unit.position(sample.rows[i / columns], sample.table_rows);
  };
  std::vector<Sketch::Tone> tones;
  for (const int64_t c : sample.columns) tones.push_back(sketch.tone(c));
  const auto model = [&](size_t i) {
    ++sample.work;
    return sketch.value(position(i), tones[i % columns]);
  };
  Fit fit;
  for (size_t i = 0; i < std::min(all, 4 * columns); ++i) fit.add(sample.values[i], model(i), 1);
  Share out{fit.factor(), 0};
  size_t missed = 0;
  for (size_t i = 0; i < all; ++i) {
    const double most = unit.lowered.phase ? storage_error(sample.type)
                                           : sample.tolerance(position(i), tones[i % columns]);
    const double error = std::abs(sample.values[i] - out.factor * model(i));
    if (error <= std::abs(out.factor) * most) continue;
    if (static_cast<double>(++missed) > (1 - enough) * static_cast<double>(all)) return out;
  }
  out.explained = 1 - static_cast<double>(missed) / static_cast<double>(all);
  return out;
}

}  // namespace posenc::inspect
