// lookup_gradient.cu: gradients of trained tables whose rows are summed with weights.
//
// Lookup after lookup: what each token says about the row it read, times the weight with which it
// did, is scattered to the rows of that table.
#include "base/dispatch.h"
#include "cuda/lookups.h"
#include "cuda/scatter.h"
#include "cuda/table_gradient.h"

namespace posenc::cuda {
namespace {

struct WeighCall {
  const DeviceLookup* lookup;
  DevicePlaces at;
  View in;  // [..., tokens, columns]
  char* out;
  int64_t tokens, columns, count;
};

// A thread takes one number.
template <class T>
__global__ void weigh(const __grid_constant__ WeighCall c) {
  using C = Compute<T>;
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  const Divided at = divided(i, c.columns), item = divided(at.quotient, c.tokens);
  if (at.quotient >= c.count) return;
  const Tap tap = c.lookup->at(c.at, item.quotient, item.rest);
  const T* from = c.in.at<T>(item.quotient) + item.rest * c.in.last[0] + at.rest * c.in.last[1];
  reinterpret_cast<C*>(c.out)[i] =
      static_cast<C>(tap.weight * static_cast<double>(read_as<double>(dtype_of<T>, from, 0)));
}

// The columns of dout that a lookup adds to.
Tensor columns_of(Tensor dout, const Lookup& lookup) {
  dout.data = static_cast<char*>(dout.data) + lookup.column * dout.step(-1) * size_of(dout.dtype);
  dout.shape[static_cast<size_t>(dout.rank - 1)] = lookup.columns;
  return dout;
}

template <class T>
void add_gradient(const DeviceStream& stream, const RowGradientOrder& order, const Lookup& lookup,
                  const DeviceLookup* there) {
  const Tensor dout = columns_of(order.dout, lookup);
  RowKeys keys;
  keys.by_place = true, keys.at = DevicePlaces(order.at), keys.lookup = there;
  keys.tokens = order.at.tokens, keys.rows = lookup.rows;
  keys.count = dout.elements() / lookup.columns;
  const SumRows out(order.dweights[static_cast<size_t>(lookup.weight)], 1);
  if (!lookup.on_grid) return scatter(stream, keys, dout, out);
  const Temporary<Compute<T>> weighed(stream, dout.elements());
  const WeighCall c{
      there,       keys.at,        View(dout, 2), reinterpret_cast<char*>(weighed.data()),
      keys.tokens, lookup.columns, keys.count};
  launch(stream, "gradients of rows", shape_of(dout.elements(), 256), weigh<T>, c);
  scatter(stream, keys, tensor(weighed.data(), {keys.count, lookup.columns}), out);
}

}  // namespace

void add_lookup_gradient(const DeviceStream& stream, const RowGradientOrder& order) {
  if (order.dout.elements() == 0) return;
  const DeviceLookup* there = lookups_on(stream, order.rows);
  for (const Lookup& lookup : order.rows.lookups.list)
    dispatch(order.dout.dtype, [&]<class T>() { add_gradient<T>(stream, order, lookup, there++); });
}

}  // namespace posenc::cuda
