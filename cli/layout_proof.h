// layout_proof.h: whether converted weights give the scores of the old ones.
#pragma once

#include "files/array.h"
#include "posenc/layout.h"

namespace posenc::cli {

// A weight that makes queries or keys, before and after its conversion.
struct Part {
  enum class Role { projection, bias, gain };
  std::string name;
  bool is_query;
  Role role;
  Array before, after;
};

struct Proof {
  double largest = 0, difference = 0;  // of the scores
  int64_t layers = 0;                  // with a projection to try; others are not
};

// Sends random inputs through the weights of every layer, old and new, turns queries and keys by
// rotary positions in the layout of each, and compares the scores of every query head with its key
// head. Where a layer has only queries or only keys, they are both.
Proof prove(const std::vector<std::vector<Part>>& layers, Layout from, Layout to,
            const HeadSpan& span);

}  // namespace posenc::cli
