// wave.h: one column of a computed table, as data.
//
// Every computed absolute scheme (sinusoidal, Fourier features, Time2Vec, ...) is a list of columns
//
//   sine   amplitude * sin(2 pi (sum over axes of position * frequency + phase))
//   line   sum over axes of position * slope + intercept
//   zero   0
//
// A cosine is a sine with a phase of a quarter turn. One kernel fills the table from the list and
// one computes the gradient; a scheme only makes the list. A number that comes from a learned
// weight has a Link to it, from which the gradient follows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "posenc/frequencies.h"
#include "posenc/tensor.h"

namespace POSENC_PUBLIC posenc {

// The number is weights[weight][entry] * factor (+ a constant); weight -1: not learned.
struct Link {
  int weight = -1;
  int64_t entry = 0;
  double factor = 1;
};

inline constexpr int max_axes = 8;

struct Wave {
  enum class Kind : uint8_t { zero, sine, line } kind = Kind::zero;
  std::vector<Frequency> frequency{};  // sine: one per axis
  Turn phase = 0;                      // sine
  double amplitude = 1;                // sine
  std::vector<double> slope{};         // line: one per axis
  double intercept = 0;                // line

  std::vector<Link> rate_link{};  // of frequency (in turns) or slope, one per axis; or empty
  Link offset_link{};             // of phase (in turns) or intercept
  Link amplitude_link{};
};

Wave sine(const Frequency& f, double amplitude = 1);    // one axis
Wave cosine(const Frequency& f, double amplitude = 1);  // one axis
Wave sine_of_axis(int64_t axis, int64_t axes, const Frequency& f, Turn phase);
Wave line_of_axis(int64_t axis, int64_t axes);  // the coordinate itself

// A learned parameter of a scheme. Its values are passed as tensors and not stored in the scheme.
struct Weight {
  std::string name;
  std::vector<int64_t> shape;
  double mean = 0, deviation = 0;  // initial values: normal, or the mean if 0
};

// The values of a weight as doubles, for any element type and strides.
std::vector<double> values(const Tensor& weight);

}  // namespace posenc
