// resize.cc: rows of a table made of rows of another, and the other way round.
#include "base/batch.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "base/parallel.h"
#include "orders/orders.h"
#include "orders/taps.h"

namespace posenc::cpu {
namespace {

struct WeightedRow {
  int64_t row;
  double weight;
};

// For each row of a side of the output, the rows of that side of the input, and their weights.
using SideParts = std::vector<std::vector<WeightedRow>>;

SideParts parts_of_side(const ResizeOrder& order, int side) {
  const int64_t from = order.sides.from[side], to = order.sides.to[side];
  SideParts out(static_cast<size_t>(order.adjoint ? from : to));
  const auto collect = [](const auto& taps, std::vector<WeightedRow>& parts) {
    for (int64_t i = 0; i < taps.count; ++i)
      if (const double w = taps.weight(i); w != 0) parts.push_back({taps.row(i), w});
  };
  for (size_t n = 0; n < out.size(); ++n) {
    const auto r = static_cast<int64_t>(n);
    order.adjoint ? collect(touched_by(order.how, r, from, to), out[n])
                  : collect(taps_of(order.how, r, from, to), out[n]);
  }
  return out;
}

struct Resizer {
  const ResizeOrder& order;
  std::vector<SideParts> sides{};
  const int64_t* in_sides = order.adjoint ? order.sides.to : order.sides.from;
  const int64_t* out_sides = order.adjoint ? order.sides.from : order.sides.to;

  // The rows of the input that a row is made of: products over the sides.
  std::vector<WeightedRow> parts(int64_t row) const {
    if (row < order.keep) return {{row, 1}};
    std::vector<WeightedRow> out{{0, 1}};
    int64_t rest = row - order.keep, below = 1;
    for (int s = 0; s < order.sides.count; ++s) below *= out_sides[s];
    for (int s = 0; s < order.sides.count; ++s) {
      below /= out_sides[s];
      std::vector<WeightedRow> more;
      for (const WeightedRow& p : out)
        for (const WeightedRow& q :
             sides[static_cast<size_t>(s)][static_cast<size_t>(rest / below)])
          more.push_back({p.row * in_sides[s] + q.row, p.weight * q.weight});
      rest %= below, out = std::move(more);
    }
    for (WeightedRow& p : out) p.row += order.keep;
    return out;
  }

  template <class In, class Out>
  void make(int64_t row) const {
    const Batch from(order.in, 2), to(order.out, 2);
    const auto list = parts(row);
    for (int64_t c = 0; c < order.out.size(1); ++c) {
      auto* at = static_cast<Out*>(to.at(0, row, c));
      double sum = order.adjoint ? as_double(*at) : 0;
      for (const WeightedRow& p : list)
        sum += p.weight * as_double(*static_cast<const In*>(from.at(0, p.row, c)));
      *at = rounded_to<Out>(static_cast<Compute<Out>>(sum));
    }
  }
};

}  // namespace

void run(const ResizeOrder& order) {
  if (order.out.elements() == 0) return;
  Resizer resizer{order};
  for (int s = 0; s < order.sides.count; ++s) resizer.sides.push_back(parts_of_side(order, s));
  const int64_t bytes = (order.in.elements() + order.out.elements()) * size_of(order.out.dtype);
  dispatch(order.in.dtype, [&]<class In>() {
    const auto make = order.adjoint ? &Resizer::make<In, Compute<In>> : &Resizer::make<In, In>;
    parallel_for(order.out.size(0), 8 * bytes, [&](int64_t row) { (resizer.*make)(row); });
  });
}

}  // namespace posenc::cpu
