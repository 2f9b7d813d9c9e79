// networks.h: networks of a distance, of FIRE's ratio and of an offset inside a window.
#pragma once

#include "relative/forms/deep.h"

namespace posenc::forms {

// A deep network of query - key, or of its logarithm.
struct DistanceNetwork {
  DeepNetwork network{};
  bool log = false;
  const double* block = nullptr;

  struct Inputs {
    double x;
    double* work;
  };
  POSENC_BOTH int64_t workspace() const { return network.workspace(); }
  POSENC_BOTH double input(double query, double key) const {
    const double r = query - key;
    return log ? std::copysign(std::log1p(std::abs(r)), r) : r;
  }
  POSENC_BOTH Inputs at(double query, double key, double* work) const {
    const double x = input(query, key);
    network.forward(block, &x, work);
    return {x, work};
  }
  POSENC_BOTH double bias(int64_t head, const Inputs& at) const {
    return network.out(block, head, at.work);
  }
  template <class Add>
  POSENC_BOTH void backward(HeadRange heads, const Inputs& at, const double* g,
                            const Add& add) const {
    network.backward(block, heads, &at.x, g, at.work, add);
  }
};

// A shallow network of u = f(query - key) / (f(max(query, |mu| length)) + eps), f(x) =
// ln(1 + |c x|). c and mu come first in the block.
struct RatioNetwork {
  ShallowNetwork network{};
  double length = 1, eps = 0;
  const double* block = nullptr;

  struct Inputs {
    double distance, query, u;
  };
  POSENC_BOTH double c() const { return block[0]; }
  POSENC_BOTH double mu() const { return block[1]; }
  POSENC_BOTH double f(double x) const { return std::log1p(std::abs(c() * x)); }
  POSENC_BOTH double f_by_c(double x) const {
    return std::copysign(x, c()) / (std::abs(c() * x) + 1);
  }
  POSENC_BOTH double edge() const { return std::abs(mu()) * length; }
  POSENC_BOTH double farthest(double query) const { return query < edge() ? edge() : query; }
  POSENC_BOTH double divisor(double query) const { return f(farthest(query)) + eps; }

  POSENC_BOTH Inputs at(double query, double key, double*) const {
    return {query - key, query, f(query - key) / divisor(query)};
  }
  POSENC_BOTH double bias(int64_t head, const Inputs& at) const {
    return network.out(block, head, &at.u);
  }

  POSENC_BOTH double u_by_c(const Inputs& at) const {
    return (f_by_c(at.distance) - at.u * f_by_c(farthest(at.query))) / divisor(at.query);
  }
  POSENC_BOTH double u_by_mu(const Inputs& at) const {
    if (at.query >= edge()) return 0;
    const double f_by_x = std::abs(c()) / (std::abs(c()) * edge() + 1);
    return -at.u / divisor(at.query) * f_by_x * std::copysign(length, mu());
  }
  template <class Add>
  POSENC_BOTH void backward(HeadRange heads, const Inputs& at, const double* g,
                            const Add& add) const {
    double du = 0;
    network.backward(
        block, heads, &at.u, [&](int64_t i) { return g[i]; }, add, &du);
    add(0, du * u_by_c(at));
    add(1, du * u_by_mu(at));
  }
  // The part of one hidden unit, and what belongs to heads alone.
  template <class Add>
  POSENC_BOTH void unit_backward(int64_t unit, HeadRange heads, const Inputs& at, const double* g,
                                 const Add& add) const {
    double du = 0;
    network.unit_backward(
        block, unit, heads, &at.u, [&](int64_t i) { return g[i]; }, add, &du);
    add(0, du * u_by_c(at));
    add(1, du * u_by_mu(at));
  }
  template <class Add>
  POSENC_BOTH void head_backward(HeadRange heads, const Inputs&, const double* g,
                                 const Add& add) const {
    network.head_backward(
        heads, [&](int64_t i) { return g[i]; }, add);
  }
};

// A shallow network of the offset that an entry stands for. Its outputs for all entries, and what
// it read for them, are in the block: [entries, heads] and [entries, 2].
struct OffsetNetwork {
  static constexpr double gain = 16;
  ShallowNetwork network{};
  bool sigmoid = false;  // gain * sigmoid(network) in the network's place
  int64_t outputs = 0, inputs = 0;
  const double* block = nullptr;

  POSENC_BOTH double make(int64_t head, int64_t entry) const {
    const double z = network.out(block, head, block + inputs + 2 * entry);
    return sigmoid ? gain * (1 / (1 + std::exp(-z))) : z;
  }
  POSENC_BOTH int64_t at(double, double entry, double*) const {
    return static_cast<int64_t>(entry);
  }
  POSENC_BOTH double bias(int64_t head, int64_t entry) const {
    return block[outputs + entry * network.last.out + head];
  }
  // The gradient of a head before the sigmoid.
  POSENC_BOTH double before(int64_t head, int64_t entry, double g) const {
    const double y = bias(head, entry);
    return sigmoid ? g * (y * (1 - y / gain)) : g;
  }
  template <class Add>
  POSENC_BOTH void backward(HeadRange heads, int64_t entry, const double* g, const Add& add) const {
    const auto dz = [&](int64_t i) { return before(heads.first + i, entry, g[i]); };
    double unused[2] = {};
    network.backward(block, heads, block + inputs + 2 * entry, dz, add, unused);
  }
  // The part of one hidden unit, and what belongs to heads alone.
  template <class Add>
  POSENC_BOTH void unit_backward(int64_t unit, HeadRange heads, int64_t entry, const double* g,
                                 const Add& add) const {
    const auto dz = [&](int64_t i) { return before(heads.first + i, entry, g[i]); };
    double unused[2] = {};
    network.unit_backward(block, unit, heads, block + inputs + 2 * entry, dz, add, unused);
  }
  template <class Add>
  POSENC_BOTH void head_backward(HeadRange heads, int64_t entry, const double* g,
                                 const Add& add) const {
    const auto dz = [&](int64_t i) { return before(heads.first + i, entry, g[i]); };
    network.head_backward(heads, dz, add);
  }
};

}  // namespace posenc::forms
