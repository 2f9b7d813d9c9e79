// gates.h: sums of the logarithms of forget gates, on the CPU and in kernels.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/both.h"

namespace posenc {

// ln sigmoid(x), and its derivative.
POSENC_BOTH inline double log_sigmoid(double x) {
  return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x));
}
POSENC_BOTH inline double log_sigmoid_slope(double x) { return 1 / (1 + std::exp(x)); }

// A gate is given for each key; the term of a query sums those between it and the key.
struct KeyGates {
  bool before = true;   // of keys before the query; otherwise after it
  bool logits = false;  // what is given; otherwise logarithms
  double scale = 1;

  // The logarithm of a gate, and its derivative by what is given.
  POSENC_BOTH double log_gate(double x) const { return scale * (logits ? log_sigmoid(x) : x); }
  POSENC_BOTH double slope(double x) const { return scale * (logits ? log_sigmoid_slope(x) : 1); }
  POSENC_BOTH double sign() const { return before ? 1 : -1; }
  // The keys [first, end) that the term of a query reaches, whose last key at or before it is this.
  POSENC_BOTH int64_t first(int64_t last_key) const { return before ? 0 : last_key + 1; }
  POSENC_BOTH int64_t end(int64_t last_key, int64_t keys) const {
    return before ? last_key + 1 : keys;
  }
};

// A gate for each query and each key before it, made of their product; the term of a key sums its
// own and those of all keys after it.
struct PairGates {
  int64_t dim = 0;
  double scale = 1, factor = 1;  // of the logarithm, and of the product

  POSENC_BOTH static bool has_gate(double query, double key) { return key < query; }
  // The logarithm of a gate, and its derivative by the product.
  POSENC_BOTH double log_gate(double product) const {
    return scale * log_sigmoid(factor * product);
  }
  POSENC_BOTH double slope(double product) const {
    return scale * factor * log_sigmoid_slope(factor * product);
  }
};

}  // namespace posenc
