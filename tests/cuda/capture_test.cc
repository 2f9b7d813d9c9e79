// capture_test.cc: every verb in a captured stream, with a plan that was prepared for its device.
#include "tests/cuda/capture.h"

#include "posenc/layout.h"
#include "posenc/rotate_into.h"
#include "tests/cuda/bias_cases.h"
#include "tests/support/message.h"

namespace posenc::capture_test {
namespace {

using CudaCapture = Cuda;

constexpr auto no_plan = [] { return 0; };

TEST_F(CudaCapture, RowsAndTheirGradients) {
  Random random(1);
  for (const Absolute& scheme :
       {Absolute(Sinusoidal{.dim = 16, .learned_scale = true}), Absolute(Time2Vec{.dim = 8}),
        Absolute(Gaussian{.coordinates = 1, .features = 4}),
        Absolute(Learned{.dim = 8, .rows = 40, .learned_scale = true})}) {
    SCOPED_TRACE(alternative_name(scheme));
    const Weights given = random_weights(scheme, random);
    const WeightsOnDevice there(given);
    const auto make = [&] { return prepare(scheme, {.weights = there.views(), .cuda_device = 0}); };
    const int64_t dim = make().dim();
    const Numbers at(DType::i32, {6}), ids(DType::i64, {2, 6}), x(DType::f32, {2, 6, dim}),
        out(DType::f32, {2, 6, dim}), embedding(DType::f32, {10, dim});
    expect_captured({&at, &out}, make, [](const AbsolutePlan& p, Views t, Stream s) {
      fill(p, t[1], positions(t[0]), s);
    });
    expect_captured({&x, &out}, make, [](const AbsolutePlan& p, Views t, Stream s) {
      add(p, t[0], t[1], range(2), s);
    });
    expect_captured({&ids, &embedding, &out}, make, [](const AbsolutePlan& p, Views t, Stream s) {
      embed(p, t[0], t[1], t[2], {.scale = 3}, s);
    });
    std::vector<std::unique_ptr<Numbers>> sums;
    std::vector<const Guarded*> all{&at, &x};
    for (const Weight& w : weights(scheme))
      all.push_back(sums.emplace_back(std::make_unique<Numbers>(DType::f32, w.shape)).get());
    expect_captured(all, make, [](const AbsolutePlan& p, Views t, Stream s) {
      backward(p, t[1], t.subspan(2), positions(t[0]), s);
    });
  }
}

TEST_F(CudaCapture, TablesAndLayouts) {
  const Numbers ids(DType::i64, {2, 6}), x(DType::f32, {2, 6, 8}), table(DType::f32, {10, 8}),
      longer(DType::f32, {17, 8});
  expect_captured({&table, &x}, no_plan,
                  [](int, Views t, Stream s) { add_rows(t[0], t[1], t[1], range(1), s); });
  expect_captured({&ids, &x, &table}, no_plan,
                  [](int, Views t, Stream s) { embed_backward(t[0], t[1], t[2], 2, s); });
  expect_captured({&table, &longer}, no_plan,
                  [](int, Views t, Stream s) { resize(t[0], t[1], Resize::cubic, 1, s); });
  expect_captured({&longer, &table}, no_plan, [](int, Views t, Stream s) {
    Tensor weight = t[0];
    weight.shape[0] = 16;
    convert_layout(weight, weight, Layout::half, Layout::interleaved, {.heads = 2, .dim = 8}, s);
  });
}

TEST_F(CudaCapture, Turns) {
  const Numbers at(DType::i32, {6}), q(DType::f32, {2, 6, 3, 32}), k(DType::f32, {2, 6, 2, 32}),
      cosines(DType::f32, {10, 16}), sines(DType::f32, {10, 16});
  for (const Rope& rope : {Rope{.dim = 32, .layout = Layout::half},
                           Rope{.dim = 32, .layout = Layout::interleaved_in_half_out},
                           Rope{.dim = 32, .layout = Layout::interleaved, .decay = XPos{}}}) {
    const auto make = [&] { return prepare(rope, {.keep = 5, .cuda_device = 0}); };
    expect_captured({&at, &q, &k}, make, [](const RotaryPlan& p, Views t, Stream s) {
      rotate(p, {t[1], t[2]}, positions(t[0]), s);
    });
    expect_captured({&q, &k}, make, [](const RotaryPlan& p, Views t, Stream s) {
      rotate_adjoint(p, {t[0], t[1]}, {t[0], t[1]}, range(3), s);
    });
    expect_captured({&q, &k}, make, [](const RotaryPlan& p, Views t, Stream s) {
      rotate_inverse(p, {t[0], t[1]}, {t[0], t[1]}, range(3), s);
    });
    if (rope.layout != Layout::interleaved_in_half_out)
      expect_captured({&at, &k}, make, [](const RotaryPlan& p, Views t, Stream s) {
        move(p, positions(t[0]), p, range(100), t[1], s);
      });
  }
  expect_captured({&cosines, &sines, &q, &k}, no_plan, [](int, Views t, Stream s) {
    rotate({t[0], t[1]}, Layout::half, {t[2], t[3]}, {t[2], t[3]}, range(1), s);
  });
}

TEST_F(CudaCapture, LearnedTurns) {
  Random random(2);
  const Rope rope{
      .dim = 32, .layout = Layout::half, .frequencies = LearnedFrequencies{.heads = 1, .axes = 1}};
  const Weights given = random_weights(rope.weights(), random);
  const WeightsOnDevice there(given);
  const auto make = [&] { return prepare(rope, {.weights = there.views(), .cuda_device = 0}); };
  const Numbers x(DType::f32, {6, 2, 32}), dy(DType::f32, {6, 2, 32}),
      sums(DType::f32, rope.weights()[0].shape);
  expect_captured({&x, &dy, &sums}, make, [](const RotaryPlan& p, Views t, Stream s) {
    backward(p, {.k = t[0]}, {.k = t[1]}, t[2], range(4), s);
  });
}

TEST_F(CudaCapture, RotateInto) {
  const Numbers at(DType::i32, {6}), slots(DType::i32, {6}), q(DType::bf16, {6, 3, 32}),
      k(DType::bf16, {6, 2, 32}), v(DType::bf16, {6, 2, 32}), weight(DType::f32, {32}),
      k_cache(DType::bf16, {3, 4, 2, 32}), v_cache(DType::bf16, {3, 4, 2, 32});
  const auto make = [] {
    return prepare(Rope{.dim = 32, .layout = Layout::half}, {.cuda_device = 0});
  };
  for (int64_t n = 0; n < 6; ++n) set(slots.view(), n, static_cast<double>(n));
  expect_captured({&at, &slots, &q, &k, &v, &weight, &k_cache, &v_cache}, make,
                  [](const RotaryPlan& p, Views t, Stream s) {
                    rotate_into(p, {t[2], t[3]}, {.q = t[2]},
                                {.norm = {.q = t[5], .k = t[5]},
                                 .v = t[4],
                                 .cache = {.k = t[6], .v = t[7], .slots = t[1]}},
                                positions(t[0]), s);
                  });
}

TEST_F(CudaCapture, BiasesAndTheirGradients) {
  Random random(5);
  for (const Bias& scheme : every_bias()) {
    const PreparedBias host = prepare_random(scheme, random);
    SCOPED_TRACE(host.text());
    const auto make = [&] {
      return prepare(scheme, {.weights = host.weights.views(), .keep = 10, .cuda_device = 0});
    };
    const Numbers at(DType::i32, {5}), x(DType::f32, {2, case_heads, 5, 9}),
        profile(DType::f32, {case_heads, 20});
    expect_captured({&x}, make, [](const BiasPlan& p, Views t, Stream s) {
      fill(p, t[0], {.causal = true}, s);
    });
    expect_captured({&at, &x}, make, [](const BiasPlan& p, Views t, Stream s) {
      add(p, t[1], {.queries = positions(t[0]), .scale = 0.5}, s);
    });
    if (host.plan.reads() == Reads::distance || host.plan.reads() == Reads::key) {
      expect_captured({&profile}, make, [](const BiasPlan& p, Views t, Stream s) {
        fill_profile(p, t[0], -7, 0, s);
      });
    }
    std::vector<std::unique_ptr<Numbers>> sums;
    std::vector<const Guarded*> all{&at, &x};
    for (const Weight& w : weights(scheme))
      all.push_back(sums.emplace_back(std::make_unique<Numbers>(DType::f32, w.shape)).get());
    if (sums.empty()) continue;
    expect_captured(all, make, [](const BiasPlan& p, Views t, Stream s) {
      backward(p, t[1], t.subspan(2), {.queries = positions(t[0])}, s);
    });
  }
  const Numbers profile(DType::f32, {2, 20}), x(DType::f32, {2, 5, 9});
  expect_captured({&profile, &x}, no_plan,
                  [](int, Views t, Stream s) { add_profile(t[0], -7, t[1], t[1], {}, s); });
}

// A plan without its copy says so, and a capture goes on; once a call was made, it may be captured.
TEST_F(CudaCapture, WhatIsNotThereIsSaid) {
  const Numbers x(DType::f32, {6, 2, 32}), scores(DType::f32, {8, 5, 9});
  const OnDevice there(x.view()), biased(scores.view());
  const RotaryPlan rotary = prepare(Rope{.dim = 32, .layout = Layout::half});
  const BiasPlan bias = prepare(Alibi{});
  const auto turn = [&](Stream s) { rotate(rotary, {.k = there.view()}, range(), s); };
  const auto add_bias = [&](Stream s) { add(bias, biased.view(), {}, s); };
  expect_message([&] { const Captured graph(turn); }, "on the device before a capture begins");
  expect_message([&] { const Captured graph(add_bias); }, "on the device before a capture begins");
  turn({}), add_bias({});
  EXPECT_EQ(message([&] {
              const Captured graph(turn), other(add_bias);
              graph.launch(), other.launch();
            }),
            "no error");
}

}  // namespace
}  // namespace posenc::capture_test
