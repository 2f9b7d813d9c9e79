// cope.cc: gates, the positions they count, and the table read there.
#include <algorithm>
#include <cmath>

#include "content/cope_rows.h"
#include "cpu/kernels/products.h"
#include "cpu/terms/term.h"
#include "posenc/content/cope.h"

namespace posenc::cpu {
namespace {

template <class C>
class CopeTerm : public Term<C> {
 public:
  CopeTerm(const Cope& s, const std::vector<C>& table)
      : s_(s), rows_(cope_rows(s)), table_(table) {}

  void add(const TermBlock<C>& b, C* scores) const override {
    const auto z = read_table(b);
    for (int64_t i = 0; i < b.queries(); ++i, scores += b.keys()) {
      const C* row = z.data() + i * s_.positions;
      double p = 0;
      for (int64_t j = b.keys() - 1; j >= 0; --j) {
        if (hidden(b, i, j)) continue;
        if (rows_.is_inside(p)) p += gate(b, scores[j]);
        C sum = 0;
        rows_.each(p, [&](int64_t n, double w, double) { sum += static_cast<C>(w) * row[n]; });
        scores[j] += sum;
      }
    }
  }

  void backward(const TermBlock<C>& b, const C* scores, C* dscores,
                const TermGradients<C>& to) const override {
    const auto z = read_table(b);
    Scratch<double> dz(s_.positions), dp(b.keys());
    for (int64_t i = 0; i < b.queries(); ++i, scores += b.keys(), dscores += b.keys()) {
      std::fill(dz.begin(), dz.end(), 0.0);
      read_backward(b, i, scores, dscores, z.data() + i * s_.positions, dz.data(), dp.data());
      gates_backward(b, i, scores, dp.data(), dscores);
      table_backward(b, i, dz.data(), to);
    }
  }

  int64_t sums(const TermCall<C>&) const override { return s_.positions * s_.dim; }
  void finish(const TermCall<C>& call, const double* dsums, Gradients dweights) const override {
    const int64_t size = sums(call);
    for (int64_t h = 0; h < call.heads; ++h)
      add_numbers(dsums + h * size, size, dweights[0].data());
  }

 private:
  bool hidden(const TermBlock<C>& b, int64_t i, int64_t j) const { return b.at.hides(0, i, j); }
  double gate(const TermBlock<C>& b, C score) const {
    const double factor = s_.scaled_gates ? b.scale : 1;
    return 1 / (1 + std::exp(-factor * static_cast<double>(score)));
  }

  // z[i, n] = q_i . E_n.
  Scratch<C> read_table(const TermBlock<C>& b) const {
    Scratch<C> z(b.queries() * s_.positions);
    dot_rows<C>(b.queries(), s_.positions, s_.dim, {b.q, s_.dim}, {table_.data(), s_.dim},
                {z.data(), s_.positions});
    return z;
  }

  // From the gradient of a query's terms to that of z and of the positions of its keys.
  void read_backward(const TermBlock<C>& b, int64_t i, const C* scores, const C* dscores,
                     const C* z, double* dz, double* dp) const {
    double p = 0;
    for (int64_t j = b.keys() - 1; j >= 0; --j) {
      dp[j] = 0;
      if (hidden(b, i, j)) continue;
      p += gate(b, scores[j]);
      const auto g = static_cast<double>(dscores[j]);
      double slope = 0;
      rows_.each(p, [&](int64_t n, double w, double by_p) {
        dz[n] += w * g;
        slope += by_p * static_cast<double>(z[n]);
      });
      dp[j] = g * slope;
    }
  }

  // A gate moves the position of its own key and of all before it.
  void gates_backward(const TermBlock<C>& b, int64_t i, const C* scores, const double* dp,
                      C* dscores) const {
    const double factor = s_.scaled_gates ? b.scale : 1;
    double dgate = 0;
    for (int64_t t = 0; t < b.keys(); ++t) {
      if (hidden(b, i, t)) continue;
      dgate += dp[t];
      const double g = gate(b, scores[t]);
      dscores[t] += static_cast<C>(dgate * factor * g * (1 - g));
    }
  }

  void table_backward(const TermBlock<C>& b, int64_t i, const double* dz,
                      const TermGradients<C>& to) const {
    const C* q = b.q + i * s_.dim;
    for (int64_t n = 0; n < s_.positions; ++n) {
      const double g = dz[n];
      if (g == 0) continue;
      for (int64_t f = 0; f < s_.dim; ++f) {
        const int64_t at = n * s_.dim + f;
        to.dsums[at] += g * static_cast<double>(q[f]);
        to.dq[i * s_.dim + f] += static_cast<C>(g) * table_[static_cast<size_t>(at)];
      }
    }
  }

  Cope s_;
  CopeRows rows_;
  const std::vector<C>& table_;
};

}  // namespace

template <>
TermPointer<float> make_term(const Cope& s, const WeightLists<float>& weights) {
  return std::make_shared<CopeTerm<float>>(s, weights[0]);
}
template <>
TermPointer<double> make_term(const Cope& s, const WeightLists<double>& weights) {
  return std::make_shared<CopeTerm<double>>(s, weights[0]);
}

}  // namespace posenc::cpu
