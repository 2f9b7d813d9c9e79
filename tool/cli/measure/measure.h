// measure.h: how far the rows of a scheme are from the truth, on this machine.
#pragma once

#include "cli/schemes/rows.h"

namespace posenc::cli {

// Positions from `first` up to `last`; label says where it ends: "10^6".
struct Stretch {
  std::string label;
  int64_t first, last;
};
const std::vector<Stretch>& stretches();  // the decades from 10^3 to 10^9, and 2^31
// Those that the scheme has rows for: all, but for mixtures of frequencies, whose plans hold some,
// and for rules that read the length of the text, which end with it.
std::vector<Stretch> stretches_of(const Scheme& scheme, std::optional<int64_t> length);

// Largest errors of one kind of rounding in one type, one for each stretch.
struct Errors {
  std::string numerics;
  DType dtype;
  std::vector<double> largest;
};

struct Accuracy {
  std::vector<Errors> errors;
  double amplitude = 1;  // the most a column can be
};

// What the library promises for rows of that amplitude with the rounding "exact", in f32 or f64.
double promised(DType dtype, double amplitude, Device device = Device::cpu);
double largest(const Accuracy& accuracy, std::string_view numerics, DType dtype);

// Compares columns that are waves with the formula in 100 digits, at random positions, in runs of
// rows and in single ones. All kinds of rounding are held against the exact formula. length: of the
// text, for length rules that ask for it. device: where the rows are filled.
Accuracy measure(const Call& call, const std::vector<Stretch>& where,
                 std::optional<int64_t> length = {}, Device device = Device::cpu);

}  // namespace posenc::cli
