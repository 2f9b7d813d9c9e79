// device_memory.h: memory of the first GPU, for what the tool does there.
#pragma once

#include "model/array.h"

namespace posenc::cli {

// Throws Error where this build has no CUDA, or this machine no GPU.
void check_gpu();

// A copy of an array on the GPU.
class DeviceCopy {
 public:
  explicit DeviceCopy(const Array& host);
  DeviceCopy(const DeviceCopy&) = delete;
  ~DeviceCopy();
  // The same elements there as a view of the array has here.
  Tensor there(Tensor here) const;
  // Copies all of it to the array it was made from, when the GPU has done its work.
  void fetch(Array& host) const;

 private:
  const std::byte* host_;
  std::byte* data_ = nullptr;
};

}  // namespace posenc::cli
