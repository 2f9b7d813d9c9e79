// npy_fuzz.cc: any bytes are refused with an Error, or read the same when written again.
#include "model/array.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  posenc::Array array;
  try {
    array = posenc::parse_npy(std::as_bytes(std::span(data, size)));
  } catch (const posenc::Error&) {
    return 0;
  }
  const auto file = posenc::format_npy(array);
  const auto again = posenc::parse_npy(std::as_bytes(std::span(file)));
  if (again.dtype != array.dtype || again.shape != array.shape || again.bytes != array.bytes) {
    __builtin_trap();
  }
  return 0;
}
