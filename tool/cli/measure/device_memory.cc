// device_memory.cc: device memory by CUDA, or by what stands in for it in tests.
#include "cli/measure/device_memory.h"

#include <cuda_runtime.h>

#include "base/cuda_state.h"
#include "cuda/failure.h"
#include "posenc/error.h"

namespace posenc::cli {

void check_gpu() {
  const cuda::CudaState& here = cuda::state();
  if (here.devices == 0) fail("cuda", "expected a GPU, got none: ", here.missing);
}

DeviceCopy::DeviceCopy(const Array& host) : host_(host.bytes.data()) {
  void* data = nullptr;
  cuda::check(cudaMalloc(&data, host.bytes.size() + 1), "cudaMalloc");
  data_ = static_cast<std::byte*>(data);
  cuda::check(cudaMemcpy(data_, host_, host.bytes.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
}

DeviceCopy::~DeviceCopy() { static_cast<void>(cudaFree(data_)); }

Tensor DeviceCopy::there(Tensor here) const {
  here.data = data_ + (static_cast<const std::byte*>(here.data) - host_);
  here.device = Device::cuda, here.device_index = 0;
  return here;
}

void DeviceCopy::fetch(Array& host) const {
  cuda::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  cuda::check(cudaMemcpy(host.bytes.data(), data_, host.bytes.size(), cudaMemcpyDeviceToHost),
              "cudaMemcpy");
}

}  // namespace posenc::cli
