// counted.h: gates, the positions they count, and the table read there.
#pragma once

#include <algorithm>

#include "cpu/kernels/products.h"
#include "cpu/terms/term.h"

namespace posenc::cpu {

template <class C>
class FormTerm<CountedRows, C> {
 public:
  FormTerm(const CountedRows& form, const TermCall<C>& call) : form_(form), call_(call) {}

  void add(const TermBlock<C>& b, C* scores) const {
    const auto z = read_table(b);
    for (int64_t i = 0; i < b.queries(); ++i, scores += b.keys()) {
      const C* row = z.data() + i * form_.positions;
      double p = 0;
      for (int64_t j = b.keys() - 1; j >= 0; --j) {
        if (hidden(b, i, j)) continue;
        if (form_.is_inside(p)) p += gate(b, scores[j]);
        C sum = 0;
        form_.each(p, [&](int64_t n, double w, double) { sum += static_cast<C>(w) * row[n]; });
        scores[j] += sum;
      }
    }
  }

  void backward(const TermBlock<C>& b, const C* scores, C* dscores,
                const TermGradients<C>& to) const {
    const auto z = read_table(b);
    Scratch<double> dz(form_.positions), dp(b.keys());
    for (int64_t i = 0; i < b.queries(); ++i, scores += b.keys(), dscores += b.keys()) {
      std::fill(dz.begin(), dz.end(), 0.0);
      read_backward(b, i, scores, dscores, z.data() + i * form_.positions, dz.data(), dp.data());
      gates_backward(b, i, scores, dp.data(), dscores);
      table_backward(b, i, dz.data(), to);
    }
  }

  int64_t sums() const { return form_.positions * form_.dim; }
  void finish(const double* dsums, Gradients dweights) const {
    const int64_t size = sums();
    for (int64_t h = 0; h < call_.heads; ++h)
      add_numbers(dsums + h * size, size, dweights[0].data());
  }

 private:
  bool hidden(const TermBlock<C>& b, int64_t i, int64_t j) const { return b.at.hides(0, i, j); }
  const C* table() const { return call_.weight(0); }
  double gate(const TermBlock<C>& b, C score) const {
    return CountedRows::gate(static_cast<double>(score), form_.gate_factor(b.scale));
  }

  // z[i, n] = q_i . E_n.
  Scratch<C> read_table(const TermBlock<C>& b) const {
    Scratch<C> z(b.queries() * form_.positions);
    dot_rows<C>(b.queries(), form_.positions, form_.dim, {b.q, form_.dim}, {table(), form_.dim},
                {z.data(), form_.positions});
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
      form_.each(p, [&](int64_t n, double w, double by_p) {
        dz[n] += w * g;
        slope += by_p * static_cast<double>(z[n]);
      });
      dp[j] = g * slope;
    }
  }

  // A gate moves the position of its own key and of all before it.
  void gates_backward(const TermBlock<C>& b, int64_t i, const C* scores, const double* dp,
                      C* dscores) const {
    const double factor = form_.gate_factor(b.scale);
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
    const C* q = b.q + i * form_.dim;
    for (int64_t n = 0; n < form_.positions; ++n) {
      const double g = dz[n];
      if (g == 0) continue;
      for (int64_t f = 0; f < form_.dim; ++f) {
        const int64_t at = n * form_.dim + f;
        to.dsums[at] += g * static_cast<double>(q[f]);
        to.dq[i * form_.dim + f] += static_cast<C>(g) * table()[at];
      }
    }
  }

  const CountedRows& form_;
  const TermCall<C>& call_;
};

}  // namespace posenc::cpu
