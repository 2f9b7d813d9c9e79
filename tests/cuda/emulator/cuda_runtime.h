// cuda_runtime.h: as much of CUDA as posenc uses, on the CPU.
//
// It stands in for CUDA's own header where the files of src/cuda are compiled as plain C++
// (POSENC_CUDA=EMULATED): memory of a device is memory, a stream does everything at once, and a
// kernel runs one thread of a block after the other; a thread that waits for others is put aside
// on a stack of its own. So tests walk through the kernels on machines without a GPU, also under
// sanitizers. It is slow, and knows nothing of the order in which a GPU does things.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>

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
// Runs the kernel, thread after thread.
void launch(dim3 grid, dim3 block, const std::function<void()>& thread);
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

inline uint64_t __umul64hi(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(a) * b) >> 64);
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
  cudaErrorInvalidDevice = 101
};
using cudaStream_t = struct CUstream_st*;
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

inline const char* cudaGetErrorString(cudaError_t e) {
  return e == cudaSuccess ? "no error" : "an emulated error";
}
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int* n) { return *n = 2, cudaSuccess; }
inline thread_local int emulated_device = 0;
inline cudaError_t cudaGetDevice(int* d) { return *d = emulated_device, cudaSuccess; }
inline cudaError_t cudaSetDevice(int d) { return emulated_device = d, cudaSuccess; }
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int) {
  *value = what == cudaDevAttrMultiProcessorCount ? 4 : 2;
  return cudaSuccess;
}
inline cudaError_t cudaMalloc(void** p, size_t bytes) {
  *p = std::aligned_alloc(256, (std::max<size_t>(bytes, 1) + 255) / 256 * 256);
  return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaFree(void* p) { return std::free(p), cudaSuccess; }
inline cudaError_t cudaMemPoolCreate(cudaMemPool_t* p, const cudaMemPoolProps*) {
  return *p = nullptr, cudaSuccess;
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return cudaSuccess;
}
inline cudaError_t cudaMallocFromPoolAsync(void** p, size_t n, cudaMemPool_t, cudaStream_t) {
  return cudaMalloc(p, n);
}
inline cudaError_t cudaFreeAsync(void* p, cudaStream_t) { return cudaFree(p); }
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t n, cudaMemcpyKind) {
  return n ? std::memcpy(to, from, n) : to, cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t n, cudaMemcpyKind k,
                                   cudaStream_t) {
  return cudaMemcpy(to, from, n, k);
}
inline cudaError_t cudaMemsetAsync(void* p, int value, size_t n, cudaStream_t) {
  return std::memset(p, value, n), cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* s) {
  return *s = cudaStreamCaptureStatusNone, cudaSuccess;
}
inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) {
  return cudaSuccess;
}
