// identify.h: which scheme made the numbers in a tensor, or which classic mistake.
//
//   posenc::Match m = posenc::identify(read_array("pe.npy").view());
//   m.match     "paper"
//   m.mistake   "wrong-base"
//   m.sentence  "Same as preset paper, except that the frequency base is 1000 instead of 10000."
//
// A table is explained by a preset and as few variations of it as will do: of its base, exponent,
// layout, positions, scale and rounding. What is continuous (base, scale, position) is measured on
// the table; the explanation is then compared with every element of it.
//
// Sinusoids of the patches of images and videos get the preset and size of their grid.
//
// Rotary tables (cosines, sines, both, in the usual arrangements), inverse frequencies, and biases
// of scores (slopes, lines, squares) are told too: base, length rule, layout, slopes, buckets.
#pragma once

#include <string>
#include <vector>

#include "posenc/scheme.h"

namespace posenc {

struct Match {
  std::string match;     // a preset of Sinusoidal or GridSinusoidal, or the kind; "": none fits
  std::string mistake;   // "" when the table is right, else ids as listed below, joined by '+'
  std::string sentence;  // for people: what it is, how to mend it
  double error = 0;      // largest difference between a finite element and the explanation, or,
                         // without a match, the nearest preset
  std::vector<std::string> also{};  // presets that explain the table as well
  Sinusoidal scheme{};  // the explanation with its options, as far as options can say it
  // "sinusoidal", "grid-sinusoidal", "rope", "inv_freq", "alibi", "t5", "window", "toeplitz",
  // "mask", or ""
  std::string kind{};
  std::string holds{}, layout{};      // rotary: "cos", "sin", "cos|sin", ...; "half", "plain", ...
  std::string command{};              // that makes these numbers, or ""
  std::optional<SchemeInfo> found{};  // the scheme, where a scheme gives the numbers
  bool within_rounding = false;       // no element differs by more than rounding explains
};

// An id and the sentence that explains it.
struct Mistake {
  std::string_view id, about;
};
const std::vector<Mistake>& mistakes();

// table: f32, f64, f16 or bf16, [rows, dim] or [..., rows, dim] with equal (or single) tables along
// the other axes; [heads, queries, keys] for biases; [n] for inverse frequencies or slopes. Throws
// Error for another type or shape, no elements, or memory that is not on the CPU.
Match identify(const Tensor& table);

}  // namespace posenc
