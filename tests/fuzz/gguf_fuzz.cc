// gguf_fuzz.cc: any bytes are refused with an Error about data, or give components with a name.
#include "model/formats.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const posenc::files::Source source("fuzz", std::as_bytes(std::span(data, size)));
  try {
    for (const auto& part : posenc::model::read_gguf(source).components)
      if (part.where.empty() || part.scheme.empty()) __builtin_trap();
  } catch (const posenc::Error& error) {
    if (error.kind != posenc::ErrorKind::data) __builtin_trap();
  }
  return 0;
}
