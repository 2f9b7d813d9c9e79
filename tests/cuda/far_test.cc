// far_test.cc: tensors whose elements lie 2^31 elements and more from each other.
#include <functional>

#include "posenc/rotate_into.h"
#include "tests/cuda/bias_cases.h"

namespace posenc::far_test {
namespace {

class CudaFar : public Cuda {
 protected:
  void SetUp() override {
    Cuda::SetUp();
    void* memory = nullptr;
    if (!IsSkipped() && cudaMalloc(&memory, size_t{5} << 30) != cudaSuccess)
      GTEST_SKIP() << "no 5 GB: " << cudaGetErrorString(cudaGetLastError());
    static_cast<void>(cudaFree(memory));
  }
};

// The numbers of a tensor on a device, with such steps along an axis that its last element is
// `reach` elements and more from its first. Little of the memory between them is ever touched.
class Spread {
 public:
  Spread(const Tensor& host, int axis, int64_t reach) : host_(host), view_(host) {
    const int64_t step = std::max(reach / (host.size(axis) - 1), host.elements());
    view_.stride[static_cast<size_t>(axis)] = (step / 64 + 1) * 64;  // whole packs
    int64_t elements = 1;
    for (int i = 0; i < host.rank; ++i) elements += (host.size(i) - 1) * view_.step(i);
    check(cudaMalloc(&view_.data, static_cast<size_t>(elements * size_of(host.dtype))));
    view_.device = Device::cuda;
    for (int64_t n = 0; n < host.elements(); ++n)
      copy(element(view_, n), element(host, n), cudaMemcpyHostToDevice);
  }
  Spread(const Spread&) = delete;
  ~Spread() { static_cast<void>(cudaFree(view_.data)); }

  const Tensor& view() const { return view_; }
  std::vector<double> fetch() const {
    check(cudaDeviceSynchronize());
    for (int64_t n = 0; n < host_.elements(); ++n)
      copy(element(host_, n), element(view_, n), cudaMemcpyDeviceToHost);
    return numbers(host_);
  }

 private:
  void copy(void* to, const void* from, cudaMemcpyKind kind) const {
    check(cudaMemcpy(to, from, static_cast<size_t>(size_of(host_.dtype)), kind));
  }

  Tensor host_, view_;
};

// verb(tensor) does the same whether the elements along each axis lie near or far.
using Verb = std::function<void(const Tensor&)>;
void expect_same(const std::vector<int64_t>& shape, const Verb& verb) {
  for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
    SCOPED_TRACE("axis " + std::to_string(axis));
    std::vector<double> results[2];
    for (const bool far : {false, true}) {
      Random random(1);
      Guarded x(DType::bf16, shape);
      randomize(x.view(), random);
      const Spread there(x.view(), axis, far ? int64_t{1} << 31 : 0);
      verb(there.view());
      results[far] = there.fetch();
    }
    ASSERT_EQ(results[0], results[1]);
  }
}

TEST_F(CudaFar, HeadsAreTurned) {
  using enum Layout;
  for (const Rope& rope :
       {Rope{.dim = 64, .layout = half}, Rope{.dim = 128, .layout = half},
        Rope{.dim = 64, .layout = interleaved}, Rope{.dim = 64, .layout = half, .decay = XPos{}},
        Rope{.dim = 32, .layout = interleaved_in_half_out}}) {
    const RotaryPlan plan = prepare(rope);
    for (const int64_t tokens : {3, 30})
      expect_same({3, tokens, 9, rope.dim}, [&](const Tensor& q) { rotate(plan, {.q = q}); });
  }
  // Tokens so far apart that one step is more than 2^31.
  const RotaryPlan plan = prepare(Rope{.dim = 64, .layout = half, .decay = XPos{}});
  expect_same({2, 2, 2, 64}, [&](const Tensor& k) { rotate(plan, {.k = k}); });
}

TEST_F(CudaFar, RowsAreAdded) {
  Random random(2);
  const AbsolutePlan plan = prepare(Sinusoidal{.dim = 16});
  Guarded ids(DType::i32, {3, 5});
  randomize_ids(ids.view(), random, 0, 9);
  const OnDevice there(ids.view());
  expect_same({3, 5, 16}, [&](const Tensor& x) { add(plan, x); });
  expect_same({3, 5, 16}, [&](const Tensor& x) { add(plan, x, positions(there.view())); });
  expect_same({3, 5, 16}, [&](const Tensor& x) { fill(plan, x); });
  expect_same({300, 16}, [&](const Tensor& x) { fill(plan, x); });
  std::vector<double> wanted;
  expect_same({10, 16}, [&](const Tensor& embedding) {
    Guarded sum(DType::bf16, {3, 5, 16});
    const OnDevice to(sum.view());
    embed(plan, there.view(), embedding, to.view());
    to.fetch();
    if (wanted.empty()) wanted = numbers(sum.view());
    EXPECT_EQ(numbers(sum.view()), wanted);
  });
}

TEST_F(CudaFar, BiasesAreAddedAndFilled) {
  Random random(3);
  const Plans along = plans_of(Alibi{.heads = case_heads}, random),
              pairs = plans_of(T5Bias{.heads = case_heads, .buckets = 12}, random);
  Guarded ids(DType::i32, {2, 5});
  randomize_ids(ids.view(), random, 0, 30);
  const OnDevice there(ids.view());
  expect_same({2, case_heads, 5, 16}, [&](const Tensor& x) { fill(along.plan, x); });
  expect_same({2, case_heads, 5, 16}, [&](const Tensor& x) { add(along.plan, x); });
  expect_same({2, case_heads, 5, 16},
              [&](const Tensor& x) { add(pairs.plan, x, {.queries = positions(there.view())}); });
}

TEST_F(CudaFar, KeysAreStored) {
  Random random(4);
  const RotaryPlan plan = prepare(Rope{.dim = 64, .layout = Layout::half});
  Guarded slots(DType::i64, {6}), k(DType::bf16, {6, 2, 64}), v(DType::bf16, {6, 2, 64});
  randomize(k.view(), random), randomize(v.view(), random);
  for (int64_t n = 0; n < 6; ++n) set(slots.view(), n, static_cast<double>(11 - 2 * n));
  OnDevice there(k.view());
  const OnDevice values(v.view()), at(slots.view());
  expect_same({3, 4, 2, 64}, [&](const Tensor& cache) {
    rotate_into(plan, {.k = there.view()}, {}, {.cache = {.k = cache, .slots = at.view()}});
  });
  expect_same({3, 4, 2, 64}, [&](const Tensor& cache) {
    rotate_into(plan, {.k = there.view()}, {.k = there.view()},
                {.v = values.view(), .cache = {.v = cache, .slots = at.view()}});
    there.put();
  });
}

}  // namespace
}  // namespace posenc::far_test
