// graph.h: work on a GPU, timed there.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <vector>

#include "posenc/tensor.h"

namespace posenc::bench {

void check_cuda(cudaError_t error, const char* call);

// Memory of the device, filled with numbers that are all different and none of them large.
class Buffer {
 public:
  explicit Buffer(int64_t bytes);
  Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  ~Buffer() { static_cast<void>(cudaFree(data_)); }
  void* data() const { return data_; }
  Tensor tensor(DType dtype, std::initializer_list<int64_t> shape) const;

 private:
  void* data_ = nullptr;
};

// So many calls of work(stream, number of the call), captured as a graph, which one launch does.
class Graph {
 public:
  Graph(const std::function<void(cudaStream_t, int)>& work, int calls);
  Graph(Graph&&) = delete;
  ~Graph();
  // Seconds of device time for one call.
  double seconds();

 private:
  int calls_;
  cudaStream_t stream_{};
  cudaGraphExec_t graph_{};
  cudaEvent_t begin_{}, end_{};
};

// What memory allows: so many bytes read and written by a plain kernel, in one launch.
enum class Plain { copy, rewrite, fill, read };
constexpr bool is_one_way(Plain what) { return what == Plain::fill || what == Plain::read; }
// a and b: where; bytes: those read and written together.
void plain(Plain what, void* a, void* b, int64_t bytes, cudaStream_t stream);

}  // namespace posenc::bench
