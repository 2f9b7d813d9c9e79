// compare.cc: the final comparison, with exact phases, over all threads.
#include "compare.h"

#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "base/parallel.h"

namespace posenc::inspect {
namespace {

struct RowResult {
  double error = 0;
  int64_t differing = 0;  // elements
  bool padding = false;
};

double largest_difference(const double* a, const double* b, int64_t n) {
  constexpr int64_t lanes = 8;
  double most[lanes] = {};
  int64_t c = 0;
  for (; c + lanes <= n; c += lanes)
    for (int64_t i = 0; i < lanes; ++i) most[i] = std::max(most[i], std::abs(a[c + i] - b[c + i]));
  for (; c < n; ++c) most[0] = std::max(most[0], std::abs(a[c] - b[c]));
  return *std::max_element(most, most + lanes);
}

class RowCheck {
 public:
  RowCheck(const TableView& table, const TableFacts& facts, DType type, const Formula& formula)
      : table_(table),
        facts_(facts),
        exact_(formula, table.rows),
        formula_(formula),
        amplitude_(std::abs(formula.scheme.amplitude())),
        storage_(storage_error(type) * amplitude_) {
    const Sketch sketch(formula_);
    for (int64_t c = 0; c < table.dim; ++c) frequency_.push_back(sketch.frequency(c));
  }

  RowResult operator()(int64_t row, double* given, double* wanted) const {
    table_.read_row(row, given);
    exact_.row(row, wanted);
    RowResult out;
    if (!facts_.usable[static_cast<size_t>(row)]) {
      for (int64_t c = 0; c < table_.dim; ++c)
        if (!is_finite(given[c])) given[c] = wanted[c];
      out.padding = std::all_of(given, given + table_.dim, [](double x) { return x == 0; });
    }
    out.error = largest_difference(given, wanted, table_.dim);
    out.padding &= out.error > storage_;
    if (out.error > storage_) out.differing = beyond_rounding(row, given, wanted);
    return out;
  }

 private:
  int64_t beyond_rounding(int64_t row, const double* given, const double* wanted) const {
    int64_t count = 0;
    const double p = formula_.position(row, table_.rows);
    for (int64_t c = 0; c < table_.dim; ++c) {
      const double phase = phase_error(p, frequency_[static_cast<size_t>(c)], DType::f32);
      if (std::abs(given[c] - wanted[c]) > storage_ + amplitude_ * phase) ++count;
    }
    return count;
  }

  const TableView& table_;
  const TableFacts& facts_;
  ExactRows exact_;
  Formula formula_;
  double amplitude_, storage_;
  std::vector<double> frequency_;
};

void merge(TableComparison& all, int64_t row, const RowResult& result) {
  if (result.padding) {
    if (all.zero++ == 0) all.first_zero = row;
    return;
  }
  if (result.differing > 0 && all.differing++ == 0) all.first_differing = row;
  all.elements += result.differing;
  all.error = std::max(all.error, result.error);
}

}  // namespace

TableComparison compare(const TableView& table, const TableFacts& facts, DType type,
                        const Formula& formula) {
  constexpr int64_t block = 64;
  const RowCheck check(table, facts, type, formula);
  const int64_t blocks = (table.rows + block - 1) / block;
  std::vector<RowResult> results(static_cast<size_t>(table.rows));
  parallel_for(blocks, table.rows * table.dim * 8, [&](int64_t b) {
    std::vector<double> given(static_cast<size_t>(table.dim)), wanted(given.size());
    for (int64_t r = b * block; r < std::min(table.rows, (b + 1) * block); ++r)
      results[static_cast<size_t>(r)] = check(r, given.data(), wanted.data());
  });
  TableComparison out;
  for (int64_t r = 0; r < table.rows; ++r) merge(out, r, results[static_cast<size_t>(r)]);
  return out;
}

Closeness compare(const Sample& sample, const Formula& formula) {
  const ExactRows exact(formula, sample.table_rows);
  const Sketch sketch(formula);
  const double amplitude = std::abs(formula.scheme.amplitude());
  std::vector<double> row(static_cast<size_t>(sample.dim));
  Closeness out;
  for (size_t i = 0; i < sample.values.size(); ++i) {
    const int64_t r = sample.rows[i / sample.columns.size()];
    const int64_t c = sample.columns[i % sample.columns.size()];
    if (i % sample.columns.size() == 0) exact.row(r, row.data());
    const double error = std::abs(sample.values[i] - row[static_cast<size_t>(c)]);
    const double p = formula.position(r, sample.table_rows);
    const double most =
        storage_error(sample.type) + phase_error(p, sketch.frequency(c), DType::f64);
    out.error = std::max(out.error, error);
    out.explained &= error <= amplitude * most;
  }
  return out;
}

NearestNumerics nearest_numerics(const Sample& sample, const Formula& formula) {
  Formula with = formula;
  Closeness best = compare(sample, with);
  NearestNumerics out{Numerics::exact, best.error};
  if (best.explained || formula.lowered.any()) return out;
  for (Numerics n : {Numerics::f32_frequencies, Numerics::torch_f32}) {
    with.scheme.numerics = n;
    const Closeness now = compare(sample, with);
    if (now.error < best.error) best = now, out.numerics = n;
  }
  return out;
}

}  // namespace posenc::inspect
