// reads.h: what a content term reads.
#pragma once

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

struct ContentReads {
  int64_t dim = 0;  // head size of q and k; 0: neither is read
  bool q = false, k = false, gates = false, scores = false;
  bool distance = false;  // whole positions
  bool hidden = false;    // q and k hold hidden states, or are made of them for the term alone
};

// The numbers of each of a scheme's weights().
using WeightLists = std::vector<std::vector<double>>;

struct TermFormula;  // internal: the term as plain data

}  // namespace posenc
