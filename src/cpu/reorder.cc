// reorder.cc: features of heads in another order.
#include <algorithm>
#include <cstring>
#include <vector>

#include "orders/orders.h"

namespace posenc::cpu {

// A head goes through a buffer, some columns at a time, so that out may be the weight.
void run(const ReorderOrder& order) {
  const Tensor &weight = order.weight, &out = order.out;
  const int64_t columns = weight.rank == 2 ? weight.size(1) : 1, size = size_of(weight.dtype);
  const auto at = [&](const Tensor& t, int64_t row, int64_t column) {
    return static_cast<char*>(t.data) +
           (row * t.step(0) + (t.rank == 2 ? column * t.step(1) : 0)) * size;
  };
  constexpr int64_t together = 64;
  const bool dense = weight.rank == 2 && weight.step(1) == 1 && out.step(1) == 1;
  std::vector<char> head(static_cast<size_t>(order.dim * together * size));
  for (int64_t row = 0; row < weight.size(0); row += order.dim)
    for (int64_t first = 0; first < columns; first += together) {
      const int64_t n = std::min(together, columns - first), run = dense ? n : 1;
      for (int64_t f = 0; f < order.dim; ++f)
        for (int64_t c = 0; c < n; c += run)
          std::memcpy(head.data() + (f * n + c) * size, at(weight, row + f, first + c),
                      static_cast<size_t>(run * size));
      for (int64_t f = 0; f < order.dim; ++f)
        for (int64_t c = 0; c < n; c += run)
          std::memcpy(at(out, row + f, first + c),
                      head.data() + (order.how.source(f) * n + c) * size,
                      static_cast<size_t>(run * size));
    }
}

}  // namespace posenc::cpu
