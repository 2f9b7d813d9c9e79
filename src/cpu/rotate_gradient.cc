// rotate_gradient.cc: the gradient of learned frequencies, through that of the cosines and sines.
//
//   (y_a, y_b) = (a cos - b sin, a sin + b cos)    dcos = dy_a a + dy_b b    dsin = dy_b a - dy_a b
//
// The rows of the table are waves, and waves know their own gradient.
#include "base/dispatch.h"
#include "base/half.h"
#include "base/sums.h"
#include "cpu/rotate.h"

namespace posenc::cpu {
namespace {

// Where a and b of pair k lie among the features of a head.
struct PairPlace {
  int64_t a, b;
};
PairPlace place(const RotarySpan& span, bool interleaved, int64_t k) {
  const int64_t pairs = span.pairs / span.blocks, i = k % pairs;
  const int64_t first = span.first + 2 * (k / pairs) * pairs;
  return interleaved ? PairPlace{first + 2 * i, first + 2 * i + 1}
                     : PairPlace{first + i, first + pairs + i};
}

struct RotateGradient {
  const RotateOrder& rotation;
  Side sides[2] = {{rotation.q, true}, {rotation.k, false}};
  int64_t dim = rotation.rows.dim, tokens = rotation.at.tokens;

  // The gradient of the rows [tokens, dim] of batch rows [first, end), which share places.
  void add_rows(int64_t first, int64_t end, double* out) const {
    const int64_t bytes = sides[0].bytes() + sides[1].bytes();
    std::fill_n(out, tokens * dim, 0.0);
    parallel_for(tokens, bytes, [&](int64_t token) {
      dispatch(rotation.any().dtype, [&]<class T>() {
        for (const Side& side : sides)
          for (int64_t row = first; side.given() && row < end; ++row)
            for (int64_t h = 0; h < side.count; ++h)
              add_head<T>(side, row, token, h,
                          rotation.at.value(first, token) + shift_of(rotation.rows),
                          out + token * dim);
      });
    });
  }

  // What one head of one token does to its row of dcos and dsin.
  template <class T>
  void add_head(const Side& side, int64_t row, int64_t token, int64_t h, double position,
                double* drow) const {
    const RotarySpan& span = rotation.span;
    const auto x = heads_at(side.in, row, token, side.first + h, 0);
    const auto dy = heads_at(side.out, row, token, side.first + h, 0);
    const auto at = [](const Heads& t, int64_t f) {
      return as_double(static_cast<const T*>(t.data)[f * t.feature]);
    };
    double* to = drow + h / (side.count / rotation.row_heads) * rotation.row();
    for (int64_t k = 0; k < span.pairs; ++k) {
      const PairPlace in = place(span, span.layout != Layout::half, k);
      const PairPlace out = place(span, span.layout == Layout::interleaved, k);
      const double factor = rotation.magnitudes.pair(side.is_query, position, k);
      const double a = factor * at(x, in.a), b = factor * at(x, in.b);
      to[k] += at(dy, out.a) * a + at(dy, out.b) * b;
      to[span.pairs + k] += at(dy, out.b) * a - at(dy, out.a) * b;
    }
  }
};

}  // namespace

void run(const RotateGradientOrder& order) {
  const RotateOrder& rotation = order.rotation;
  const RotateGradient gradient{rotation};
  const int64_t rows = gradient.sides[rotation.q.in.rank > 0 ? 0 : 1].in.rows,
                tokens = rotation.at.tokens;
  const int64_t groups = rotation.at.shared() ? std::min<int64_t>(rows, 1) : rows;
  Scratch<double> drows(tokens * gradient.dim), sums(order.sums.elements(), 0);
  const Dims& shape = order.sums.shape;
  const Tensor to[] = {
      tensor(sums.data(), std::span(shape.data(), static_cast<size_t>(order.sums.rank)))};
  for (int64_t group = 0; group < groups; ++group) {
    gradient.add_rows(group, rotation.at.shared() ? rows : group + 1, drows.data());
    cpu::run(RowGradientOrder{.rows = rotation.rows,
                              .at = rotation.at.part(group, 0, tokens),
                              .dout = tensor(drows.data(), {tokens, gradient.dim}),
                              .dweights = to});
  }
  for (int64_t n = 0; n < sums.size(); ++n) add_value(order.sums, n, sums[n]);
}

}  // namespace posenc::cpu
