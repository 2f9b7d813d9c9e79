// guide_test.cc: the programs of docs/cuda.md, against the CPU.
#include "tests/cuda/rotate_into.h"

namespace {

posenc::Tensor on_gpu(void* data, posenc::DType dtype, std::initializer_list<int64_t> shape) {
  posenc::Tensor t = posenc::tensor(data, dtype, std::span(shape.begin(), shape.size()));
  t.device = posenc::Device::cuda;  // and t.device_index, where there are several
  return t;
}

// Once: caches the rows of positions 0 .. 8191, with a copy on device 0.
posenc::RotaryPlan llama_plan() {
  return posenc::prepare(posenc::Rope{.dim = 128, .layout = posenc::Layout::half, .base = 500000},
                         {.keep = 8192, .cuda_device = 0});
}

void prefill(const posenc::RotaryPlan& plan, void* q, void* k, int64_t tokens,
             cudaStream_t stream) {
  posenc::rotate(plan,
                 {on_gpu(q, posenc::DType::bf16, {tokens, 32, 128}),
                  on_gpu(k, posenc::DType::bf16, {tokens, 8, 128})},
                 posenc::range(), stream);
}

cudaGraphExec_t capture_step(const posenc::RotaryPlan& plan, const posenc::QueriesKeys& heads,
                             const posenc::RotateIntoOptions& options, const posenc::Tensor& places,
                             cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t step = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  // ... the layer's projections before
  posenc::rotate_into(plan, heads, {.q = heads.q}, options, posenc::positions(places), stream);
  // ... and its attention after
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&step, graph, 0);
  cudaGraphDestroy(graph);
  return step;  // cudaGraphLaunch(step, stream) from now on
}

}  // namespace

namespace posenc::guide_test {
namespace {

using CudaGuide = Cuda;

struct Stream {
  cudaStream_t it = nullptr;
  Stream() { check(cudaStreamCreate(&it)); }
  ~Stream() { static_cast<void>(cudaStreamDestroy(it)); }
};

// The same numbers on the CPU and on the device.
struct Twins {
  Guarded cpu, copy;
  OnDevice gpu;
  Twins(DType dtype, const std::vector<int64_t>& shape, Random& random)
      : cpu(dtype, shape), copy(dtype, shape), gpu((fill_both(random), copy.view())) {}
  void expect_alike(const char* what) const {
    gpu.fetch();
    expect_heads(copy.view(), cpu.view(), cpu.view().dtype, false, what);
  }

 private:
  void fill_both(Random& random) const {
    randomize(cpu.view(), random);
    const Tensor from = cpu.view();
    std::memcpy(copy.view().data, from.data,
                static_cast<size_t>(from.elements() * size_of(from.dtype)));
  }
};

TEST_F(CudaGuide, Prefill) {
  const RotaryPlan plan = llama_plan();
  const Stream stream;
  Random random(1);
  const Twins q(DType::bf16, {5, 32, 128}, random), k(DType::bf16, {5, 8, 128}, random);
  prefill(plan, q.gpu.view().data, k.gpu.view().data, 5, stream.it);
  rotate(plan, {q.cpu.view(), k.cpu.view()}, range());
  check(cudaStreamSynchronize(stream.it));
  q.expect_alike("q"), k.expect_alike("k");
}

TEST_F(CudaGuide, AStepThatIsReplayed) {
  const RotaryPlan plan = llama_plan();
  const Stream stream;
  Random random(2);
  const Twins q(DType::f32, {3, 4, 128}, random), k(DType::f32, {3, 2, 128}, random),
      v(DType::f32, {3, 2, 64}, random), keys(DType::f32, {4, 8, 2, 128}, random),
      values(DType::f32, {4, 8, 2, 64}, random);
  const Guarded places(DType::i64, {3}), slots(DType::i64, {3});
  OnDevice there_places(places.view()), there_slots(slots.view());
  const cudaGraphExec_t step = capture_step(
      plan, {q.gpu.view(), k.gpu.view()},
      {.v = v.gpu.view(),
       .cache = {.k = keys.gpu.view(), .v = values.gpu.view(), .slots = there_slots.view()}},
      there_places.view(), stream.it);
  for (const int64_t first : {7, 5000}) {
    for (int64_t i = 0; i < 3; ++i) {
      *static_cast<int64_t*>(element(places.view(), i)) = first + i;
      *static_cast<int64_t*>(element(slots.view(), i)) = first % 11 + 3 * i;
    }
    there_places.put(), there_slots.put();
    check(cudaGraphLaunch(step, stream.it));
    check(cudaStreamSynchronize(stream.it));
    rotate_into(plan, {q.cpu.view(), k.cpu.view()}, {.q = q.cpu.view()},
                {.v = v.cpu.view(),
                 .cache = {.k = keys.cpu.view(), .v = values.cpu.view(), .slots = slots.view()}},
                positions(places.view()));
  }
  for (const auto& [x, what] : {std::pair(&q, "q"), {&keys, "keys"}, {&values, "values"}})
    x->expect_alike(what);
  check(cudaGraphExecDestroy(step));
}

}  // namespace
}  // namespace posenc::guide_test
