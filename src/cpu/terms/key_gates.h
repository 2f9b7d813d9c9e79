// key_gates.h: sums of forget gates between keys and queries.
#pragma once

#include "cpu/terms/term.h"

namespace posenc::cpu {

template <class C>
class FormTerm<KeyGates, C> {
 public:
  FormTerm(const KeyGates& form, const TermCall<C>&) : form_(form) {}

  void add(const TermBlock<C>& b, C* scores) const {
    Scratch<double> all(b.keys() + 1);  // f_0 + .. + f_t, which keeps the digits of differences
    all[0] = 0;
    for (int64_t t = 0; t < b.keys(); ++t)
      all[t + 1] = all[t] + form_.log_gate(static_cast<double>(b.gates[t]));
    const double* sums = all.data() + 1;
    for (int64_t i = 0; i < b.queries(); ++i, scores += b.keys()) {
      const int64_t key = key_of(b, i);
      const int64_t end = form_.end(key, b.keys());
      for (int64_t j = form_.first(key); j < end; ++j)
        scores[j] += static_cast<C>(form_.sign() * (sums[key] - sums[j]));
    }
  }

  // df_t = sum of d sums[s], s >= t.
  void backward(const TermBlock<C>& b, const C*, C* dscores, const TermGradients<C>& to) const {
    Scratch<double> all(b.keys() + 1, 0);
    double* dsums = all.data() + 1;
    for (int64_t i = 0; i < b.queries(); ++i, dscores += b.keys()) {
      const int64_t key = key_of(b, i);
      const int64_t end = form_.end(key, b.keys());
      for (int64_t j = form_.first(key); j < end; ++j) {
        const double g = form_.sign() * static_cast<double>(dscores[j]);
        dsums[key] += g, dsums[j] -= g;
      }
    }
    double sum = 0;
    for (int64_t t = b.keys() - 1; t >= 0; --t) {
      sum += dsums[t];
      to.dgates[t] += sum * form_.slope(static_cast<double>(b.gates[t]));
    }
  }

  int64_t sums() const { return 0; }
  void finish(const double*, Gradients) const {}

 private:
  // The last key at or before a query, or -1; keys are in the order of their positions.
  static int64_t key_of(const TermBlock<C>& b, int64_t query) {
    const double at = b.query_at(query);
    int64_t low = 0, high = b.keys();
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      b.key_at(middle) <= at ? low = middle + 1 : high = middle;
    }
    return low - 1;
  }

  const KeyGates& form_;
};

}  // namespace posenc::cpu
