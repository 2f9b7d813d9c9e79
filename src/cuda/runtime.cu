// runtime.cu: devices, streams and memory.
#include "cuda/runtime.h"

#include <mutex>

#include "base/cuda_state.h"

namespace posenc::cuda {
namespace {

// Devices may be asked for memory while some thread captures a stream.
class Relaxed {
 public:
  Relaxed() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  Relaxed(const Relaxed&) = delete;
  ~Relaxed() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

int attribute(cudaDeviceAttr what, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, what, device), "cudaDeviceGetAttribute");
  return value;
}

constexpr uint64_t pool_bytes = uint64_t{256} * 1024 * 1024;  // between calls

cudaMemPool_t make_pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice, properties.location.id = device;
  const Relaxed relaxed;
  cudaMemPool_t pool = nullptr;
  uint64_t bytes = pool_bytes;
  check(cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate");
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes),
        "cudaMemPoolSetAttribute");
  return pool;
}

// Whether kernels have wait_for_inputs(): those that were compiled for older devices do not.
#ifdef __CUDACC__
__global__ void nothing() {}
bool can_overlap() {
  cudaFuncAttributes kernel{};
  check(cudaFuncGetAttributes(&kernel, nothing), "cudaFuncGetAttributes");
  return kernel.ptxVersion >= 90;
}
#else
bool can_overlap() { return false; }
#endif

struct DeviceFacts {
  int processors = 0;
  bool fast_f64 = false, overlaps = false;
  cudaMemPool_t pool = nullptr;
};
constexpr int most_devices = 64;
const DeviceFacts& facts_of(int device) {
  static DeviceFacts all[most_devices];
  static std::once_flag once[most_devices];
  const int i = std::min(device, most_devices - 1);
  std::call_once(once[i], [&] {
    all[i] = {attribute(cudaDevAttrMultiProcessorCount, device),
              attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, device) <= 4, can_overlap(),
              make_pool(device)};
  });
  return all[i];
}

}  // namespace

void fail_with(cudaError_t error, std::string_view call) {
  fail(error == cudaErrorMemoryAllocation ? ErrorKind::argument : ErrorKind::tensor, "cuda", call,
       " failed: ", cudaGetErrorString(error), " (", static_cast<int>(error), ")");
}

const CudaState& state() {
  static const CudaState found = [] {
    CudaState s;
    const cudaError_t error = cudaGetDeviceCount(&s.devices);
    if (error != cudaSuccess) {
      s.devices = 0;
      s.missing = std::string("CUDA finds no device here: ") + cudaGetErrorString(error);
      static_cast<void>(cudaGetLastError());
    } else if (s.devices == 0) {
      s.missing = "CUDA finds no device here";
    }
    return s;
  }();
  return found;
}

void check_there(int device) {
  const CudaState& here = state();
  if (device >= here.devices)
    fail("prepare", "expected a cuda_device below ", here.devices,
         here.missing.empty() ? "" : " (" + here.missing + ")", ", got ", device);
}

DeviceStream::DeviceStream(int device, Stream stream)
    : device_(device), stream_(static_cast<cudaStream_t>(stream.handle)) {
  check(cudaGetDevice(&before_), "cudaGetDevice");
  if (before_ != device_) check(cudaSetDevice(device_), "cudaSetDevice");
}

DeviceStream::~DeviceStream() {
  for (void* memory : taken_) static_cast<void>(cudaFreeAsync(memory, stream_));
  if (before_ != device_) static_cast<void>(cudaSetDevice(before_));
}

bool DeviceStream::is_captured() const {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream_, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

int DeviceStream::processors() const { return facts_of(device_).processors; }
bool DeviceStream::has_fast_f64() const { return facts_of(device_).fast_f64; }
bool DeviceStream::overlaps() const { return facts_of(device_).overlaps; }
cudaMemPool_t DeviceStream::pool() const { return facts_of(device_).pool; }

void* DeviceStream::take(size_t bytes) const {
  taken_.reserve(taken_.size() + 1);
  void* memory = nullptr;
  check(cudaMallocFromPoolAsync(&memory, std::max<size_t>(bytes, 1), pool(), stream_),
        "cudaMallocFromPoolAsync");
  taken_.push_back(memory);
  return memory;
}

DeviceMemory::DeviceMemory(const DeviceStream& stream, const void* from, size_t bytes,
                           const char* what)
    : DeviceMemory(stream, bytes, what, [&](char* to) {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream.handle()),
              "cudaMemcpyAsync");
      }) {}

DeviceMemory::DeviceMemory(const DeviceStream& stream, size_t bytes, const char* what,
                           const std::function<void(char*)>& fill)
    : DeviceMemory() {
  device_ = stream.device();
  if (stream.is_captured())
    fail("cuda", "expected ", what, " on the device before a capture begins: call once before it, ",
         "or prepare with cuda_device");
  const Relaxed relaxed;
  void* data = nullptr;
  check(cudaMalloc(&data, std::max<size_t>(bytes, 1)), "cudaMalloc");
  data_ = static_cast<char*>(data);
  fill(data_);
  check(cudaStreamSynchronize(stream.handle()), "cudaStreamSynchronize");
}

DeviceMemory::~DeviceMemory() {
  if (!data_) return;
  const Relaxed relaxed;
  int before = 0;
  static_cast<void>(cudaGetDevice(&before));
  static_cast<void>(cudaSetDevice(device_));
  static_cast<void>(cudaFree(data_));
  static_cast<void>(cudaSetDevice(before));
}

void copy_to_host(const Tensor& from, void* to, size_t bytes) {
  const DeviceStream stream(from, {});
  check(cudaMemcpy(to, from.data, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

}  // namespace posenc::cuda
