// layers.h: small networks whose last layer has a row for each head.
#pragma once

#include <cmath>

#include "relative/forms/heads.h"

namespace posenc::forms {

// weight [out, in] and bias [out]: where they lie in the block; a bias at -1 is none.
struct Layer {
  int64_t in = 0, out = 0, weight = 0, bias = -1;

  // Of unit o before its activation; input(i) is input i.
  template <class Input>
  POSENC_BOTH double sum(const double* block, int64_t o, const Input& input) const {
    const double* w = block + weight + o * in;
    double products = 0;
    for (int64_t i = 0; i < in; ++i) products += w[i] * input(i);
    return (bias < 0 ? 0 : block[bias + o]) + products;
  }
};

// One hidden layer with relu, whose units are made as they are read: no memory is needed. Units
// may be taken one after the other, or each by a thread.
struct ShallowNetwork {
  Layer hidden{}, last{};

  POSENC_BOTH double sum(const double* block, int64_t unit, const double* x) const {
    return hidden.sum(block, unit, [&](int64_t i) { return x[i]; });
  }
  POSENC_BOTH static double relu(double z) { return z < 0 ? 0 : z; }
  POSENC_BOTH double out(const double* block, int64_t head, const double* x) const {
    return last.sum(block, head, [&](int64_t unit) { return relu(sum(block, unit, x)); });
  }

  // Adds what one hidden unit passes on of the heads' gradients, g(i), to those of the weights
  // around it, add(where in the block, value), and to that of x.
  template <class G, class Add>
  POSENC_BOTH void unit_backward(const double* block, int64_t unit, HeadRange heads,
                                 const double* x, const G& g, const Add& add, double* dx) const {
    const double z = sum(block, unit, x), y = relu(z);
    double d = 0;
    for (int64_t i = 0; i < heads.count; ++i) {
      const int64_t w = last.weight + (heads.first + i) * last.in + unit;
      const double gi = g(i);
      add(w, gi * y);
      d += gi * block[w];
    }
    d *= z > 0 ? 1 : 0;
    for (int64_t i = 0; i < hidden.in; ++i) {
      const int64_t w = hidden.weight + unit * hidden.in + i;
      add(w, d * x[i]);
      dx[i] += d * block[w];
    }
    add(hidden.bias + unit, d);
  }
  // The same for what belongs to heads alone.
  template <class G, class Add>
  POSENC_BOTH void head_backward(HeadRange heads, const G& g, const Add& add) const {
    for (int64_t i = 0; last.bias >= 0 && i < heads.count; ++i)
      add(last.bias + heads.first + i, g(i));
  }
  template <class G, class Add>
  POSENC_BOTH void backward(const double* block, HeadRange heads, const double* x, const G& g,
                            const Add& add, double* dx) const {
    head_backward(heads, g, add);
    for (int64_t unit = 0; unit < hidden.out; ++unit)
      unit_backward(block, unit, heads, x, g, add, dx);
  }
};
// Its weights lie one after the other, from `first` on.
inline ShallowNetwork shallow_network(int64_t first, int64_t inputs, int64_t hidden, int64_t heads,
                                      bool last_bias = true) {
  const int64_t bias = first + inputs * hidden, weight = bias + hidden;
  return {{inputs, hidden, first, bias},
          {hidden, heads, weight, last_bias ? weight + hidden * heads : -1}};
}

}  // namespace posenc::forms
