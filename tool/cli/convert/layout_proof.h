// layout_proof.h: whether converted weights give the scores of the old ones.
#pragma once

#include "model/array.h"
#include "posenc/layout.h"

namespace posenc::cli {

using Numbers = std::vector<double>;

// What a weight does to queries or keys: makes them of an input, is them, is added or multiplied.
enum class Role { projection, heads, bias, gain };

// All heads of a query or a key, made by the weights before and after their conversion.
struct Made {
  Numbers before, after;
  HeadSpan span;
};

// What weights of that role do, where a projection gets a random input; the same for all of them.
Numbers effect(const Array& weight, Role role);
void add_effect(Numbers& made, const Numbers& effect, Role role);

struct Proof {
  double largest = 0, difference = 0;  // of the scores
  int64_t layers = 0;
  std::string fault{};  // why there is none; empty: the scores are equal
};

// Turns queries and keys by rotary positions in the layout of each, and compares the scores of
// every query head with its key head. A key of other features than a query is one for all heads, of
// which only the turning features count: the last.
void prove(Proof& proof, const Made& queries, const Made& keys, Layout from, Layout to);

}  // namespace posenc::cli
