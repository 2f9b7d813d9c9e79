// safetensors_fuzz.cc: any bytes are refused with an Error, or read the same when written again.
#include <algorithm>

#include "model/array.h"

namespace {

bool same(const posenc::NamedArrays& a, const posenc::NamedArrays& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.dtype == y.second.dtype &&
           x.second.shape == y.second.shape && x.second.bytes == y.second.bytes;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  posenc::NamedArrays arrays;
  try {
    arrays = posenc::parse_safetensors(std::as_bytes(std::span(data, size)));
  } catch (const posenc::Error&) {
    return 0;
  }
  const auto file = posenc::format_safetensors(arrays);
  if (!same(posenc::parse_safetensors(std::as_bytes(std::span(file))), arrays)) __builtin_trap();
  return 0;
}
