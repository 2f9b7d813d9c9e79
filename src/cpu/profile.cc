// profile.cc: biases along a line of distances, keys or entries.
#include "base/dispatch.h"
#include "base/half.h"
#include "base/parallel.h"
#include "base/scratch.h"
#include "orders.h"
#include "relative/formula.h"

namespace posenc::cpu {
namespace {

template <class T>
void fill_entry(const ProfileOrder& order, int64_t n, double* biases) {
  const Tensor& out = order.out;
  const int64_t heads = out.size(0);
  order.formula.bias({order.first_head, heads}, 0, static_cast<double>(order.first + n), biases);
  T* to = static_cast<T*>(out.data) + n * out.step(1);
  for (int64_t h = 0; h < heads; ++h)
    to[h * out.step(0)] = rounded_to<T>(static_cast<Compute<T>>(order.factor * biases[h]));
}

}  // namespace

void run(const ProfileOrder& order) {
  constexpr int64_t step = 64;  // entries of a task
  const int64_t heads = order.out.size(0), length = order.out.size(1);
  parallel_for((length + step - 1) / step, heads * length * 64, [&](int64_t task) {
    Scratch<double, 128> biases(heads);
    dispatch(order.out.dtype, [&]<class T>() {
      for (int64_t n = task * step; n < std::min(length, (task + 1) * step); ++n)
        fill_entry<T>(order, n, biases.data());
    });
  });
}

}  // namespace posenc::cpu
