// array.cc: making arrays and looking at them.
#include "model/array.h"

#include "base/text.h"

namespace posenc {

Tensor Array::view() const { return tensor(const_cast<std::byte*>(bytes.data()), dtype, shape); }

Array make_array(DType dtype, std::vector<int64_t> shape) {
  const int64_t bits = 8 * size_of(dtype);
  if (const auto fault = files::shape_fault(shape, bits); !fault.empty()) fail("make_array", fault);
  const auto size = static_cast<size_t>(files::bits_of(shape, bits) / 8);
  try {
    return {dtype, std::move(shape), Bytes(size)};
  } catch (const std::bad_alloc&) {
    fail("make_array", "out of memory: ", size, " bytes");
  }
}

}  // namespace posenc
