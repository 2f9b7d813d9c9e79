// runtime.h: devices, their memory and their kernels, with CUDA's errors as ours.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda/failure.h"
#include "posenc/tensor.h"

namespace posenc::cuda {

// Throws Error, from prepare(), unless there is such a device.
void check_there(int device);

// A device and a stream of it, on which an order runs: the device is the current one as long as
// this lives.
class DeviceStream {
 public:
  DeviceStream(int device, Stream stream);
  DeviceStream(const Tensor& t, Stream stream) : DeviceStream(t.device_index, stream) {}
  DeviceStream(const DeviceStream&) = delete;
  ~DeviceStream();

  int device() const { return device_; }
  cudaStream_t handle() const { return stream_; }
  bool is_captured() const;   // what is queued is recorded, to be done later
  int processors() const;     // multiprocessors of the device
  bool has_fast_f64() const;  // f64 at half the rate of f32, rather than a 32nd or less
  bool overlaps() const;      // a kernel may begin while the one before it ends
  // Memory for the work of calls. Unlike that of the device's own pool, it is not given back
  // to the system each time that the host waits, so that to take some again costs no more than to
  // note it.
  cudaMemPool_t pool() const;
  // Memory of that pool for this call, given back when this is destroyed.
  void* take(size_t bytes) const;

 private:
  int device_, before_ = 0;
  cudaStream_t stream_;
  mutable std::vector<void*> taken_;
};

// Memory of a device which a plan owns, filled once.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  // A copy of so many bytes. Throws Error in a capture, where nothing can be made: `what` is said.
  DeviceMemory(const DeviceStream& stream, const void* from, size_t bytes, const char* what);
  // The same with what fill(data) queues; it is done when this returns.
  DeviceMemory(const DeviceStream& stream, size_t bytes, const char* what,
               const std::function<void(char*)>& fill);
  DeviceMemory(DeviceMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), device_(other.device_) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(data_, other.data_), std::swap(device_, other.device_);
    return *this;
  }
  ~DeviceMemory();
  char* data() const { return data_; }

 private:
  char* data_ = nullptr;
  int device_ = 0;
};

// Several arrays in one such memory.
class Arrays {
 public:
  // Where the array will lie, counted from the memory's beginning.
  template <class T>
  size_t add(const std::vector<T>& numbers) {
    const size_t at = bytes_.size(), bytes = numbers.size() * sizeof(T);
    bytes_.resize(at + (bytes + 255) / 256 * 256);
    if (bytes > 0) std::copy_n(reinterpret_cast<const char*>(numbers.data()), bytes, &bytes_[at]);
    return at;
  }
  size_t bytes() const { return bytes_.size(); }
  DeviceMemory upload(const DeviceStream& stream, const char* what) const {
    return {stream, bytes_.data(), bytes_.size(), what};
  }

 private:
  std::vector<char> bytes_;
};

// Memory for the work of one call, in the order of its stream; it may be captured.
template <class T>
class Temporary {
 public:
  Temporary(const DeviceStream& stream, int64_t count) : stream_(stream.handle()) {
    const auto bytes = static_cast<size_t>(std::max<int64_t>(count, 1)) * sizeof(T);
    check(cudaMallocFromPoolAsync(&data_, bytes, stream.pool(), stream_),
          "cudaMallocFromPoolAsync");
  }
  Temporary(const Temporary&) = delete;
  ~Temporary() { static_cast<void>(cudaFreeAsync(data_, stream_)); }
  T* data() const { return static_cast<T*>(data_); }

 private:
  void* data_ = nullptr;
  cudaStream_t stream_;
};

constexpr int64_t pieces(int64_t n, int64_t size) { return (n + size - 1) / size; }

// Queues kernel(parameters...): so many blocks of so many threads.
struct Shape {
  dim3 blocks;
  unsigned threads;
};
template <class... Formal, class... Actual>
void launch(const DeviceStream& stream, const char* what, const Shape& shape,
            void (*kernel)(Formal...), const Actual&... parameters) {
  if (shape.blocks.x == 0 || shape.blocks.y == 0 || shape.blocks.z == 0) return;
#ifdef __CUDACC__
  kernel<<<shape.blocks, shape.threads, 0, stream.handle()>>>(parameters...);
#else
  emulator::launch(stream.handle(), shape.blocks, dim3(shape.threads),
                   [=] { kernel(parameters...); });
#endif
  check_launch(cudaGetLastError(), what);
}

// The same for a kernel that calls wait_for_inputs() before it touches memory: its blocks may find
// their places, and what they are told, while what was queued before is still at work.
template <class... Formal, class... Actual>
void launch_early(const DeviceStream& stream, const char* what, const Shape& shape,
                  void (*kernel)(Formal...), const Actual&... parameters) {
#ifdef __CUDACC__
  if (shape.blocks.x == 0 || shape.blocks.y == 0 || shape.blocks.z == 0) return;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = shape.blocks, config.blockDim = dim3(shape.threads);
  config.stream = stream.handle();
  config.attrs = &early, config.numAttrs = stream.overlaps() ? 1 : 0;
  check_launch(cudaLaunchKernelEx(&config, kernel, parameters...), what);
#else
  launch(stream, what, shape, kernel, parameters...);
#endif
}
__device__ inline void wait_for_inputs() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Blocks for n pieces of work, one a thread, in the first direction.
inline Shape shape_of(int64_t n, unsigned threads, unsigned y = 1, unsigned z = 1) {
  return {dim3(static_cast<unsigned>(pieces(n, threads)), y, z), threads};
}

}  // namespace posenc::cuda
