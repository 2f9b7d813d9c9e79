// polar.cu: pairs (softplus(x), 0), and the gradient of x.
#include "base/dispatch.h"
#include "base/softplus.h"
#include "cuda/element_types.h"
#include "cuda/views.h"
#include "orders/orders.h"

namespace posenc::cuda {
namespace {

struct PolarCall {
  View x, pairs, dx;
  int64_t features, step, apart;
  bool is_gradient;
};

// A thread takes a feature.
template <class T>
__global__ void polar(const __grid_constant__ PolarCall c) {
  using C = Compute<T>;
  const Divided at =
      divided(blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x, c.features);
  if (at.quotient >= c.x.rows) return;
  const auto* from = reinterpret_cast<const T*>(c.x.data) + c.x.offset(at.quotient);
  const C value = wide(from[at.rest * c.x.last[0]]);
  T* pair = reinterpret_cast<T*>(c.pairs.data) + c.pairs.offset(at.quotient) + at.rest * c.step;
  if (c.is_gradient) {
    T* to = reinterpret_cast<T*>(c.dx.data) + c.dx.offset(at.quotient) + at.rest * c.dx.last[0];
    *to = narrow<T>(wide(*pair) * softplus_slope(value));
  } else {
    pair[0] = narrow<T>(softplus(value)), pair[c.apart] = narrow<T>(C(0));
  }
}

}  // namespace

void run(const PolarOrder& order) {
  if (order.x.elements() == 0) return;
  const DeviceStream stream(order.x, order.stream);
  PolarCall c{};
  c.x = View(order.x, 1), c.pairs = View(order.pairs, 1);
  c.is_gradient = order.is_gradient();
  if (c.is_gradient) c.dx = View(order.dx, 1);
  c.features = order.x.size(-1), c.step = order.step(), c.apart = order.apart();
  dispatch(order.x.dtype, [&]<class T>() {
    launch(stream, "polar features", shape_of(order.x.elements(), 256), polar<T>, c);
  });
}

}  // namespace posenc::cuda
