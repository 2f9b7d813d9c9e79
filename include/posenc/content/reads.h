// reads.h: the inputs of a content term.
#pragma once

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

struct ContentReads {
  int64_t dim = 0;  // head size of q and k; 0: neither is read
  bool q = false, k = false, gates = false, scores = false;
  bool distance = false;  // integer positions
  bool hidden = false;    // q and k are hidden states, or separate projections of them
};

// The values of each of a scheme's weights().
using WeightLists = std::vector<std::vector<double>>;

struct TermFormula;  // internal: the term as plain data

}  // namespace posenc
