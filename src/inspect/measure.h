// measure.h: what a table itself says about its frequencies.
#pragma once

#include "sample.h"

namespace posenc::inspect {

// The frequencies of a table as a line, ln w = intercept + slope * index, and how far off it may
// be.
struct MeasuredLine {
  double intercept = 0, slope = 0;
  double intercept_error = 0, slope_error = 0;
};

// Looks at each frequency index of the formula's layout: at the angle of (sine, cosine) where both
// have it, otherwise at s(p + m) + s(p - m) = 2 cos(m w) s(p). Nothing when the columns do not turn
// steadily, or when their frequencies are no geometric run.
std::optional<MeasuredLine> measure(const TableView& table, const TableFacts& facts,
                                    const Formula& layout, const Sample& sample);

double rounded_to_digits(double x, int digits);
// The number with the fewest digits within a factor exp(error) of x.
double fewest_digits(double x, double error);

}  // namespace posenc::inspect
