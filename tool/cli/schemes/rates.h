// rates.h: how fast each pair, or column, of an encoding turns.
#pragma once

#include "cli/schemes/rows.h"

namespace posenc::cli {

struct Rate {
  int64_t head, index, axis;  // index: of the pair, or of the column
  double frequency;           // radians per unit of position
  double unscaled;            // the same without the length rule

  double wavelength() const;  // units of position for a full turn; infinite where nothing turns
};

struct Rates {
  std::string_view unit;  // what an index counts: "pair" or "column"
  std::vector<Rate> list;
};

// One for each pair or column and each axis that turns it; throws a usage error for a scheme whose
// rows are no waves.
Rates rates_of(const Ready& ready);

// One for each pair or column: of several axes the length of the vector of their frequencies.
std::vector<Rate> merged(const std::vector<Rate>& rates);

}  // namespace posenc::cli
