// devices_test.cc: several devices in one process, from one thread and from several.
#include <thread>

#include "posenc/rotary.h"
#include "tests/cuda/capture.h"
#include "tests/cuda/content.h"
#include "tests/support/message.h"

namespace posenc::devices_test {
namespace {

class CudaDevices : public Cuda {
 protected:
  void SetUp() override {
    Cuda::SetUp();
    if (!IsSkipped() && cuda::state().devices < 2) GTEST_SKIP() << "one GPU";
  }
};

int current_device() {
  int device = -1;
  check(cudaGetDevice(&device));
  return device;
}

// A plan of each family, whose first calls copy what they need.
struct Plans {
  Random random{1};
  Stand stand{TransformerXl{.dim = 5, .heads = 3, .sinusoids = {.dim = 6}},
              DType::f32,
              {2, 3, 9, 9},
              random};
  AbsolutePlan rows = prepare(Sinusoidal{.dim = 24});
  RotaryPlan turns = prepare(Rope{.dim = 64, .layout = Layout::half}, {.keep = 5});
  BiasPlan biases = prepare(Alibi{.heads = 3});

  // What calls make on a device.
  std::vector<double> run(int device) const {
    Random numbers_random(2);
    std::vector<double> out;
    Guarded x(DType::f32, {2, 9, 24}), q(DType::bf16, {2, 9, 3, 64}),
        scores(DType::f32, {2, 3, 9, 9});
    for (const Guarded* t : {&x, &q, &scores}) randomize(t->view(), numbers_random);
    const OnDevice dx(x.view(), device), dq(q.view(), device), dscores(scores.view(), device),
        content_q(stand.q.view(), device), content_k(stand.k.view(), device);
    add(rows, dx.view(), range(3));
    rotate(turns, {.q = dq.view()}, range(2));
    add(biases, dscores.view(), {.causal = true});
    add(stand.plan, {content_q.view(), content_k.view()}, dscores.view());
    dx.fetch(), dq.fetch(), dscores.fetch();
    for (const Guarded* t : {&x, &q, &scores})
      for (const double number : numbers(t->view())) out.push_back(number);
    return out;
  }
};

TEST_F(CudaDevices, OnePlanServesAll) {
  const Plans plans, others;
  const auto wanted = plans.run(0);
  EXPECT_EQ(plans.run(1), wanted);
  EXPECT_EQ(plans.run(0), wanted);
  EXPECT_EQ(current_device(), 0);
  const OnlyDevice only(1);  // what is current does not matter, and stays
  EXPECT_EQ(others.run(0), wanted);
  EXPECT_EQ(others.run(1), wanted);
  EXPECT_EQ(current_device(), 1);
}

TEST_F(CudaDevices, StreamsOfADevice) {
  const AbsolutePlan plan = prepare(Sinusoidal{.dim = 8}, {.cuda_device = 1});
  Guarded x(DType::f32, {3, 8}), truth(DType::f64, {3, 8});
  const OnDevice here(x.view(), 0), there(x.view(), 1);
  const auto tell = [&](const OnDevice& to) {
    return [&](Stream s) { fill(plan, to.view(), range(), s); };
  };
  const Captured graph(tell(there), 1);
  EXPECT_EQ(current_device(), 0);
  graph.launch();
  there.fetch();
  fill(plan, truth.view());
  for (int64_t n = 0; n < 24; ++n)
    EXPECT_NEAR(get(x.view(), n), get(truth.view(), n), device_row_error(DType::f32, 1));
  expect_message([&] { const Captured other(tell(here), 0); },  // its copy is on another device
                 "on the device before a capture begins");
}

// The words of CUDA's own error: the stream is one of another device.
TEST_F(CudaDevices, AFailureIsToldInCudasWords) {
  const Guarded x(DType::f32, {3, 8});
  const OnDevice here(x.view(), 0);
  cudaStream_t other{};
  {
    const OnlyDevice only(1);
    check(cudaStreamCreate(&other));
  }
  const AbsolutePlan plan = prepare(Sinusoidal{.dim = 8}, {.cuda_device = 0});
  const auto call = [&] { add(plan, here.view(), here.view(), range(), Stream(other)); };
  const std::string words = cudaGetErrorString(cudaErrorInvalidResourceHandle);
  EXPECT_EQ(message(call), "[cuda] add: kernel launch failed: " + words + " (400)");
  const OnlyDevice only(1);
  check(cudaStreamDestroy(other));
}

TEST_F(CudaDevices, SeveralThreads) {
  const auto wanted = Plans().run(0);
  for (const bool one_device : {false, true}) {
    const Plans plans;
    std::vector<double> results[2][4];
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&, t] {
        for (auto& result : results[t]) result = plans.run(one_device ? 0 : t);
      });
    for (std::thread& thread : threads) thread.join();
    for (const auto& of_thread : results)
      for (const auto& result : of_thread) EXPECT_EQ(result, wanted);
  }
}

}  // namespace
}  // namespace posenc::devices_test
