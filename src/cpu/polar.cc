// polar.cc: pairs (softplus(x), 0), and the gradient of x.
#include "base/batch.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "base/parallel.h"
#include "base/softplus.h"
#include "orders/orders.h"

namespace posenc::cpu {

void run(const PolarOrder& order) {
  const Batch x(order.x, 1), pairs(order.pairs, 1), dx(order.dx, 1);
  const int64_t n = order.x.size(-1), step = order.step(), apart = order.apart();
  const int64_t bytes = order.pairs.elements() * size_of(order.x.dtype);
  dispatch(order.x.dtype, [&]<class T>() {
    using C = Compute<T>;
    parallel_for(x.rows, bytes, [&](int64_t row) {
      const auto* from = static_cast<const T*>(x.at(row, 0));
      auto* pair = static_cast<T*>(pairs.at(row, 0));
      auto* to = order.is_gradient() ? static_cast<T*>(dx.at(row, 0)) : nullptr;
      for (int64_t f = 0; f < n; ++f, pair += step) {
        const C value = static_cast<C>(as_double(from[f * order.x.step(-1)]));
        if (to) {
          const C dlength = static_cast<C>(as_double(*pair));
          to[f * order.dx.step(-1)] = rounded_to<T>(dlength * softplus_slope(value));
        } else {
          pair[0] = rounded_to<T>(softplus(value)), pair[apart] = rounded_to<T>(C(0));
        }
      }
    });
  });
}

}  // namespace posenc::cpu
