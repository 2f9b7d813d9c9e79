// convolve.cc: layers of convolutions, forward and back.
#include "base/batch.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "base/parallel.h"
#include "base/sums.h"
#include "cpu/activation.h"
#include "cpu/convolution.h"

namespace posenc::cpu {
namespace {

Window window_of(const Convolution& s, const Tensor& x, int64_t height, int64_t width) {
  const int64_t tall = s.coordinates == 2 ? s.kernel : 1;
  return {Batch(x, 2).rows, height, width, s.dim, s.groups, tall, s.kernel};
}

// Calls f(row, token of the tensor, first element of the dense copy) for every token that counts.
template <class F>
void for_each_token(const Window& w, const F& f) {
  parallel_for(w.rows * w.area(), w.elements() * 4,
               [&](int64_t n) { f(n / w.area(), n % w.area(), n * w.dim); });
}

// The patches of a tensor, one after the other.
template <class C>
void load(const Window& w, const Tensor& t, int64_t prefix, C* out) {
  const Batch from(t, 2);
  dispatch(t.dtype, [&]<class T>() {
    for_each_token(w, [&](int64_t row, int64_t token, int64_t at) {
      for (int64_t c = 0; c < w.dim; ++c)
        out[at + c] =
            static_cast<C>(as_double(*static_cast<const T*>(from.at(row, prefix + token, c))));
    });
  });
}

// out = numbers, or in + numbers, rounded once; the prefix has none.
template <class C>
void store(const Window& w, const C* numbers, const Tensor* in, int64_t prefix, const Tensor& t) {
  const Batch to(t, 2), from(in ? *in : t, 2);
  dispatch(t.dtype, [&]<class T>() {
    const auto put = [&](int64_t row, int64_t token, const C* number) {
      for (int64_t c = 0; c < w.dim; ++c) {
        const C value = number ? number[c] : C{0};
        const double was = in ? as_double(*static_cast<const T*>(from.at(row, token, c))) : 0;
        *static_cast<T*>(to.at(row, token, c)) = rounded_once<T>(static_cast<C>(was) + value);
      }
    };
    for (int64_t row = 0; row < w.rows; ++row)
      for (int64_t token = 0; token < prefix; ++token) put(row, token, nullptr);
    for_each_token(
        w, [&](int64_t row, int64_t token, int64_t at) { put(row, prefix + token, numbers + at); });
  });
}

// What the layers read and what their convolutions give. Where only the end counts, two buffers
// take turns, and a layer's activation is done in place.
template <class C>
struct Trace {
  const ConvolutionPlan::Parts& plan;
  Window w;
  bool whole;
  int64_t layers = std::ssize(plan.layers);
  Scratch<C> memory{w.elements() * (whole ? 2 * layers + 1 : 2)};

  C* input(int64_t layer) { return memory.data() + (whole ? layer : layer % 2) * w.elements(); }
  C* sum(int64_t layer) {
    return whole ? memory.data() + (layers + 1 + layer) * w.elements() : input(layer + 1);
  }
  const ConvolutionLayer& weights(int64_t layer) const {
    return plan.layers[static_cast<size_t>(layer)];
  }

  // From input(0) to input(layers), which is returned.
  const C* run() {
    for (int64_t layer = 0; layer < layers; ++layer) {
      C *z = sum(layer), *h = input(layer + 1);
      const auto& bias = weights(layer).bias;
      for_each_token(w, [&](int64_t, int64_t, int64_t at) {
        for (int64_t c = 0; c < w.dim; ++c)
          z[at + c] = static_cast<C>(bias[static_cast<size_t>(c)]);
      });
      convolve<C>(w, input(layer), packed_weights<C>(w, weights(layer), false).data(), false, z);
      for_each_token(w, [&](int64_t, int64_t, int64_t at) {
        std::copy_n(z + at, z == h ? 0 : w.dim, h + at);
        activate(plan.scheme, h + at);
      });
    }
    return input(layers);
  }
};

// Adds the gradients of one layer's weights, to be found at `first` of dweights.
template <class C>
void add_layer_gradient(const Trace<C>& trace, int64_t layer, const C* in, const C* dz,
                        std::span<const Tensor> dweights) {
  const Window& w = trace.w;
  const ConvolutionLayer& weights = trace.weights(layer);
  const bool normed = trace.plan.scheme.weight_norm;
  Scratch<double> sums(std::ssize(weights.unit), 0), bias(w.dim, 0);
  add_tap_gradient(w, in, dz, sums.data());
  for (int64_t n = 0; n < w.elements(); ++n) bias[n % w.dim] += static_cast<double>(dz[n]);
  const std::span<double> all(sums.begin(), sums.end());
  if (normed) {
    Scratch<double> g(w.taps(), 0);
    through_weight_norm(weights, all, {g.begin(), g.end()});
    add_values(dweights[0], {g.begin(), g.end()});
  }
  add_values(dweights[normed ? 1 : 0], all);
  add_values(dweights.back(), {bias.begin(), bias.end()});
}

// dh, the gradient of input(layers), becomes that of input(0).
template <class C>
void run_back(Trace<C>& trace, C* dh, bool wants_dx, std::span<const Tensor> dweights) {
  const Window& w = trace.w;
  const size_t each = dweights.size() / static_cast<size_t>(trace.layers);
  for (int64_t layer = trace.layers - 1; layer >= 0; --layer) {
    C* z = trace.sum(layer);
    for_each_token(w, [&](int64_t, int64_t, int64_t at) {
      activate_back(trace.plan.scheme, z + at, dh + at);
    });
    if (each > 0)
      add_layer_gradient<C>(trace, layer, trace.input(layer), dh,
                            dweights.subspan(static_cast<size_t>(layer) * each, each));
    if (layer == 0 && !wants_dx) return;
    std::fill_n(z, w.elements(), C{0});
    const auto turned = packed_weights<C>(w, trace.weights(layer), true);
    convolve<C>(w, dh, turned.data(), true, z);
    std::copy_n(z, w.elements(), dh);
  }
}

}  // namespace

void run(const ConvolveOrder& order) {
  if (order.x.elements() == 0) return;
  const Convolution& s = order.plan.scheme;
  const Window w = window_of(s, order.x, order.height, order.width);
  dispatch_compute(order.x.dtype, [&]<class C>() {
    Trace<C> trace{order.plan, w, false};
    load(w, order.x, s.prefix, trace.input(0));
    store(w, trace.run(), order.add_input ? &order.x : nullptr, s.prefix, order.out);
  });
}

void run(const ConvolveGradientOrder& order) {
  if (order.x.elements() == 0) return;
  const Convolution& s = order.plan.scheme;
  const Window w = window_of(s, order.x, order.height, order.width);
  dispatch_compute(order.x.dtype, [&]<class C>() {
    Trace<C> trace{order.plan, w, true};
    load(w, order.x, s.prefix, trace.input(0));
    trace.run();
    Scratch<C> dh(w.elements());
    load(w, order.dout, s.prefix, dh.data());
    run_back(trace, dh.data(), order.dx.rank > 0, order.dweights);
    if (order.dx.rank > 0)
      store(w, dh.data(), order.add_input ? &order.dout : nullptr, s.prefix, order.dx);
  });
}

}  // namespace posenc::cpu
