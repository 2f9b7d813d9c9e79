// identify.h: which sinusoidal preset made a table, or which classic mistake.
//
//   posenc::Match m = posenc::identify(read_array("pe.npy").view());
//   m.match     "paper"
//   m.mistake   "wrong-base"
//   m.sentence  "As preset paper, but with base 1000, not 10000."
//
// A table is explained by a preset and as few variations of it as will do: of its base, exponent,
// layout, positions, scale and rounding. What is continuous (base, scale, position) is measured on
// the table; the explanation is then compared with every element of it.
#pragma once

#include <string>
#include <vector>

#include "posenc/absolute/sinusoidal.h"

namespace posenc {

struct Match {
  std::string match;     // name of a preset of Sinusoidal; "" when none explains the table
  std::string mistake;   // "" when the table is right, else ids as listed below, joined by '+'
  std::string sentence;  // for people: what it is, how to mend it
  double error = 0;      // largest difference between a finite element and the explanation, or,
                         // without a match, the nearest preset
  std::vector<std::string> also{};  // presets that explain the table as well
  Sinusoidal scheme{};  // the explanation with its options, as far as options can say it
};

// An id and the sentence that explains it.
struct Mistake {
  std::string_view id, about;
};
const std::vector<Mistake>& mistakes();

// table: f32, f64, f16 or bf16, [rows, dim] or [..., rows, dim] with equal (or single) tables along
// the other axes. Throws Error for another type or shape, no elements, or memory that is not on the
// CPU.
Match identify(const Tensor& table);

}  // namespace posenc
