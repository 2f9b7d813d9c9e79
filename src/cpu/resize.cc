// resize.cc: rows of a table made of rows of another.
#include "absolute/taps.h"
#include "base/batch.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "orders.h"

namespace posenc::cpu {

void run(const ResizeOrder& order) {
  const Batch source(order.table, 2), target(order.out, 2);
  dispatch(order.out.dtype, [&]<class T>() {
    for (int64_t r = 0; r < order.out.size(0); ++r) {
      const Taps taps = taps_of(order.how, order.keep, r, order.table.size(0), order.out.size(0));
      for (int64_t c = 0; c < order.out.size(1); ++c) {
        double sum = 0;
        for (int i = 0; i < taps.count; ++i)
          sum += taps.weight[i] * as_double(*static_cast<const T*>(source.at(0, taps.row[i], c)));
        *static_cast<T*>(target.at(0, r, c)) = rounded_to<T>(static_cast<Compute<T>>(sum));
      }
    }
  });
}

}  // namespace posenc::cpu
