// rows_proof.h: rows of a resized table against the formula.
#pragma once

#include "model/array.h"
#include "posenc/absolute.h"

namespace posenc::cli {

// Which rows became which: sides of a line or of a grid, after `keep` rows that stay.
struct RowsChange {
  std::vector<int64_t> from{}, to{};
  int64_t keep = 0;
  Resize how = Resize::linear;
};

// The largest number of the formula in f64, and the largest difference from it.
struct RowsProof {
  double largest = 0, difference = 0;
};
RowsProof prove(const Array& old, const Array& made, const RowsChange& change);

}  // namespace posenc::cli
