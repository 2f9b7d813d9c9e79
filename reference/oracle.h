// oracle.h: the true value of every column of a scheme, at any position.
//
// Written from the options of a scheme alone, as plain as the papers: it shares no frequency, phase
// or table with the library. With the numerics f32-frequencies and torch-f32 the truth is what f32
// arithmetic gives when every single operation is rounded correctly.
#pragma once

#include <functional>
#include <vector>

#include "posenc/scheme.h"
#include "reference/real.h"

namespace posenc::reference {

using Point = std::vector<Real>;                   // one coordinate for each axis
using Weights = std::vector<std::vector<double>>;  // one list for each of the scheme's weights()

struct Column {
  enum class Kind { zero, wave, line } kind = Kind::zero;
  double amplitude = 0;  // of a wave: the most its values can be, rounded
  std::function<Real(const Point&)> value = [](const Point&) { return Real(0); };
};

// Every column of a computed scheme; an Error for a learned table, which has no formula. A rotary
// one has its cosines, then its sines. length: of the text, where a length rule asks for it.
std::vector<Column> columns(const Scheme& scheme, const Weights& weights = {}, int64_t length = 0);

// What a column turns per unit of position, position_scale included, in radians.
Real frequency(const Sinusoidal& scheme, int64_t column);
// What a pair turns per unit of position, the length rule included, in radians.
Real frequency(const Rope& scheme, int64_t pair, int64_t length = 0);

}  // namespace posenc::reference
