// sample.h: a few rows and columns of a table, enough to reject a wrong formula at once.
#pragma once

#include <optional>

#include "formula.h"
#include "table.h"

namespace posenc::inspect {

// How far position x frequency may be from the truth when all is computed in f32 (or f64): exp(x)
// is off by |x| ulp for two roundings of x and an ulp of its own, the product by half an ulp, and a
// division in place of a product by as much again. An ulp is at most 2^-23 (2^-52).
double phase_error(double position, double frequency, DType compute);

struct Sample {
  int64_t table_rows = 0, dim = 0;
  std::vector<int64_t> rows, columns;
  std::vector<double> values;  // [rows, columns]
  DType type = DType::f32;     // the narrowest that holds the values
  double size = 1;             // about the amplitude of the sines
  mutable int64_t work = 0;    // elements that formulas were compared with so far

  // Past the limit nothing more is tried: it stands for about a second, on any machine.
  static constexpr int64_t most_work = 10'000'000;
  bool cut() const { return work > most_work; }
  bool empty() const { return rows.empty(); }
  // How far an element may be from a unit sine.
  double tolerance(double position, const Sketch::Tone& tone) const;
};
Sample take_sample(const TableView& table, const TableFacts& facts);

// The factor on a unit formula that gives the sample, if one does.
std::optional<double> factor_for(const Sample& sample, const Formula& unit);

// The share of the sample that the formula gives, with the factor of the first rows; 0 when it is
// less than enough.
struct Share {
  double factor, explained;
};
Share share_of(const Sample& sample, const Formula& unit, double enough);

}  // namespace posenc::inspect
