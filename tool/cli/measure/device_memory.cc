// device_memory.cc: device memory by CUDA, or by what stands in for it in tests.
#include "cli/measure/device_memory.h"

#include <cuda_runtime.h>

#include "base/cuda_state.h"

namespace posenc::cli {
namespace {

void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess)
    fail("cuda", "expected ", what, ", got CUDA's error: ", cudaGetErrorString(error));
}

}  // namespace

void check_gpu() {
  const cuda::State& here = cuda::state();
  if (here.devices == 0) fail("cuda", "expected a GPU, got none: ", here.missing);
}

DeviceCopy::DeviceCopy(const Array& host) : host_(host.bytes.data()) {
  void* data = nullptr;
  check(cudaMalloc(&data, host.bytes.size() + 1), "memory of the GPU");
  data_ = static_cast<std::byte*>(data);
  check(cudaMemcpy(data_, host_, host.bytes.size(), cudaMemcpyHostToDevice), "a copy to the GPU");
}

DeviceCopy::~DeviceCopy() { static_cast<void>(cudaFree(data_)); }

Tensor DeviceCopy::there(Tensor here) const {
  here.data = data_ + (static_cast<const std::byte*>(here.data) - host_);
  here.device = Device::cuda, here.device_index = 0;
  return here;
}

void DeviceCopy::fetch(Array& host) const {
  check(cudaDeviceSynchronize(), "work on the GPU");
  check(cudaMemcpy(host.bytes.data(), data_, host.bytes.size(), cudaMemcpyDeviceToHost),
        "a copy from the GPU");
}

}  // namespace posenc::cli
