// forgetting_rows.cc: sums of the gates that each query sets for itself.
#include <cmath>

#include "content/log_gate.h"
#include "cpu/kernels/products.h"
#include "cpu/terms/term.h"
#include "posenc/content/forgetting_rows.h"

namespace posenc::cpu {
namespace {

template <class C>
class ForgettingRowsTerm : public Term<C> {
 public:
  explicit ForgettingRowsTerm(const ForgettingRows& s)
      : s_(s), factor_(1 / std::sqrt(static_cast<double>(s.dim))) {}

  void add(const TermBlock<C>& b, C* scores) const override {
    const auto logits = products(b);
    for (int64_t i = 0; i < b.queries(); ++i) {
      double sum = 0;
      for (int64_t j = b.keys() - 1; j >= 0; --j) {
        const int64_t n = i * b.keys() + j;
        if (has_gate(b, i, j)) sum += s_.gate_scale * log_sigmoid(logit(logits[n]));
        scores[n] += static_cast<C>(sum);
      }
    }
  }

  // A gate is in the term of its own key and of all before it.
  void backward(const TermBlock<C>& b, const C*, C* dscores,
                const TermGradients<C>& to) const override {
    auto dlogits = products(b);
    for (int64_t i = 0; i < b.queries(); ++i) {
      double sum = 0;
      for (int64_t t = 0; t < b.keys(); ++t) {
        const int64_t n = i * b.keys() + t;
        sum += static_cast<double>(dscores[n]);
        const double slope = s_.gate_scale * factor_ * log_sigmoid_slope(logit(dlogits[n]));
        dlogits[n] = has_gate(b, i, t) ? static_cast<C>(sum * slope) : C{0};
      }
    }
    mix_rows<C>(b.queries(), s_.dim, b.keys(), {dlogits.data(), b.keys()}, {b.k, s_.dim},
                {to.dq, s_.dim});
    mix_rows<C>(b.keys(), s_.dim, b.queries(), {dlogits.data(), 1, b.keys()}, {b.q, s_.dim},
                {to.dk, s_.dim});
  }

 private:
  static bool has_gate(const TermBlock<C>& b, int64_t i, int64_t t) {
    return b.key_at(t) < b.query_at(i);
  }
  double logit(C product) const { return factor_ * static_cast<double>(product); }

  // q_i . k_t.
  Scratch<C> products(const TermBlock<C>& b) const {
    Scratch<C> out(b.queries() * b.keys());
    dot_rows<C>(b.queries(), b.keys(), s_.dim, {b.q, s_.dim}, {b.k, s_.dim},
                {out.data(), b.keys()});
    return out;
  }

  ForgettingRows s_;
  double factor_;
};

}  // namespace

template <>
TermPointer<float> make_term(const ForgettingRows& s, const WeightLists<float>&) {
  return std::make_shared<ForgettingRowsTerm<float>>(s);
}
template <>
TermPointer<double> make_term(const ForgettingRows& s, const WeightLists<double>&) {
  return std::make_shared<ForgettingRowsTerm<double>>(s);
}

}  // namespace posenc::cpu
