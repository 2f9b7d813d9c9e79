// formula.h: what a score bias is made of.
#pragma once

#include <functional>
#include <span>

#include "base/sums.h"
#include "posenc/relative/reads.h"

namespace posenc {

struct HeadRange {
  int64_t first, count;
};

// Positions are doubles that hold whole numbers, or any numbers where `whole` is false. bias() and
// backward() are called with a query and a key; with 0 and the distance, key or entry where that is
// all the scheme reads.
struct BiasFormula {
  Reads reads = Reads::distance;
  bool whole = false;
  // The biases of so many heads at one place, one after the other.
  std::function<void(HeadRange heads, double query, double key, double* out)> bias{};
  // Adds g[i] times the derivative of head i's bias by each weight; empty when nothing is learned.
  std::function<void(HeadRange heads, double query, double key, const double* g, Gradients dw)>
      backward{};

  // Windows: queries and keys are its tokens, counted row by row; every pair reads one of so many
  // entries.
  int64_t tokens = 0, entries = 0;
  std::function<int64_t(int64_t query, int64_t key)> entry{};
};

// bias(head, query, key), head by head.
template <class Bias>
auto each_head(Bias bias) {
  return [bias](HeadRange heads, double query, double key, double* out) {
    for (int64_t i = 0; i < heads.count; ++i) out[i] = bias(heads.first + i, query, key);
  };
}

// backward(head, query, key, g, dw), head by head.
template <class Backward>
auto each_head_backward(Backward backward) {
  return [backward](HeadRange heads, double query, double key, const double* g, Gradients dw) {
    for (int64_t i = 0; i < heads.count; ++i)
      if (g[i] != 0) backward(heads.first + i, query, key, g[i], dw);
  };
}

}  // namespace posenc
