// gradient.cc: the gradient of learned frequencies, through that of the cosines and sines.
//
//   (y_a, y_b) = (a cos - b sin, a sin + b cos)    dcos = dy_a a + dy_b b    dsin = dy_b a - dy_a b
//
// The rows of the table are waves, and waves know their own gradient.
#include <algorithm>

#include "absolute/walk.h"
#include "base/check.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "base/sums.h"
#include "rotary/magnitudes.h"
#include "rotary/sides.h"

namespace posenc {
namespace {

// Where a and b of pair k lie among the features of a head.
struct Place {
  int64_t a, b;
};
Place place(const Rope& rope, bool interleaved, int64_t k) {
  const int64_t pairs = rope.pairs() / rope.blocks, block = k / pairs, i = k % pairs;
  const int64_t first = rope.first_feature() + 2 * block * pairs;
  return interleaved ? Place{first + 2 * i, first + 2 * i + 1}
                     : Place{first + i, first + pairs + i};
}

// Adds what one token of one side does to its row of dcos and dsin.
template <class T>
void add_token(const RotaryPlan::Parts& parts, const Side& side, int64_t row, int64_t token,
               double position, double* drow) {
  const Rope& rope = parts.scheme;
  const int64_t pairs = rope.pairs();
  const bool own_rows = parts.heads_with_rows > 1;
  for (int64_t h = 0; h < side.heads; ++h) {
    const auto x = heads_at(side.in, row, token, side.first_head + h, 0);
    const auto dy = heads_at(side.out, row, token, side.first_head + h, 0);
    const auto x_at = [&](int64_t f) {
      return as_double(static_cast<const T*>(x.data)[f * x.feature]);
    };
    const auto dy_at = [&](int64_t f) {
      return as_double(static_cast<const T*>(dy.data)[f * dy.feature]);
    };
    double* to = drow + (own_rows ? h * parts.row() : 0);
    for (int64_t k = 0; k < pairs; ++k) {
      const Place in = place(rope, *rope.layout != Layout::half, k);
      const Place out = place(rope, *rope.layout == Layout::interleaved, k);
      const double factor = pair_factor(rope, side.is_query, position, k);
      const double a = factor * x_at(in.a), b = factor * x_at(in.b);
      to[k] += dy_at(out.a) * a + dy_at(out.b) * b;
      to[pairs + k] += dy_at(out.b) * a - dy_at(out.a) * b;
    }
  }
}

// The gradient of the table [tokens, dim] for batch rows [first, end), which share positions.
std::vector<double> table_gradient(const RotaryPlan::Parts& parts, const Sides& sides,
                                   const Positions& at, int64_t positions_row, int64_t first,
                                   int64_t end) {
  const int64_t dim = parts.table.dim();
  std::vector<double> out(static_cast<size_t>(sides.tokens * dim));
  parallel_for(sides.tokens, sides.bytes, [&](int64_t token) {
    cpu::Coordinates here;
    locate(parts.table.source(), at, positions_row, token, 1, here);
    dispatch(sides.dtype, [&]<class T>() {
      for (const auto& side : sides.both)
        for (int64_t row = first; side && row < end; ++row)
          add_token<T>(parts, *side, row, token, here.value[0][0], out.data() + token * dim);
    });
  });
  return out;
}

// Row `row` of the positions alone.
Positions one_row(const Positions& at, int64_t row) {
  if (at.is_shared()) return at;
  Positions out = at;
  out.ids.data = static_cast<char*>(at.ids.data) + row * at.ids.step(1) * size_of(at.ids.dtype);
  out.ids.shape[1] = 1;
  return out;
}

}  // namespace

void backward(const RotaryPlan& plan, const QueriesKeys& x, const QueriesKeys& dy,
              const Tensor& dfrequency, const Positions& at) {
  const auto wanted = plan.scheme().weights();
  if (wanted.empty()) fail("backward", "expected a plan with learned frequencies, got none");
  Sides sides = check_sides("backward", plan, x, x, at);
  const Tensor* given[] = {&dy.q, &dy.k};
  for (size_t i = 0; i < 2; ++i) {
    if (!sides.both[i]) continue;
    check_same("backward", "dy", *given[i], sides.both[i]->in.t);
    sides.both[i]->out = Batch(*given[i], 3);
  }
  const Tensor dweights[] = {dfrequency};
  check_gradients("backward", {wanted[0].shape}, dweights, sides.dtype);
  check_gradients_apart("backward", dweights, {x.q, x.k, dy.q, dy.k, at.ids});
  const auto& parts = plan.parts();
  const bool shared = at.is_shared();
  std::vector<double> sums(static_cast<size_t>(dfrequency.elements()));
  const Tensor to[] = {tensor(sums.data(), wanted[0].shape)};
  for (int64_t group = 0; group < (shared ? 1 : sides.rows); ++group) {
    auto dtable = table_gradient(parts, sides, at, group, shared ? 0 : group,
                                 shared ? sides.rows : group + 1);
    backward(parts.table, tensor(dtable.data(), {sides.tokens, parts.table.dim()}), to,
             one_row(at, group));
  }
  add_values(dfrequency, sums);
}

}  // namespace posenc
