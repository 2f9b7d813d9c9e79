// cuda_state.h: whether this build and this machine have CUDA; what the rest of the library may
// ask.
#pragma once

#include <string>

#include "posenc/tensor.h"

namespace posenc::cuda {

struct CudaState {
  int devices = 0;
  std::string missing;  // why there are none
};
const CudaState& state();

// So many bytes from a tensor's data on; waits for the device. For prepare(), never for a verb.
void copy_to_host(const Tensor& from, void* to, size_t bytes);

}  // namespace posenc::cuda
