// deep.h: networks of several hidden layers, all of one width, with silu between them.
#pragma once

#include "relative/forms/layers.h"

namespace posenc::forms {

// Networks may be wide, so the caller supplies their memory: workspace() numbers for each input,
// which hold outputs, sums and gradients of all hidden units, layer by layer. On the CPU forward()
// and backward() do all of one input; a kernel has a thread for each unit of many inputs instead,
// run() for a layer after the other, then backward_to() from the last on, each with a count of 1;
// the gradient of a weight [o, i] of layer l is then gradients(l)[o] * read(l)[i], summed over
// inputs in order, with the heads' own g for the last layer.
struct DeepNetwork {
  int64_t inputs = 0, hidden = 0, depth = 0, heads = 0;  // depth: hidden layers

  POSENC_BOTH int64_t workspace() const { return 3 * depth * hidden; }
  POSENC_BOTH double* outputs(double* work, int64_t l) const { return work + l * hidden; }
  POSENC_BOTH double* sums(double* work, int64_t l) const { return outputs(work, depth + l); }
  POSENC_BOTH double* gradients(double* work, int64_t l) const {
    return outputs(work, 2 * depth + l);
  }
  // What layer l reads.
  POSENC_BOTH const double* read(int64_t l, const double* x, double* work) const {
    return l == 0 ? x : outputs(work, l - 1);
  }
  // The weights of layer l; the block begins with them.
  POSENC_BOTH Layer layer(int64_t l) const {
    const int64_t in = l == 0 ? inputs : hidden, out = l == depth ? heads : hidden;
    const int64_t at = l == 0 ? 0 : hidden * (inputs + 1 + (l - 1) * (hidden + 1));
    return {in, out, at, at + in * out};
  }

  // So many units of hidden layer l, from `first` on.
  POSENC_BOTH void run(const double* block, int64_t l, int64_t first, int64_t count,
                       const double* x, double* work) const {
    const Layer at = layer(l);
    const double* in = read(l, x, work);
    for (int64_t o = first; o < first + count; ++o) {
      const double z = at.sum(block, o, [&](int64_t i) { return in[i]; });
      sums(work, l)[o] = z, outputs(work, l)[o] = z / (1 + std::exp(-z));
    }
  }
  POSENC_BOTH void forward(const double* block, const double* x, double* work) const {
    for (int64_t l = 0; l < depth; ++l) run(block, l, 0, hidden, x, work);
  }
  POSENC_BOTH double out(const double* block, int64_t head, double* work) const {
    const double* in = outputs(work, depth - 1);
    return layer(depth).sum(block, head, [&](int64_t i) { return in[i]; });
  }

  // The gradients of the sums of so many units of hidden layer l, from those of the layer after
  // it: g, of some heads, where that is the last.
  POSENC_BOTH void backward_to(const double* block, int64_t l, int64_t first, int64_t count,
                               HeadRange some, const double* g, double* work) const {
    const Layer next = layer(l + 1);
    const bool last = l + 1 == depth;
    const HeadRange rows = last ? some : HeadRange{0, hidden};
    const double* from = last ? g : gradients(work, l + 1);
    double* to = gradients(work, l);
    for (int64_t i = first; i < first + count; ++i) to[i] = 0;
    for (int64_t o = 0; o < rows.count; ++o) {
      const double* w = block + next.weight + (rows.first + o) * next.in;
      const double d = from[o];
      for (int64_t i = first; i < first + count; ++i) to[i] += d * w[i];
    }
    for (int64_t i = first; i < first + count; ++i) {
      const double z = sums(work, l)[i], s = 1 / (1 + std::exp(-z));
      to[i] *= s * (1 + z * (1 - s));
    }
  }
  // Adds to the gradients of all weights, after forward().
  template <class Add>
  POSENC_BOTH void backward(const double* block, HeadRange some, const double* x, const double* g,
                            double* work, const Add& add) const {
    for (int64_t l = depth - 1; l >= 0; --l) backward_to(block, l, 0, hidden, some, g, work);
    for (int64_t l = 0; l <= depth; ++l) {
      const Layer at = layer(l);
      const HeadRange rows = l == depth ? some : HeadRange{0, hidden};
      const double *in = read(l, x, work), *from = l == depth ? g : gradients(work, l);
      for (int64_t o = 0; o < rows.count; ++o) {
        const int64_t row = rows.first + o;
        const double d = from[o];
        for (int64_t i = 0; i < at.in; ++i) add(at.weight + row * at.in + i, d * in[i]);
        add(at.bias + row, d);
      }
    }
  }
};

}  // namespace posenc::forms
