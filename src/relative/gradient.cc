// gradient.cc: what the scores' gradient says about everything learned in a bias.
//
// By distance the gradient is first summed along the diagonals, which leaves one number for each
// entry of the line; the scheme's own derivative is then taken there.
#include <algorithm>

#include "base/dispatch.h"
#include "base/half.h"
#include "base/parallel.h"
#include "base/sums.h"
#include "relative/bias_rows.h"
#include "relative/call.h"

namespace posenc {
namespace {

template <class T>
void add_row(const cpu::Block& row, std::vector<double>& sums) {
  const T* from = static_cast<const T*>(row.data);
  if (row.column == 1) {  // the loop compilers know how to vectorize
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += as_double(from[k]);
  } else {
    for (size_t k = 0; k < sums.size(); ++k)
      sums[k] += as_double(from[static_cast<int64_t>(k) * row.column]);
  }
}

// Calls use(batch row, query, g): the gradient of each row of scores of one head, summed over batch
// rows that share positions; 0 where a mask hides the key.
template <class T, class Use>
void for_each_row(const BiasCall& call, const Batch& dout, int64_t head, bool causal,
                  const Use& use) {
  const int64_t keys = call.keys.tokens, together = call.shared() ? call.rows : 1;
  std::vector<double> g(static_cast<size_t>(keys));
  for (int64_t row = 0; row < call.rows; row += together)
    for (int64_t q = 0; q < call.queries.tokens; ++q) {
      std::fill(g.begin(), g.end(), 0.0);
      for (int64_t r = row; r < row + together; ++r) add_row<T>(rows_at(dout, r, head, q), g);
      for (int64_t k = 0; causal && k < keys; ++k)
        if (call.keys.value(row, k) > call.queries.value(row, q)) g[static_cast<size_t>(k)] = 0;
      use(row, q, g);
    }
}

// Sums of dout along the line of one head.
template <class T>
std::vector<double> line_sums(const BiasCall& call, const BiasRows<Compute<T>>& rows,
                              const Batch& dout, int64_t head, bool causal) {
  std::vector<double> sums(static_cast<size_t>(rows.length()));
  for_each_row<T>(
      call, dout, head, causal, [&](int64_t row, int64_t q, const std::vector<double>& g) {
        if (rows.sliding() && call.keys.is_run(row)) {
          double* run = sums.data() + rows.entry(row, q, 0);
          for (size_t k = 0; k < g.size(); ++k) run[k] += g[k];
        } else {
          for (size_t k = 0; k < g.size(); ++k)
            sums[static_cast<size_t>(rows.entry(row, q, static_cast<int64_t>(k)))] += g[k];
        }
      });
  return sums;
}

WeightValues zeros(const std::vector<std::vector<int64_t>>& shapes) {
  WeightValues out;
  for (const auto& shape : shapes) {
    int64_t n = 1;
    for (const int64_t size : shape) n *= size;
    out.emplace_back(static_cast<size_t>(n));
  }
  return out;
}

// All heads of one entry of the line after the other.
template <class T>
void add_lines(const BiasCall& call, const BiasRows<Compute<T>>& rows, const Batch& dout,
               bool causal, WeightValues& dw) {
  std::vector<std::vector<double>> sums(static_cast<size_t>(call.heads));
  parallel_for(call.heads, dout.t.elements() * size_of(dout.t.dtype), [&](int64_t head) {
    sums[static_cast<size_t>(head)] = line_sums<T>(call, rows, dout, head, causal);
  });
  std::vector<double> g(sums.size());
  for (int64_t n = 0; n < rows.length(); ++n) {
    for (size_t h = 0; h < g.size(); ++h) g[h] = call.factor * sums[h][static_cast<size_t>(n)];
    call.formula.backward({call.first_head, call.heads}, 0, rows.first() + static_cast<double>(n),
                          g.data(), dw);
  }
}

// What one head does to the weights, pair by pair.
template <class T>
WeightValues head_gradient(const BiasPlan::Parts& parts, const BiasCall& call, const Batch& dout,
                           int64_t head, bool causal) {
  WeightValues dw = zeros(parts.shapes);
  for_each_row<T>(call, dout, head, causal,
                  [&](int64_t row, int64_t q, const std::vector<double>& sums) {
                    const double query = call.queries.value(row, q);
                    for (int64_t k = 0; k < call.keys.tokens; ++k) {
                      const double g = call.factor * sums[static_cast<size_t>(k)];
                      const double key = call.keys.value(row, k);
                      call.formula.backward({call.first_head + head, 1}, query, key, &g, dw);
                    }
                  });
  return dw;
}

}  // namespace

void backward(const BiasPlan& plan, const Tensor& dout, std::span<const Tensor> dweights,
              const ScoreOptions& options) {
  const auto& parts = plan.parts();
  const BiasCall call = check_call("backward", plan, dout, options);
  check_gradients("backward", parts.shapes, dweights, dout.dtype);
  check_gradients_apart("backward", dweights, {dout, options.queries.ids, options.keys.ids});
  if (parts.shapes.empty() || dout.elements() == 0) return;
  WeightValues sums = zeros(parts.shapes);
  dispatch(dout.dtype, [&]<class T>() {
    const BiasRows<Compute<T>> rows(call);
    const Batch from(dout, 3);
    if (rows.on_line()) return add_lines<T>(call, rows, from, options.causal, sums);
    ordered_parallel_for(
        call.heads, dout.elements() * size_of(dout.dtype),
        [&](int64_t head) { return head_gradient<T>(parts, call, from, head, options.causal); },
        [&](int64_t, const WeightValues& dw) {
          for (size_t w = 0; w < dw.size(); ++w)
            for (size_t i = 0; i < dw[w].size(); ++i) sums[w][i] += dw[w][i];
        });
  });
  for (size_t w = 0; w < sums.size(); ++w) add_values(dweights[w], sums[w]);
}

}  // namespace posenc
