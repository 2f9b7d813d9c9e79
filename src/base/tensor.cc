// tensor.cc: making tensors, and naming them in messages.
#include "posenc/tensor.h"

namespace posenc {

std::string describe(const Tensor& t) {
  if (t.rank < 0 || t.rank > max_rank) return "a tensor of rank " + std::to_string(t.rank);
  std::string s = std::string(to_string(t.dtype)) + " [";
  for (int i = 0; i < t.rank; ++i) s += (i ? ", " : "") + std::to_string(t.size(i));
  return s + "]";
}

Tensor tensor(void* data, DType dtype, std::span<const int64_t> shape) {
  if (shape.size() > max_rank)
    fail(ErrorKind::tensor, "tensor", "expected at most ", max_rank, " axes, got ", shape.size());
  Tensor t{.data = data, .dtype = dtype, .rank = static_cast<int>(shape.size())};
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0; step *= shape[i]) {
    if (shape[i] < 0)
      fail(ErrorKind::tensor, "tensor", "expected sizes of at least 0, got ", shape[i]);
    t.shape[i] = shape[i], t.stride[i] = step;
    if (shape[i] && step > INT64_MAX / 8 / shape[i])
      fail(ErrorKind::tensor, "tensor", "expected a size that fits 64 bits, got ", shape[i],
           " on axis ", i);
  }
  return t;
}

Tensor permuted(const Tensor& t, std::initializer_list<int> order) {
  if (t.rank < 0 || t.rank > max_rank || std::ssize(order) != t.rank)
    fail(ErrorKind::tensor, "permuted", "expected an order of as many axes as the tensor has, got ",
         order.size(), " for ", describe(t));
  Tensor out = t;
  unsigned seen = 0;
  size_t at = 0;
  for (const int axis : order) {
    if (axis < 0 || axis >= t.rank || (seen >> axis & 1u))
      fail("permuted", "expected each axis from 0 to ", t.rank - 1, " once, got ", axis);
    seen |= 1u << axis;
    out.shape[at] = t.size(axis), out.stride[at] = t.step(axis);
    ++at;
  }
  return out;
}

}  // namespace posenc
