// capture.h: verbs told to a stream that is captured, and done when its graph is launched.
#pragma once

#include "tests/cuda/device.h"

namespace posenc {

using Views = std::span<const Tensor>;

// A tensor of random numbers, or ids.
struct Numbers : Guarded {
  Numbers(DType dtype, const std::vector<int64_t>& shape) : Guarded(dtype, shape) {
    Random random(3);
    is_float(dtype) ? randomize(view(), random) : randomize_ids(view(), random, 0, 9);
  }
};

class Captured {
 public:
  // What tell(stream) queues, on a stream of a device which need not be the current one.
  template <class Tell>
  explicit Captured(const Tell& tell, int device = 0) : device_(device) {
    {
      const OnlyDevice only(device_);
      check(cudaStreamCreate(&stream_));
    }
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    cudaGraph_t graph = nullptr;
    std::exception_ptr error;
    try {
      tell(Stream(stream_));
    } catch (...) {
      error = std::current_exception();
    }
    check(cudaStreamEndCapture(stream_, &graph));
    if (!error) check(cudaGraphInstantiate(&work_, graph, 0));
    check(cudaGraphDestroy(graph));
    if (!error) return;
    check(cudaStreamDestroy(stream_));
    std::rethrow_exception(error);
  }
  Captured(const Captured&) = delete;
  ~Captured() {
    const OnlyDevice only(device_);
    static_cast<void>(cudaGraphExecDestroy(work_));
    static_cast<void>(cudaStreamDestroy(stream_));
  }
  void launch() const {
    const OnlyDevice only(device_);
    check(cudaGraphLaunch(work_, stream_));
    check(cudaStreamSynchronize(stream_));
  }

 private:
  int device_;
  cudaStream_t stream_{};
  cudaGraphExec_t work_{};
};

// verb(plan, the tensors on a device, stream) does the same at once and by a graph, which is
// captured with a plan that no call has used before.
template <class Make, class Verb>
void expect_captured(const std::vector<const Guarded*>& tensors, const Make& make,
                     const Verb& verb) {
  std::vector<OnDevice> there;
  std::vector<Tensor> views;
  for (const Guarded* t : tensors)
    there.emplace_back(t->view()), views.push_back(there.back().view());
  using Bytes = std::vector<std::vector<unsigned char>>;
  const auto on_host = [&] {
    Bytes out;
    for (const Guarded* t : tensors) out.push_back(t->bytes());
    return out;
  };
  const auto on_device = [&] {
    for (const OnDevice& t : there) t.fetch();
    return on_host();
  };
  const Bytes before = on_host();
  const auto start_again = [&] {
    for (size_t i = 0; i < tensors.size(); ++i)
      std::memcpy(const_cast<unsigned char*>(tensors[i]->bytes().data()), before[i].data(),
                  before[i].size());
    for (OnDevice& t : there) t.put();
  };
  verb(make(), Views(views), Stream{});
  const Bytes wanted = on_device();
  EXPECT_NE(wanted, before);
  start_again();
  const auto plan = make();
  const Captured graph([&](Stream s) { verb(plan, Views(views), s); });
  EXPECT_EQ(on_device(), before);  // nothing is done yet
  for (int i = 0; i < 2; ++i) {
    start_again();
    graph.launch();
    EXPECT_EQ(on_device(), wanted);
  }
}

}  // namespace posenc
