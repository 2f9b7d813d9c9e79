// compare.h: a formula against every element of a table.
#pragma once

#include "sample.h"

namespace posenc::inspect {

struct TableComparison {
  double error = 0;  // largest difference among finite elements, rows counted as `zero` left out
  int64_t elements = 0;                        // that differ by more than rounding explains
  int64_t differing = 0, first_differing = 0;  // rows with such elements
  int64_t zero = 0, first_zero = 0;            // rows of zeros where the formula has none
};

// type: that of the numbers, as Sample says.
TableComparison compare(const TableView& table, const TableFacts& facts, DType type,
                        const Formula& formula);

// The same on the rows and columns of the sample; `explained`: within storage and f64 arithmetic.
struct Closeness {
  double error = 0;
  bool explained = true;
};
Closeness compare(const Sample& sample, const Formula& formula);

// The way of rounding (exact, f32 frequencies, f32 throughout) that is nearest to the sample, and
// how far from it exact numbers are.
struct NearestNumerics {
  Numerics numerics = Numerics::exact;
  double exact_error = 0;
};
NearestNumerics nearest_numerics(const Sample& sample, const Formula& formula);

}  // namespace posenc::inspect
