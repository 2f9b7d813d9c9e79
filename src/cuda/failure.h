// failure.h: CUDA's errors as ours; the header of runtime.h that any C++ compiler takes.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <string_view>

namespace posenc::cuda {

// Throws Error, "[cuda] cudaMalloc failed: out of memory (2)", in CUDA's own words.
[[noreturn]] void fail_with(cudaError_t error, std::string_view call);
inline void check(cudaError_t error, std::string_view call) {
  if (error != cudaSuccess) fail_with(error, call);
}
// The same for the kernels of an operation: "[cuda] rotate: kernel launch failed: ...".
inline void check_launch(cudaError_t error, const char* operation) {
  if (error != cudaSuccess) fail_with(error, std::string(operation) + ": kernel launch");
}

}  // namespace posenc::cuda
