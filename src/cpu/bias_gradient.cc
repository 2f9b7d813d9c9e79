// bias_gradient.cc: what the scores' gradient says about everything learned in a bias.
//
// By distance the gradient is first summed along the diagonals, which leaves one number for each
// entry of the profile; the scheme's own derivative is then taken there.
#include "base/sums.h"
#include "cpu/biases.h"
#include "cpu/score_rows.h"

namespace posenc::cpu {
namespace {

template <class T>
void add_row(const RowBlock& row, double* sums, int64_t keys) {
  const T* from = static_cast<const T*>(row.data);
  if (row.column == 1) {  // the loop compilers know how to vectorize
    for (int64_t k = 0; k < keys; ++k) sums[k] += as_double(from[k]);
  } else {
    for (int64_t k = 0; k < keys; ++k) sums[k] += as_double(from[k * row.column]);
  }
}

template <class T>
struct BiasGradient {
  const BiasGradientOrder& order;
  Biases<Compute<T>> biases{order.bias, order.at};
  Batch dout{order.dout, 3};
  int64_t heads = order.dout.size(-3), keys = order.at.keys.tokens;
  int64_t bytes = order.dout.elements() * size_of(order.dout.dtype);

  // Calls use(batch row, query, whether keys are a run, g): the gradient of each row of scores of
  // one head, summed over batch rows that share positions; 0 where a mask hides the key.
  template <class Use>
  void for_each_row(int64_t head, const Use& use) const {
    const ScorePlaces& at = order.at;
    const int64_t together = at.shared() ? at.rows : 1;
    Scratch<double> g(keys);
    for (int64_t row = 0; row < at.rows; row += together) {
      const bool run = at.keys.is_run(row);
      for (int64_t q = 0; q < at.queries.tokens; ++q) {
        std::fill(g.begin(), g.end(), 0.0);
        for (int64_t r = row; r < row + together; ++r)
          add_row<T>(scores_at(dout, r, head, q), g.data(), keys);
        at.each_hidden(row, q, run, [&](int64_t k) { g[k] = 0; });
        use(row, q, run, g.data());
      }
    }
  }

  // Sums of dout along the profile of one head.
  void sum_profile(int64_t head, double* sums) const {
    for_each_row(head, [&](int64_t row, int64_t q, bool run, const double* g) {
      if (biases.contiguous() && run) {
        double* to = sums + biases.entry(row, q, 0);
        for (int64_t k = 0; k < keys; ++k) to[k] += g[k];
      } else {
        for (int64_t k = 0; k < keys; ++k) sums[biases.entry(row, q, k)] += g[k];
      }
    });
  }

  // All heads of one entry of the profile after the other.
  void by_profile(double* dweights) const {
    const auto [first, count] = order.bias.range;
    Scratch<double> sums(heads * count, 0), g(heads);
    const int64_t length = count;
    const double zero = 0;
    parallel_for(heads, bytes, [&](int64_t h) { sum_profile(h, sums.data() + h * length); });
    for (int64_t n = 0; n < count; ++n) {
      for (int64_t h = 0; h < heads; ++h) g[h] = order.bias.factor * sums[h * count + n];
      const auto place = static_cast<double>(first + n);
      order.bias.formula->backward({order.bias.first_head, heads}, &zero, {&place, 1}, g.data(),
                                   dweights);
    }
  }

  // What one head does to the weights, pair by pair.
  Sums by_pair(int64_t head) const {
    Sums out(order.dweights);
    const int64_t axes = order.bias.formula->axes();
    Scratch<double> from(axes), places(keys * axes), g(keys);
    for_each_row(head, [&](int64_t row, int64_t q, bool, const double* sums) {
      read_point(order.at.queries, row, q, axes, from.data());
      for (int64_t k = 0; k < keys; ++k) {
        read_point(order.at.keys, row, k, axes, places.data() + k * axes);
        g[k] = order.bias.factor * sums[k];
      }
      order.bias.formula->backward({order.bias.first_head + head, 1}, from.data(),
                                   {places.begin(), places.end()}, g.data(), out.data());
    });
    return out;
  }
};

}  // namespace

void run(const BiasGradientOrder& order) {
  Sums sums(order.dweights);
  dispatch(order.dout.dtype, [&]<class T>() {
    const BiasGradient<T> gradient{order};
    if (gradient.biases.on_profile()) return gradient.by_profile(sums.data());
    ordered_parallel_for(
        gradient.heads, gradient.bytes, [&](int64_t head) { return gradient.by_pair(head); },
        [&](int64_t, const Sums& head) { sums.add(head); });
  });
  sums.add_to(order.dweights);
}

}  // namespace posenc::cpu
