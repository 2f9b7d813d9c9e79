// config_fuzz.cc: any text is refused with an Error about data, or gives components with a name.
#include "model/formats.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const auto& part : posenc::model::read_config(text).components)
      if (part.where.empty() || part.scheme.empty()) __builtin_trap();
  } catch (const posenc::Error& error) {
    if (error.kind != posenc::ErrorKind::data) __builtin_trap();
  }
  return 0;
}
