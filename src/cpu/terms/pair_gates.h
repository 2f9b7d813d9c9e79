// pair_gates.h: sums of the gates that each query sets for itself.
#pragma once

#include "cpu/kernels/products.h"
#include "cpu/terms/term.h"

namespace posenc::cpu {

template <class C>
class FormTerm<PairGates, C> {
 public:
  FormTerm(const PairGates& form, const TermCall<C>&) : form_(form) {}

  void add(const TermBlock<C>& b, C* scores) const {
    const auto logits = products(b);
    for (int64_t i = 0; i < b.queries(); ++i) {
      double sum = 0;
      for (int64_t j = b.keys() - 1; j >= 0; --j) {
        const int64_t n = i * b.keys() + j;
        if (has_gate(b, i, j)) sum += form_.log_gate(static_cast<double>(logits[n]));
        scores[n] += static_cast<C>(sum);
      }
    }
  }

  // A gate is in the term of its own key and of all before it.
  void backward(const TermBlock<C>& b, const C*, C* dscores, const TermGradients<C>& to) const {
    auto dlogits = products(b);
    for (int64_t i = 0; i < b.queries(); ++i) {
      double sum = 0;
      for (int64_t t = 0; t < b.keys(); ++t) {
        const int64_t n = i * b.keys() + t;
        sum += static_cast<double>(dscores[n]);
        const double slope = form_.slope(static_cast<double>(dlogits[n]));
        dlogits[n] = has_gate(b, i, t) ? static_cast<C>(sum * slope) : C{0};
      }
    }
    mix_rows<C>(b.queries(), form_.dim, b.keys(), {dlogits.data(), b.keys()}, {b.k, form_.dim},
                {to.dq, form_.dim});
    mix_rows<C>(b.keys(), form_.dim, b.queries(), {dlogits.data(), 1, b.keys()}, {b.q, form_.dim},
                {to.dk, form_.dim});
  }

  int64_t sums() const { return 0; }
  void finish(const double*, Gradients) const {}

 private:
  static bool has_gate(const TermBlock<C>& b, int64_t i, int64_t t) {
    return PairGates::has_gate(b.query_at(i), b.key_at(t));
  }

  // q_i . k_t.
  Scratch<C> products(const TermBlock<C>& b) const {
    Scratch<C> out(b.queries() * b.keys());
    dot_rows<C>(b.queries(), b.keys(), form_.dim, {b.q, form_.dim}, {b.k, form_.dim},
                {out.data(), b.keys()});
    return out;
  }

  const PairGates& form_;
};

}  // namespace posenc::cpu
