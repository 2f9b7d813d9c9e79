// cuda_runtime.h: as much of CUDA as posenc uses, on the CPU.
//
// It stands in for CUDA's own header where the files of src/cuda are compiled as plain C++
// (POSENC_CUDA=EMULATED): memory of a device is memory, a stream does everything at once unless it
// is captured, and a kernel runs one thread of a block after the other; a thread that waits for
// others is put aside on a stack of its own. So tests walk through the kernels on machines without
// a GPU, also under sanitizers. It is slow. A GPU runs blocks and threads in no order that could be
// relied on: here it is one of three, by set_order() or by POSENC_CUDA_ORDER, "reversed" or
// "shuffled", in the environment. Threads never run within each other's reads and writes: a race
// shows where its outcome depends on who comes first.
#pragma once

#define POSENC_CUDA_EMULATOR

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#define __host__
#define __device__
#define __global__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__

struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
struct alignas(16) uint4 {
  uint32_t x, y, z, w;
};
struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

using std::max;
using std::min;

// ---- what a kernel sees -------------------------------------------------------------------------
namespace emulator {
struct Here {  // of the thread that runs
  uint3 thread{}, block{};
  dim3 block_size{}, grid_size{};
};
inline Here here;
void wait_for_block();
void wait_for_warp();
// Runs a kernel, thread after thread.
void run(dim3 grid, dim3 block, const std::function<void()>& thread);
// The order of blocks, and of threads within a block.
enum class Order : uint8_t { forward, reversed, shuffled };
Order set_order(Order order);  // what it was
// What each lane of the warp of the running thread offered.
uint64_t exchange(uint64_t mine, unsigned lane);
// Which lanes of it offered the same.
unsigned lanes_alike(uint64_t mine);
unsigned lane();
template <class T>
T from_lane(T v, unsigned lane) {
  static_assert(sizeof(T) <= 8);
  uint64_t bits = 0;
  std::memcpy(&bits, &v, sizeof v);
  bits = exchange(bits, lane);
  std::memcpy(&v, &bits, sizeof v);
  return v;
}
}  // namespace emulator

#define threadIdx (emulator::here.thread)
#define blockIdx (emulator::here.block)
#define blockDim (emulator::here.block_size)
#define gridDim (emulator::here.grid_size)

inline void __syncthreads() { emulator::wait_for_block(); }
inline void __syncwarp(unsigned = ~0u) { emulator::wait_for_warp(); }
template <class T>
T __shfl_xor_sync(unsigned, T v, int mask) {
  return emulator::from_lane(v, emulator::lane() ^ static_cast<unsigned>(mask));
}
template <class T>
T __shfl_down_sync(unsigned, T v, unsigned steps) {
  const unsigned lane = emulator::lane();
  return emulator::from_lane(v, lane + steps < 32 ? lane + steps : lane);
}
template <class T>
T __shfl_up_sync(unsigned, T v, unsigned steps) {
  const unsigned lane = emulator::lane();
  return emulator::from_lane(v, lane >= steps ? lane - steps : lane);
}
template <class T>
T __shfl_sync(unsigned, T v, int lane) {
  return emulator::from_lane(v, static_cast<unsigned>(lane) % 32);
}

inline unsigned __match_any_sync(unsigned, unsigned v) { return emulator::lanes_alike(v); }
inline int __popc(unsigned v) { return __builtin_popcount(v); }
// Threads take turns, so nothing comes between.
template <class T>
T atomicAdd(T* p, T v) {
  const T before = *p;
  return *p += v, before;
}

inline uint32_t __float_as_uint(float x) { return __builtin_bit_cast(uint32_t, x); }
inline float __uint_as_float(uint32_t x) { return __builtin_bit_cast(float, x); }
inline float __fmul_rn(float a, float b) {
  const volatile float product = a * b;
  return product;
}
inline void sincospi(double x, double* s, double* c) {
  const long double a = x * 3.14159265358979323846264338327950288L;
  *s = static_cast<double>(std::sin(a)), *c = static_cast<double>(std::cos(a));
}
template <class T>
T __ldg(const T* p) {
  return *p;
}
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }

// ---- what the host calls ------------------------------------------------------------------------
enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorStreamCaptureUnsupported = 900
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
using cudaMemPool_t = struct CUmemPoolHandle_st*;
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4 };
enum cudaMemAllocationType { cudaMemAllocationTypePinned = 1 };
enum cudaMemLocationType { cudaMemLocationTypeDevice = 1 };
struct cudaMemPoolProps {
  cudaMemAllocationType allocType;
  struct {
    cudaMemLocationType type;
    int id;
  } location;
};
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeRelaxed };
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrSingleToDoublePrecisionPerfRatio = 87
};

// ---- captures: what a stream is told meanwhile is done when its graph is launched ---------------
namespace emulator {
struct Recorded {
  std::vector<std::function<void()>> work{};
  std::vector<void*> memory{};  // that a call took for its work
  Recorded() = default;
  Recorded(const Recorded&) = delete;
  ~Recorded() {
    for (void* p : memory) std::free(p);
  }
};
inline thread_local int device = 0;  // the current one
inline thread_local cudaError_t last_error = cudaSuccess;
inline std::atomic<int> captures{0};
inline thread_local cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
inline cudaError_t take(void** p, size_t bytes) {
  *p = std::aligned_alloc(256, (std::max<size_t>(bytes, 1) + 255) / 256 * 256);
  return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
// Of what allocates or waits: an error while a stream is captured.
inline cudaError_t unsafe() {
  const bool refused = captures > 0 && capture_mode == cudaStreamCaptureModeGlobal;
  return refused ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}
}  // namespace emulator

struct CUstream_st {
  int device = emulator::device;
  std::shared_ptr<emulator::Recorded> captured{};
};
struct CUgraph_st {
  std::shared_ptr<emulator::Recorded> recorded;
};
using cudaStream_t = CUstream_st*;
using cudaGraph_t = CUgraph_st*;
using cudaGraphExec_t = CUgraph_st*;

namespace emulator {
// Does it now, unless the stream is captured.
inline cudaError_t queue(cudaStream_t stream, std::function<void()> work) {
  if (stream && stream->captured) {
    stream->captured->work.push_back(std::move(work));
  } else {
    work();
  }
  return cudaSuccess;
}
inline void launch(cudaStream_t stream, dim3 grid, dim3 block, std::function<void()> thread) {
  if (stream && stream->device != device) return void(last_error = cudaErrorInvalidResourceHandle);
  queue(stream, [=] { run(grid, block, thread); });
}
}  // namespace emulator

inline cudaError_t cudaStreamCreate(cudaStream_t* s) { return *s = new CUstream_st, cudaSuccess; }
inline cudaError_t cudaStreamDestroy(cudaStream_t s) { return delete s, cudaSuccess; }
inline cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode) {
  if (!s || s->captured) return cudaErrorStreamCaptureUnsupported;
  return s->captured = std::make_shared<emulator::Recorded>(), ++emulator::captures, cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t* graph) {
  if (!s->captured) return cudaErrorInvalidValue;
  *graph = new CUgraph_st{std::move(s->captured)};
  return --emulator::captures, cudaSuccess;
}
inline cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus* status) {
  *status = s && s->captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return std::swap(*mode, emulator::capture_mode), cudaSuccess;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* e, cudaGraph_t g, unsigned long long) {
  return *e = new CUgraph_st(*g), cudaSuccess;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t g) { return delete g, cudaSuccess; }
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t e) { return delete e, cudaSuccess; }
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t e, cudaStream_t) {
  for (const auto& work : e->recorded->work) work();
  return cudaSuccess;
}

// ---- two devices, the second with slow f64 ------------------------------------------------------
inline const char* cudaGetErrorString(cudaError_t e) {
  return e == cudaSuccess ? "no error" : "an emulated error";
}
inline cudaError_t cudaGetLastError() { return std::exchange(emulator::last_error, cudaSuccess); }
inline cudaError_t cudaGetDeviceCount(int* n) { return *n = 2, cudaSuccess; }
inline cudaError_t cudaGetDevice(int* d) { return *d = emulator::device, cudaSuccess; }
inline cudaError_t cudaSetDevice(int d) { return emulator::device = d, cudaSuccess; }
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int device) {
  *value = what == cudaDevAttrMultiProcessorCount ? 4 : device == 0 ? 2 : 64;
  return cudaSuccess;
}
inline cudaError_t cudaMalloc(void** p, size_t bytes) {
  if (const cudaError_t e = emulator::unsafe()) return e;
  return emulator::take(p, bytes);
}
inline cudaError_t cudaFree(void* p) {
  if (const cudaError_t e = emulator::unsafe()) return e;
  return std::free(p), cudaSuccess;
}
inline cudaError_t cudaMemPoolCreate(cudaMemPool_t* p, const cudaMemPoolProps*) {
  return *p = nullptr, emulator::unsafe();
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return cudaSuccess;
}
inline cudaError_t cudaMallocFromPoolAsync(void** p, size_t n, cudaMemPool_t, cudaStream_t s) {
  const cudaError_t e = emulator::take(p, n);
  if (s && s->captured) s->captured->memory.push_back(*p);
  return e;
}
inline cudaError_t cudaFreeAsync(void* p, cudaStream_t s) {
  if (!s || !s->captured) std::free(p);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t n, cudaMemcpyKind) {
  if (const cudaError_t e = emulator::unsafe()) return e;
  return n ? std::memcpy(to, from, n) : to, cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t n, cudaMemcpyKind,
                                   cudaStream_t s) {
  return emulator::queue(s, [=] {
    if (n) std::memcpy(to, from, n);
  });
}
inline cudaError_t cudaMemsetAsync(void* p, int value, size_t n, cudaStream_t s) {
  return emulator::queue(s, [=] { std::memset(p, value, n); });
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  return s && s->captured ? cudaErrorStreamCaptureUnsupported : emulator::unsafe();
}
inline cudaError_t cudaDeviceSynchronize() { return emulator::unsafe(); }
