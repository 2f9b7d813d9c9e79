// graph.cu: graphs, buffers, and the plain kernels that others are measured by.
#include "bench/cuda/graph.h"

#include <cuda_bf16.h>

namespace posenc::bench {
namespace {

__global__ void copy(const uint4* a, uint4* b, int64_t n) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < n) b[i] = a[i];
}
__global__ void rewrite(uint4* a, int64_t n) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  uint4 v = a[i];
  v.x ^= 1, v.y ^= 1, v.z ^= 1, v.w ^= 1;
  a[i] = v;
}
__global__ void fill(uint4* a, int64_t n) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < n) a[i] = make_uint4(1, 2, 3, 4);
}
__global__ void read(const uint4* a, uint4* never, int64_t n) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  const uint4 v = a[i];
  if ((v.x & v.y & v.z & v.w) == 0xffffffff) *never = v;  // no number has all its bits set
}
// Halves of small bf16 numbers, which are small f32 and f16 numbers too.
__global__ void numbers(uint16_t* a, int64_t n) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  const uint32_t hash = static_cast<uint32_t>(i * 2654435761u) >> 7;
  a[i] = static_cast<uint16_t>(0x3c00 | (hash & 0x83ff));
}

// Gives back what calls and graphs had for their work, which large cases after them need.
void trim() {
  cudaMemPool_t pool;
  static_cast<void>(cudaDeviceGraphMemTrim(0));
  if (cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess)
    static_cast<void>(cudaMemPoolTrimTo(pool, 0));
}

dim3 blocks(int64_t n) { return dim3(static_cast<unsigned>((n + 255) / 256)); }

}  // namespace

void check_cuda(cudaError_t error, const char* call) {
  if (error != cudaSuccess)
    fail("bench", call, " failed: ", cudaGetErrorString(error), " (", static_cast<int>(error), ")");
}

Buffer::Buffer(int64_t bytes) {
  check_cuda(cudaMalloc(&data_, static_cast<size_t>(bytes)), "cudaMalloc");
  numbers<<<blocks(bytes / 2), 256>>>(static_cast<uint16_t*>(data_), bytes / 2);
  check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

Tensor Buffer::tensor(DType dtype, std::initializer_list<int64_t> shape) const {
  Tensor t = posenc::tensor(data_, dtype, std::span(shape.begin(), shape.size()));
  t.device = Device::cuda;
  return t;
}

Graph::Graph(const std::function<void(cudaStream_t, int)>& work, int calls) : calls_(calls) {
  check_cuda(cudaStreamCreate(&stream_), "cudaStreamCreate");
  work(stream_, 0);  // once before the capture, which lets plans copy what they hold
  check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  check_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal),
             "cudaStreamBeginCapture");
  for (int i = 0; i < calls; ++i) work(stream_, i);
  cudaGraph_t graph;
  check_cuda(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
  check_cuda(cudaGraphInstantiate(&graph_, graph, 0), "cudaGraphInstantiate");
  check_cuda(cudaGraphDestroy(graph), "cudaGraphDestroy");
  check_cuda(cudaEventCreate(&begin_), "cudaEventCreate");
  check_cuda(cudaEventCreate(&end_), "cudaEventCreate");
  seconds();
}

Graph::~Graph() {
  static_cast<void>(cudaGraphExecDestroy(graph_));
  static_cast<void>(cudaEventDestroy(begin_)), static_cast<void>(cudaEventDestroy(end_));
  static_cast<void>(cudaStreamDestroy(stream_));
  trim();
}

double Graph::seconds() {
  check_cuda(cudaEventRecord(begin_, stream_), "cudaEventRecord");
  check_cuda(cudaGraphLaunch(graph_, stream_), "cudaGraphLaunch");
  check_cuda(cudaEventRecord(end_, stream_), "cudaEventRecord");
  check_cuda(cudaEventSynchronize(end_), "cudaEventSynchronize");
  float ms = 0;
  check_cuda(cudaEventElapsedTime(&ms, begin_, end_), "cudaEventElapsedTime");
  return static_cast<double>(ms) * 1e-3 / calls_;
}

void plain(Plain what, void* a, void* b, int64_t bytes, cudaStream_t stream) {
  const int64_t n = bytes / (is_one_way(what) ? 16 : 32);
  auto *x = static_cast<uint4*>(a), *y = static_cast<uint4*>(b);
  if (what == Plain::copy) copy<<<blocks(n), 256, 0, stream>>>(x, y, n);
  if (what == Plain::rewrite) rewrite<<<blocks(n), 256, 0, stream>>>(x, n);
  if (what == Plain::fill) fill<<<blocks(n), 256, 0, stream>>>(x, n);
  if (what == Plain::read) read<<<blocks(n), 256, 0, stream>>>(x, x, n);
  check_cuda(cudaGetLastError(), "kernel launch");
}

}  // namespace posenc::bench
