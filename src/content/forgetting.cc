// forgetting.cc: sums of forget gates between keys and queries.
#include "posenc/content/forgetting.h"

#include <algorithm>
#include <cmath>

#include "content/term.h"

namespace posenc {
namespace {

// f_t, and its derivative by what is given.
double log_gate(const Forgetting& s, double x) {
  if (s.gates == ForgetGates::log) return s.gate_scale * x;
  return s.gate_scale * (x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x)));
}
double log_gate_slope(const Forgetting& s, double x) {
  return s.gate_scale * (s.gates == ForgetGates::log ? 1 : 1 / (1 + std::exp(x)));
}

// The last key at or before a query, or -1.
template <class C>
int64_t key_of(const TermBlock<C>& b, int64_t query) {
  return std::upper_bound(b.key_at, b.key_at + b.keys, b.query_at[query]) - b.key_at - 1;
}

// The keys of a query that its term reaches.
struct Reach {
  int64_t first, end;
};
Reach reach_of(const Forgetting& s, int64_t key, int64_t keys) {
  return s.side == ForgetSide::before ? Reach{0, key + 1} : Reach{key + 1, keys};
}

// sums[t + 1] = f_0 + .. + f_t, which keeps the digits of differences.
template <class C>
std::vector<double> gate_sums(const Forgetting& s, const TermBlock<C>& b) {
  std::vector<double> sums(static_cast<size_t>(b.keys) + 1);
  for (int64_t t = 0; t < b.keys; ++t) {
    const auto n = static_cast<size_t>(t);
    sums[n + 1] = sums[n] + log_gate(s, static_cast<double>(b.gates[t]));
  }
  return sums;
}

template <class C>
void add_term(const Forgetting& s, const TermBlock<C>& b, C* scores) {
  const auto all = gate_sums(s, b);
  const double* sums = all.data() + 1;
  const double sign = s.side == ForgetSide::before ? 1 : -1;
  for (int64_t i = 0; i < b.queries; ++i, scores += b.keys) {
    const int64_t key = key_of(b, i);
    const auto [first, end] = reach_of(s, key, b.keys);
    for (int64_t j = first; j < end; ++j) scores[j] += static_cast<C>(sign * (sums[key] - sums[j]));
  }
}

// df_t = sum of d sums[s], s >= t.
template <class C>
void term_backward(const Forgetting& s, const TermBlock<C>& b, const C* dscores, double* dgates) {
  std::vector<double> all(static_cast<size_t>(b.keys) + 1);
  double* dsums = all.data() + 1;
  const double sign = s.side == ForgetSide::before ? 1 : -1;
  for (int64_t i = 0; i < b.queries; ++i, dscores += b.keys) {
    const int64_t key = key_of(b, i);
    const auto [first, end] = reach_of(s, key, b.keys);
    for (int64_t j = first; j < end; ++j) {
      const double g = sign * static_cast<double>(dscores[j]);
      dsums[key] += g, dsums[j] -= g;
    }
  }
  double sum = 0;
  for (int64_t t = b.keys - 1; t >= 0; --t) {
    sum += dsums[t];
    dgates[t] += sum * log_gate_slope(s, static_cast<double>(b.gates[t]));
  }
}

template <class C>
Term<C> term_of(const Forgetting& s) {
  Term<C> out;
  out.add = [s](const TermBlock<C>& b, C* scores) { add_term(s, b, scores); };
  out.backward = [s](const TermBlock<C>& b, const C*, C* dscores, const TermGradients<C>& to) {
    term_backward(s, b, dscores, to.dgates);
  };
  return out;
}

}  // namespace

template <>
Term<float> make_term(const Forgetting& s, const WeightLists<float>&, const TermCall&) {
  return term_of<float>(s);
}
template <>
Term<double> make_term(const Forgetting& s, const WeightLists<double>&, const TermCall&) {
  return term_of<double>(s);
}

}  // namespace posenc
