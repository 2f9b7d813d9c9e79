// graph_fuzz.cc: any bytes are refused with an Error about data, or give edges between nodes.
#include "posenc/graph/read.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto g =
        posenc::graph::parse(std::string_view(reinterpret_cast<const char*>(data), size));
    posenc::graph::check("fuzz", g);
  } catch (const posenc::Error& error) {
    if (error.kind != posenc::ErrorKind::data) __builtin_trap();
  }
  return 0;
}
