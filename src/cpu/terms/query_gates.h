// query_gates.h: gates that queries make, to meet rows of one number.
#pragma once

#include "cpu/terms/term.h"

namespace posenc::cpu {

// Weights: [2 gate_rows, dim], [2 gate_rows] and a scale for each head.
template <class C>
struct QueryGates {
  const RowLookups& form;
  const TermCall<C>& call;
  int64_t dim;

  Scratch<C> values(const TermBlock<C>& b) const {
    const RowSums made = sums_of_rows();
    Scratch<C> out(b.queries());
    for (int64_t i = 0; i < b.queries(); ++i) out[i] = static_cast<C>(value(b, made, i).value);
    return out;
  }

  // Of both sums of rows, both of biases, and the scale.
  int64_t sums() const { return 2 * dim + 3; }
  void backward(const TermBlock<C>& b, const C* dgates, C* dq, double* dsums) const {
    const RowSums made = sums_of_rows();
    double* rest = dsums + 2 * dim;
    for (int64_t i = 0; i < b.queries(); ++i) {
      const GateValue at = value(b, made, i);
      const auto g = static_cast<double>(dgates[i]);
      const double da = g * at.by_a, db = g * at.by_b;
      for (int64_t f = 0; f < dim; ++f) {
        const auto x = static_cast<double>(b.q[i * dim + f]);
        dq[i * dim + f] += static_cast<C>(da * made.rows[f] + db * made.rows[dim + f]);
        dsums[f] += da * x, dsums[dim + f] += db * x;
      }
      rest[0] += da, rest[1] += db, rest[2] += g * at.by_scale;
    }
  }
  void finish(const double* dsums, int64_t head, Gradients dweights) const {
    const double* rest = dsums + 2 * dim;
    const auto first = static_cast<size_t>(form.gate);
    for (int64_t o = 0; o < 2 * gate_rows; ++o) {
      add_numbers(dsums + o / gate_rows * dim, dim, dweights[first].data() + o * dim);
      dweights[first + 1][static_cast<size_t>(o)] += rest[o / gate_rows];
    }
    dweights[first + 2][static_cast<size_t>(head)] += rest[2];
  }

 private:
  // Rows and biases of the weights that are summed to one number, for a and b.
  struct RowSums {
    Scratch<double> rows;
    double bias[2];
  };
  RowSums sums_of_rows() const {
    const C *weight = call.weight(form.gate), *bias = call.weight(form.gate + 1);
    RowSums out{Scratch<double>(2 * dim, 0), {0, 0}};
    for (int64_t o = 0; o < 2 * gate_rows; ++o) {
      out.bias[o / gate_rows] += static_cast<double>(bias[o]);
      for (int64_t f = 0; f < dim; ++f)
        out.rows[o / gate_rows * dim + f] += static_cast<double>(weight[o * dim + f]);
    }
    return out;
  }

  GateValue value(const TermBlock<C>& b, const RowSums& made, int64_t i) const {
    double sum_a = made.bias[0], sum_b = made.bias[1];
    for (int64_t f = 0; f < dim; ++f) {
      const auto x = static_cast<double>(b.q[i * dim + f]);
      sum_a += x * made.rows[f], sum_b += x * made.rows[dim + f];
    }
    return {sum_a, sum_b, static_cast<double>(call.weight(form.gate + 2)[b.head])};
  }
};

}  // namespace posenc::cpu
