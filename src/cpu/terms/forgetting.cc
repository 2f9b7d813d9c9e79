// forgetting.cc: sums of forget gates between keys and queries.
#include "posenc/content/forgetting.h"
#include "content/log_gate.h"
#include "cpu/terms/term.h"

namespace posenc::cpu {
namespace {

template <class C>
class ForgettingTerm : public Term<C> {
 public:
  explicit ForgettingTerm(const Forgetting& s) : s_(s) {}

  void add(const TermBlock<C>& b, C* scores) const override {
    Scratch<double> all(b.keys() + 1);  // f_0 + .. + f_t, which keeps the digits of differences
    all[0] = 0;
    for (int64_t t = 0; t < b.keys(); ++t)
      all[t + 1] = all[t] + log_gate(static_cast<double>(b.gates[t]));
    const double* sums = all.data() + 1;
    for (int64_t i = 0; i < b.queries(); ++i, scores += b.keys()) {
      const int64_t key = key_of(b, i);
      const Range reach = reach_of(key, b.keys());
      for (int64_t j = reach.first; j < reach.end(); ++j)
        scores[j] += static_cast<C>(sign() * (sums[key] - sums[j]));
    }
  }

  // df_t = sum of d sums[s], s >= t.
  void backward(const TermBlock<C>& b, const C*, C* dscores,
                const TermGradients<C>& to) const override {
    Scratch<double> all(b.keys() + 1, 0);
    double* dsums = all.data() + 1;
    for (int64_t i = 0; i < b.queries(); ++i, dscores += b.keys()) {
      const int64_t key = key_of(b, i);
      const Range reach = reach_of(key, b.keys());
      for (int64_t j = reach.first; j < reach.end(); ++j) {
        const double g = sign() * static_cast<double>(dscores[j]);
        dsums[key] += g, dsums[j] -= g;
      }
    }
    double sum = 0;
    for (int64_t t = b.keys() - 1; t >= 0; --t) {
      sum += dsums[t];
      to.dgates[t] += sum * slope(static_cast<double>(b.gates[t]));
    }
  }

 private:
  // f_t, and its derivative by what is given.
  double log_gate(double x) const {
    return s_.gate_scale * (s_.gates == ForgetGates::log ? x : log_sigmoid(x));
  }
  double slope(double x) const {
    return s_.gate_scale * (s_.gates == ForgetGates::log ? 1 : log_sigmoid_slope(x));
  }
  double sign() const { return s_.side == ForgetSide::before ? 1 : -1; }

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
  // The keys of a query that its term reaches.
  Range reach_of(int64_t key, int64_t keys) const {
    return s_.side == ForgetSide::before ? Range{0, key + 1} : Range{key + 1, keys - key - 1};
  }

  Forgetting s_;
};

}  // namespace

template <>
TermPointer<float> make_term(const Forgetting& s, const WeightLists<float>&) {
  return std::make_shared<ForgettingTerm<float>>(s);
}
template <>
TermPointer<double> make_term(const Forgetting& s, const WeightLists<double>&) {
  return std::make_shared<ForgettingTerm<double>>(s);
}

}  // namespace posenc::cpu
