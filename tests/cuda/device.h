// device.h: tensors of the host, copied to a device and back.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/cuda_state.h"
#include "posenc/absolute.h"
#include "posenc/relative.h"
#include "tests/support/places.h"
#include "tests/support/weights.h"

namespace posenc {

inline void check(cudaError_t e) {
  if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

// The device that is the current one as long as this lives.
class OnlyDevice {
 public:
  explicit OnlyDevice(int device) {
    check(cudaGetDevice(&before_));
    check(cudaSetDevice(device));
  }
  OnlyDevice(const OnlyDevice&) = delete;
  ~OnlyDevice() { static_cast<void>(cudaSetDevice(before_)); }

 private:
  int before_ = 0;
};

// As long as it lives, the emulator runs blocks and threads in an order of its own; a GPU always
// does.
class OtherOrder {
#ifdef POSENC_CUDA_EMULATOR
 public:
  OtherOrder() : before_(emulator::set_order(emulator::Order::shuffled)) {}
  OtherOrder(const OtherOrder&) = delete;
  ~OtherOrder() { emulator::set_order(before_); }

 private:
  emulator::Order before_;
#endif
};

// A copy of all the memory between the first and the last element of a view, and the same view of
// it on a device.
class OnDevice {
 public:
  explicit OnDevice(const Tensor& host, int device = 0) : host_(host), view_(host) {
    int64_t low = 0, high = host.elements() == 0 ? -1 : 0;
    for (int i = 0; i < host.rank && high >= 0; ++i) {
      const int64_t reach = (host.size(i) - 1) * host.step(i);
      (reach < 0 ? low : high) += reach;
    }
    const int64_t size = size_of(host.dtype);
    begin_ = static_cast<char*>(host.data) + low * size;
    bytes_ = static_cast<size_t>((high - low + 1) * size);
    view_.device = Device::cuda, view_.device_index = device;
    const OnlyDevice only(device);
    check(cudaMalloc(&memory_, bytes_ + guard));
    put();
    view_.data = static_cast<char*>(memory_) - low * size;
  }
  OnDevice(OnDevice&& other) noexcept
      : host_(other.host_),
        view_(other.view_),
        begin_(other.begin_),
        bytes_(other.bytes_),
        memory_(std::exchange(other.memory_, nullptr)) {}
  ~OnDevice() { static_cast<void>(cudaFree(memory_)); }

  const Tensor& view() const { return view_; }
  // From the host to the device, and back.
  void put() { check(cudaMemcpy(memory_, begin_, bytes_, cudaMemcpyHostToDevice)); }
  void fetch() const {
    const OnlyDevice only(view_.device_index);
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(begin_, memory_, bytes_, cudaMemcpyDeviceToHost));
  }

 private:
  static constexpr size_t guard = 256;

  Tensor host_, view_;
  char* begin_;
  size_t bytes_;
  void* memory_ = nullptr;
};

// Positions whose ids, if any, live on the device.
class PlacesOnDevice {
 public:
  explicit PlacesOnDevice(const Positions& at, int device = 0) : at_(at) {
    if (at.is_range()) return;
    ids_ = std::make_unique<OnDevice>(at.ids, device);
    at_.ids = ids_->view();
  }
  const Positions& at() const { return at_; }

 private:
  Positions at_;
  std::unique_ptr<OnDevice> ids_;
};

// Options of the host, and the same with positions on the device.
struct OptionsOnDevice {
  PlacesOnDevice queries, keys;
  ScoreOptions options;
  explicit OptionsOnDevice(const ScoreOptions& o) : queries(o.queries), keys(o.keys), options(o) {
    options.queries = queries.at(), options.keys = keys.at();
  }
};

// Weights, or their gradients, on the device.
class WeightsOnDevice {
 public:
  explicit WeightsOnDevice(const Weights& weights, int device = 0) {
    for (const Array& a : weights.arrays) all_.emplace_back(a.view(), device);
    for (const OnDevice& w : all_) views_.push_back(w.view());
  }
  std::span<const Tensor> views() const { return views_; }
  void fetch() const {
    for (const OnDevice& w : all_) w.fetch();
  }

 private:
  std::vector<OnDevice> all_;
  std::vector<Tensor> views_;
};

// How far a row of a device may be from the truth: see row_error(); 6.1e-8 in f32.
inline double device_row_error(DType dtype, double truth, double amplitude = 1) {
  if (dtype == DType::f64) return 4e-16 * std::abs(amplitude);
  const double before = 3.1e-8 * std::abs(amplitude), size = std::abs(truth) + before;
  const double f32 = before + half_ulp(DType::f32, size);
  return dtype == DType::f32 ? f32 : f32 + half_ulp(dtype, size + f32);
}

// Tests that need a device; without one they are skipped, and say why.
class Cuda : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda::state().devices == 0) GTEST_SKIP() << "no GPU: " << cuda::state().missing;
  }
};

}  // namespace posenc
