// frequency_source.cc: where the frequencies of the pairs come from, before any length rule.
#include "posenc/rotary/frequency_source.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace posenc {

Fields Powers::fields() { return {{"unit", &Powers::unit, "unit of a frequency, per position"}}; }

Fields Pixels::fields() {
  using S = Pixels;
  return {{"max_res", &S::max_res, "side in pixels that the bands are made for"},
          {"linear", &S::linear, "equal steps of the frequency, not its logarithm"}};
}

void Pixels::check() const { check_positive("rope", "frequencies.max_res", max_res); }

Fields Periods::fields() {
  using S = Periods;
  return {{"min_period", &S::min_period, "period of the first pair of an axis"},
          {"max_period", &S::max_period, "period of the last pair of an axis"}};
}

void Periods::check() const {
  check_positive("rope", "frequencies.min_period", min_period);
  check_positive("rope", "frequencies.max_period", max_period);
}

Fields AxisPowers::fields() {
  return {{"bases", &AxisPowers::bases, "the base of the frequencies of each axis"}};
}

void AxisPowers::check() const {
  for (const double base : bases) {
    check_positive("rope", "frequencies.bases", base);
    if (base > 1e30) fail("rope", "expected frequencies.bases of at most 1e30, got ", base);
  }
}

Fields ListedFrequencies::fields() {
  return {{"values", &ListedFrequencies::values, "radians per position, one for each pair"}};
}

void ListedFrequencies::check() const {
  for (const double f : values) check_finite("rope", "frequencies.values", f);
}

Fields LearnedFrequencies::fields() {
  using S = LearnedFrequencies;
  return {{"heads", &S::heads, "heads with their own frequencies, or 1"},
          {"axes", &S::axes, "coordinates of a token"}};
}

void LearnedFrequencies::check() const {
  check_size("rope", "frequencies.heads", heads);
  check_size("rope", "frequencies.axes", axes);
}

Fields Fourier::fields() {
  using S = Fourier;
  return {{"heads", &S::heads, "heads with their own coefficients, or 1"},
          {"max_position_embeddings", &S::max_position_embeddings,
           "positions a plan holds; pairs that make less than one turn in them are dropped"},
          {"num_inv_freq", &S::num_inv_freq, "keep this many pairs instead"},
          {"rest", &S::rest, "what happens to the others"}};
}

void Fourier::check() const {
  check_size("rope", "frequencies.heads", heads);
  check_size("rope", "frequencies.max_position_embeddings", max_position_embeddings);
  if (num_inv_freq && *num_inv_freq < 0)
    fail("rope", "expected frequencies.num_inv_freq of at least 0, got ", *num_inv_freq);
}

int64_t Fourier::mixed(double base, int64_t pairs) const {
  if (num_inv_freq) return std::min(*num_inv_freq, pairs);
  const double least = 2 * std::numbers::pi / static_cast<double>(max_position_embeddings);
  int64_t k = 0;
  while (k < pairs && std::pow(base, -static_cast<double>(k) / static_cast<double>(pairs)) > least)
    ++k;
  return k;
}

}  // namespace posenc
