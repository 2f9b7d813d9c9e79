// no_device_memory.cc: stands in for memory of a GPU where CUDA is not built.
#include "cli/measure/device_memory.h"

namespace posenc::cli {

void check_gpu() {
  fail("cuda", "expected a build with CUDA (cmake --preset cuda), got one without");
}

DeviceCopy::DeviceCopy(const Array&) : host_(nullptr) { check_gpu(); }
DeviceCopy::~DeviceCopy() = default;
Tensor DeviceCopy::there(Tensor here) const { return here; }
void DeviceCopy::fetch(Array&) const {}

}  // namespace posenc::cli
