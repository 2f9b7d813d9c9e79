// deep.h: networks of several hidden layers, all of one width, with silu between them.
#pragma once

#include "relative/forms/layers.h"

namespace posenc::forms {

// Networks may be wide, so the caller supplies their memory: workspace() numbers for each input,
// which hold outputs, sums and gradients of all hidden units, layer by layer. On the CPU forward()
// and backward() do all of one input; a kernel has a thread for each unit of many inputs instead,
// run() and activate() for a layer after the other, then backward_to() and backward_norm() from the
// last on, each with a count of 1; the gradient of a weight [o, i] of layer l is then
// gradients(l)[o] * read(l)[i], summed over inputs in order, with the heads' own g for the last
// layer. Where there is a norm, each of these steps reads what all units did before.
struct DeepNetwork {
  int64_t inputs = 0, hidden = 0, depth = 0, heads = 0;  // depth: hidden layers
  bool norm = false;  // of the sums of a hidden layer, with a learned gain and shift

  POSENC_BOTH int64_t workspace() const { return (norm ? 4 : 3) * depth * hidden; }
  POSENC_BOTH double* outputs(double* work, int64_t l) const { return work + l * hidden; }
  POSENC_BOTH double* sums(double* work, int64_t l) const { return outputs(work, depth + l); }
  POSENC_BOTH double* gradients(double* work, int64_t l) const {
    return outputs(work, 2 * depth + l);
  }
  // Those of what silu reads: the sums', unless there is a norm.
  POSENC_BOTH double* slopes(double* work, int64_t l) const {
    return outputs(work, (norm ? 3 : 2) * depth + l);
  }
  // What layer l reads.
  POSENC_BOTH const double* read(int64_t l, const double* x, double* work) const {
    return l == 0 ? x : outputs(work, l - 1);
  }
  // The weights of layer l; the block begins with them. Those of the norm come after the bias.
  POSENC_BOTH Layer layer(int64_t l) const {
    const int64_t in = l == 0 ? inputs : hidden, out = l == depth ? heads : hidden;
    const int64_t more = norm ? 3 : 1;
    const int64_t at = l == 0 ? 0 : hidden * (inputs + more + (l - 1) * (hidden + more));
    return {in, out, at, at + in * out};
  }
  POSENC_BOTH int64_t gain(int64_t l) const { return layer(l).bias + hidden; }
  POSENC_BOTH int64_t shift(int64_t l) const { return gain(l) + hidden; }

  // What the norm takes from the sums of a layer, and multiplies them by.
  struct Moments {
    double mean, factor;
    POSENC_BOTH double normed(double z) const { return (z - mean) * factor; }
  };
  POSENC_BOTH Moments moments(const double* z) const {
    const auto n = static_cast<double>(hidden);
    double mean = 0, square = 0;
    for (int64_t i = 0; i < hidden; ++i) mean += z[i] / n;
    for (int64_t i = 0; i < hidden; ++i) square += (z[i] - mean) * (z[i] - mean) / n;
    return {mean, 1 / std::sqrt(square + 1e-5)};
  }
  // What silu reads of unit i.
  POSENC_BOTH double argument(const double* block, int64_t l, int64_t i, const Moments& m,
                              const double* z) const {
    return norm ? m.normed(z[i]) * block[gain(l) + i] + block[shift(l) + i] : z[i];
  }
  POSENC_BOTH Moments moments_if(const double* z) const {
    return norm ? moments(z) : Moments{0, 1};
  }

  // The sums of so many units of hidden layer l, from `first` on; then their outputs.
  POSENC_BOTH void run(const double* block, int64_t l, int64_t first, int64_t count,
                       const double* x, double* work) const {
    const Layer at = layer(l);
    const double* in = read(l, x, work);
    for (int64_t o = first; o < first + count; ++o)
      sums(work, l)[o] = at.sum(block, o, [&](int64_t i) { return in[i]; });
  }
  POSENC_BOTH void activate(const double* block, int64_t l, int64_t first, int64_t count,
                            double* work) const {
    const double* z = sums(work, l);
    const Moments m = moments_if(z);
    for (int64_t o = first; o < first + count; ++o) {
      const double y = argument(block, l, o, m, z);
      outputs(work, l)[o] = y / (1 + std::exp(-y));
    }
  }
  POSENC_BOTH void forward(const double* block, const double* x, double* work) const {
    for (int64_t l = 0; l < depth; ++l) {
      run(block, l, 0, hidden, x, work);
      activate(block, l, 0, hidden, work);
    }
  }
  POSENC_BOTH double out(const double* block, int64_t head, double* work) const {
    const double* in = outputs(work, depth - 1);
    return layer(depth).sum(block, head, [&](int64_t i) { return in[i]; });
  }

  // The slopes of so many units of hidden layer l, from the gradients of the layer after it: g, of
  // some heads, where that is the last.
  POSENC_BOTH void backward_to(const double* block, int64_t l, int64_t first, int64_t count,
                               HeadRange some, const double* g, double* work) const {
    const Layer next = layer(l + 1);
    const bool last = l + 1 == depth;
    const HeadRange rows = last ? some : HeadRange{0, hidden};
    const double* from = last ? g : gradients(work, l + 1);
    double* to = slopes(work, l);
    for (int64_t i = first; i < first + count; ++i) to[i] = 0;
    for (int64_t o = 0; o < rows.count; ++o) {
      const double* w = block + next.weight + (rows.first + o) * next.in;
      const double d = from[o];
      for (int64_t i = first; i < first + count; ++i) to[i] += d * w[i];
    }
    const Moments m = moments_if(sums(work, l));
    for (int64_t i = first; i < first + count; ++i) {
      const double y = argument(block, l, i, m, sums(work, l)), s = 1 / (1 + std::exp(-y));
      to[i] *= s * (1 + y * (1 - s));
    }
  }
  // Their gradients, through the norm.
  POSENC_BOTH void backward_norm(const double* block, int64_t l, int64_t first, int64_t count,
                                 double* work) const {
    if (!norm) return;
    const double *z = sums(work, l), *d = slopes(work, l), *gains = block + gain(l);
    const Moments m = moments(z);
    const auto n = static_cast<double>(hidden);
    double mean = 0, along = 0;
    for (int64_t i = 0; i < hidden; ++i) {
      mean += d[i] * gains[i] / n;
      along += d[i] * gains[i] * m.normed(z[i]) / n;
    }
    for (int64_t i = first; i < first + count; ++i)
      gradients(work, l)[i] = m.factor * (d[i] * gains[i] - mean - m.normed(z[i]) * along);
  }
  // Adds to the gradients of all weights, after forward().
  template <class Add>
  POSENC_BOTH void backward(const double* block, HeadRange some, const double* x, const double* g,
                            double* work, const Add& add) const {
    for (int64_t l = depth - 1; l >= 0; --l) {
      backward_to(block, l, 0, hidden, some, g, work);
      backward_norm(block, l, 0, hidden, work);
    }
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
      if (l < depth) add_norm(l, 0, hidden, work, add);
    }
  }
  // Those of the gain and shift of so many units of a layer.
  template <class Add>
  POSENC_BOTH void add_norm(int64_t l, int64_t first, int64_t count, double* work,
                            const Add& add) const {
    if (!norm) return;
    const Moments m = moments(sums(work, l));
    for (int64_t i = first; i < first + count; ++i) {
      add(gain(l) + i, slopes(work, l)[i] * m.normed(sums(work, l)[i]));
      add(shift(l) + i, slopes(work, l)[i]);
    }
  }
};

}  // namespace posenc::forms
