// decay.h: scores times a kernel of the distance.
#pragma once

#include <cmath>

#include "cpu/terms/term.h"

namespace posenc::cpu {

// Where the distances of a block lie: on one line for ranges, else one for each score.
template <class C>
class BlockDistances {
 public:
  explicit BlockDistances(const TermBlock<C>& b)
      : line_(b.at.queries.at.is_range() && b.at.keys.at.is_range()),
        queries_(b.queries()),
        keys_(b.keys()),
        sizes_(line_ ? queries_ + keys_ - 1 : queries_ * keys_) {
    for (int64_t n = 0; n < count(); ++n) {
      const int64_t i = line_ ? (n < queries_ ? queries_ - 1 - n : 0) : n / keys_;
      const int64_t j = line_ ? (n < queries_ ? 0 : n - queries_ + 1) : n % keys_;
      sizes_[n] = std::abs(b.key_at(j) - b.query_at(i));
    }
  }
  int64_t count() const { return line_ ? queries_ + keys_ - 1 : queries_ * keys_; }
  double size(int64_t n) const { return sizes_[n]; }
  int64_t of(int64_t i, int64_t j) const { return line_ ? j - i + queries_ - 1 : i * keys_ + j; }

 private:
  bool line_;
  int64_t queries_, keys_;
  Scratch<double> sizes_;
};

template <class C>
class FormTerm<ScoreDecay, C> {
 public:
  FormTerm(const ScoreDecay& form, const TermCall<C>& call) : form_(form), call_(call) {}

  void add(const TermBlock<C>& b, C* scores) const {
    if (b.keys() == 0) return;
    const BlockDistances<C> distances(b);
    multiply(b, distances, factors(b, distances), scores);
  }

  void backward(const TermBlock<C>& b, const C* scores, C* dscores,
                const TermGradients<C>& to) const {
    if (b.keys() == 0) return;
    const BlockDistances<C> distances(b);
    const DecayKernel kernel = kernel_of(b);
    Scratch<double> products(distances.count(), 0);  // what each distance's factor is told
    for (int64_t i = 0; i < b.queries(); ++i)
      for (int64_t j = 0; j < b.keys(); ++j) {
        const auto g = static_cast<double>(dscores[i * b.keys() + j]);
        if (g != 0)
          products[distances.of(i, j)] += g * static_cast<double>(scores[i * b.keys() + j]);
      }
    for (int64_t n = 0; n < distances.count(); ++n) {
      const double r = distances.size(n);
      if (products[n] == 0) continue;
      to.dsums[0] += products[n] * kernel.by_a(r), to.dsums[1] += products[n] * kernel.by_p(r);
    }
    multiply(b, distances, factors(b, distances), dscores);
  }

  int64_t sums() const { return 2; }
  void finish(const double* dsums, Gradients dweights) const {
    for (int64_t h = 0; h < call_.heads; ++h)
      for (size_t w = 0; w < 2; ++w)
        dweights[w][static_cast<size_t>(call_.first_head + h)] += *dsums++;
  }

 private:
  DecayKernel kernel_of(const TermBlock<C>& b) const {
    return form_.kernel(static_cast<double>(call_.weight(0)[b.head]),
                        static_cast<double>(call_.weight(1)[b.head]));
  }

  Scratch<double> factors(const TermBlock<C>& b, const BlockDistances<C>& distances) const {
    const DecayKernel kernel = kernel_of(b);
    Scratch<double> out(distances.count());
    for (int64_t n = 0; n < distances.count(); ++n) out[n] = kernel.at(distances.size(n));
    return out;
  }
  static void multiply(const TermBlock<C>& b, const BlockDistances<C>& distances,
                       const Scratch<double>& factors, C* scores) {
    for (int64_t i = 0; i < b.queries(); ++i)
      for (int64_t j = 0; j < b.keys(); ++j, ++scores)
        *scores = static_cast<C>(static_cast<double>(*scores) * factors[distances.of(i, j)]);
  }

  const ScoreDecay& form_;
  const TermCall<C>& call_;
};

}  // namespace posenc::cpu
