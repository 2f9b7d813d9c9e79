// identify.h: finds the scheme, or the common mistake, that made the numbers in a tensor.
//
//   const auto m = posenc::model::identify(table);  // f32 [200, 64]
//   m.match     "paper"
//   m.mistake   "wrong-base"
//   m.sentence  "Same as preset paper, except that the frequency base is 1000 instead of 10000."
//
// A table is explained by a preset and as few variations of it as possible: of its base, exponent,
// layout, positions, scale and rounding. Continuous values (base, scale, position) are measured on
// the table; then the explanation is compared with every element.
//
// Sinusoids for the patches of images and videos get the preset and size of their grid. Rotary
// tables (cosines, sines, or both, in the usual arrangements), inverse frequencies and biases of
// scores (slopes, lines, squares) are recognised too: base, length rule, layout, slopes, buckets.
#pragma once

#include "posenc/scheme.h"

namespace posenc {
namespace POSENC_PUBLIC model {

struct Match {
  std::string match;     // a preset of Sinusoidal or GridSinusoidal, or the kind; "": none fits
  std::string mistake;   // ids as listed below, joined by '+'; "" if the table is right
  std::string sentence;  // for people: what it is, and how to fix it
  double error = 0;      // the largest difference between a finite element and the explanation, or
                         // the nearest preset if none fits
  std::vector<std::string> also{};  // presets that explain the table as well
  Sinusoidal scheme{};  // the explanation by sinusoids, as far as options can express it
  // "sinusoidal", "grid-sinusoidal", "rope", "inv_freq", "alibi", "t5", "window", "toeplitz",
  // "mask", or ""
  std::string kind{};
  std::string holds{}, layout{};      // rotary: "cos", "sin", "cos|sin", ...; "half", "plain", ...
  std::string command{};              // that prints these numbers, or ""
  std::optional<SchemeInfo> found{};  // the scheme, if a scheme gives the numbers
  bool within_rounding = false;       // no element differs by more than rounding explains
};

// table: f32, f64, f16 or bf16, [rows, dim] or [..., rows, dim] with equal (or single) tables along
// the other axes; [heads, queries, keys] for biases; [n] for inverse frequencies or slopes. Throws
// Error for another type or shape, no elements, or memory that is not on the CPU.
Match identify(const Tensor& table);

// The result as `posenc identify --json` prints it.
std::string identify_json(const Match& match);

// The id of a mistake and a clause that explains it.
struct Mistake {
  std::string_view id, about;
};
const std::vector<Mistake>& mistakes();

}  // namespace model
}  // namespace posenc
