// frequency_source.cc: where the frequencies of the pairs come from, before any length rule.
#include "posenc/rotary/frequency_source.h"

namespace posenc {

Fields Powers::fields() {
  return {{"unit", &Powers::unit, "what a frequency counts per position"}};
}

Fields Pixels::fields() {
  using S = Pixels;
  return {{"max_res", &S::max_res, "pixels of a side the bands are made for"},
          {"linear", &S::linear, "equal steps of the frequency, not its logarithm"}};
}

void Pixels::check() const { check_positive("rope", "frequencies.max_res", max_res); }

Fields Periods::fields() {
  using S = Periods;
  return {{"min_period", &S::min_period, "of the first pair of an axis"},
          {"max_period", &S::max_period, "of the last"}};
}

void Periods::check() const {
  check_positive("rope", "frequencies.min_period", min_period);
  check_positive("rope", "frequencies.max_period", max_period);
}

Fields ListedFrequencies::fields() {
  return {{"values", &ListedFrequencies::values, "radians per position, one for each pair"}};
}

void ListedFrequencies::check() const {
  for (const double f : values) check_finite("rope", "frequencies.values", f);
}

Fields LearnedFrequencies::fields() {
  using S = LearnedFrequencies;
  return {{"heads", &S::heads, "heads with frequencies of their own, or 1"},
          {"axes", &S::axes, "coordinates of a token"}};
}

void LearnedFrequencies::check() const {
  check_size("rope", "frequencies.heads", heads);
  check_size("rope", "frequencies.axes", axes);
}

}  // namespace posenc
