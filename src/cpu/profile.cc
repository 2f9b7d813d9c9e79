// profile.cc: biases along a line of distances, keys or entries.
#include "base/dispatch.h"
#include "base/half.h"
#include "base/parallel.h"
#include "base/scratch.h"
#include "orders/orders.h"
#include "relative/formula.h"

namespace posenc::cpu {
namespace {

constexpr int64_t step = 64;  // entries of a task

// Entries [first, end) of all heads.
void fill_entries(const ProfileOrder& order, int64_t first, int64_t end) {
  const Tensor& out = order.out;
  const int64_t heads = out.size(0), count = end - first;
  double places[step];
  for (int64_t n = 0; n < count; ++n) places[n] = static_cast<double>(order.first + first + n);
  Scratch<double> biases(count * heads);
  const double zero = 0;
  order.formula.biases({order.first_head, heads}, &zero, {places, static_cast<size_t>(count)},
                       biases.data());
  dispatch(out.dtype, [&]<class T>() {
    for (int64_t n = 0; n < count; ++n)
      for (int64_t h = 0; h < heads; ++h)
        static_cast<T*>(out.data)[h * out.step(0) + (first + n) * out.step(1)] =
            rounded_to<T>(static_cast<Compute<T>>(order.factor * biases[n * heads + h]));
  });
}

}  // namespace

void run(const ProfileOrder& order) {
  const int64_t heads = order.out.size(0), length = order.out.size(1);
  parallel_for((length + step - 1) / step, heads * length * 64, [&](int64_t task) {
    fill_entries(order, task * step, std::min(length, (task + 1) * step));
  });
}

}  // namespace posenc::cpu
