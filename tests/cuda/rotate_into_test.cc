// rotate_into_test.cc: heads normalised, rotated and stored on a device, against the CPU.
#include "tests/cuda/rotate_into.h"

namespace posenc::rotate_into_test {
namespace {

using CudaRotateInto = Cuda;

RotaryPlan half(int64_t dim) { return prepare(Rope{.dim = dim, .layout = Layout::half}); }

TEST_F(CudaRotateInto, EveryTypeLayoutAndSize) {
  for (const DType dtype : float_types)
    for (const Layout layout : all_layouts)
      for (const int64_t dim : {64, 80, 96, 128})
        expect_rotated_into_alike(prepare(Rope{.dim = dim, .layout = layout}),
                                  {.batch = {}, .tokens = 5, .value_dim = dim, .cache = dtype},
                                  dtype);
}

TEST_F(CudaRotateInto, EveryPairOfTypes) {
  for (const DType dtype : float_types)
    for (const DType cache : float_types)
      for (const DType weights : {DType::f32, dtype})
        expect_rotated_into_alike(half(32), {.value_dim = 16, .cache = cache, .weights = weights},
                                  dtype);
}

// Parts of heads, heads that do not turn, blocks, odd sizes, magnitudes and rows of their own.
TEST_F(CudaRotateInto, EveryWayToTurn) {
  Random random(2);
  for (const Layout layout : all_layouts)
    for (const Rope& rope : {
             Rope{.dim = 80, .layout = layout, .rotary_dim = 32},
             Rope{.dim = 64, .layout = layout, .rotary_dim = 32, .rotary_offset = 16},
             Rope{.dim = 13, .layout = layout, .rotary_dim = 10, .rotary_offset = 2},
             Rope{.dim = 64, .layout = layout, .blocks = 2},
             Rope{.dim = 64, .layout = layout, .sign = Sign::negative, .offset = 7},
             Rope{.dim = 32, .layout = layout, .rotary_heads = 1, .first_head = 1},
             Rope{.dim = 32, .layout = layout, .decay = XPos{}},
             Rope{.dim = 64,
             .layout = layout,
             .rotary_dim = 32,
             .temperature = LogTemperature{.floor = 7}},
             Rope{.dim = 600, .layout = layout, .rotary_dim = 64},
             Rope{.dim = 48, .layout = layout, .rotary_dim = 0},
         }) {
      const RotaryPlan plan = prepare(rope);
      for (const DType dtype : {DType::f32, DType::bf16})
        expect_rotated_into_alike(plan, {.tokens = 3, .cache = dtype}, dtype,
                                  {DType::i32, {1, 2, 3}, random, 0, 900});
    }
}

TEST_F(CudaRotateInto, HeadsWithFrequenciesOfTheirOwn) {
  Random random(5);
  for (const Layout layout : all_layouts) {
    const Rope rope{.dim = 32, .layout = layout, .frequencies = LearnedFrequencies{.heads = 3}};
    const Weights weights = random_weights(rope.weights(), random);
    const RotaryPlan plan = prepare(rope, {weights.views()});
    expect_rotated_into_alike(plan, {.q_heads = 3, .k_heads = 3, .cache = DType::f32}, DType::f32);
  }
}

TEST_F(CudaRotateInto, EveryView) {
  for (const Placement placement : all_placements)
    for (const Layout layout : {Layout::half, Layout::interleaved_in_half_out})
      for (const bool in_place : {false, true})
        expect_rotated_into_alike(prepare(Rope{.dim = 32, .layout = layout}),
                                  {.batch = {2, 2},
                                   .tokens = 3,
                                   .in_place = in_place,
                                   .cache = DType::bf16,
                                   .in = placement,
                                   .out = placement,
                                   .pages = placement},
                                  DType::bf16);
}

// What is left out: norms, outputs, queries, keys, values.
TEST_F(CudaRotateInto, EveryPartOfIt) {
  const RotaryPlan packs = half(32), numbers = half(18);
  for (const RotaryPlan* plan : {&packs, &numbers})
    for (RotateIntoCase s : {RotateIntoCase{.one_plus = true},
                             {.norm_q = false},
                             {.norm_k = false},
                             {.norm_q = false, .norm_k = false},
                             {.epsilon = 3},
                             {.k_out = false},
                             {.in_place = true},
                             {.q = false},
                             {.k = false},
                             {.v = false},
                             {.q = false, .v = false, .k_out = false},
                             {.k = false, .v = false},
                             {.q_heads = 1, .k_heads = 1, .v_heads = 7, .value_dim = 32},
                             {.q_heads = 9, .k_heads = 3, .v_heads = 3}}) {
      s.cache = DType::bf16;
      expect_rotated_into_alike(*plan, s, DType::bf16);
    }
}

// Enough of it that threads take several heads, the last fewer, also on a large device; rows of
// some of them are kept; and a token with many heads.
TEST_F(CudaRotateInto, ManyTokensAndManyHeads) {
  for (const DType dtype : float_types)
    for (const Layout layout : {Layout::half, Layout::interleaved})
      for (const int64_t tokens : {20, 131, dtype == DType::bf16 ? 2300 : 331})
        expect_rotated_into_alike(
            prepare(Rope{.dim = 64, .layout = layout}, {.keep = tokens == 131 ? 0 : 200}),
            {.batch = {},
             .tokens = tokens,
             .q_heads = 11,
             .k_heads = 5,
             .v_heads = 5,
             .value_dim = 16,
             .k_out = false,
             .in_place = true,
             .cache = dtype},
            dtype);
  expect_rotated_into_alike(
      half(128), {.tokens = 2, .q_heads = 70, .k_heads = 9, .cache = DType::bf16}, DType::bf16);
}

// So many tokens again, whose queries and keys turn by angles of their own.
TEST_F(CudaRotateInto, ManyTokensWithMagnitudes) {
  for (const DType dtype : {DType::f32, DType::bf16})
    for (const Layout layout : {Layout::half, Layout::interleaved})
      for (const Rope& rope : {Rope{.dim = 64, .layout = layout, .decay = XPos{}},
                               Rope{.dim = 64,
                               .layout = layout,
                               .rotary_dim = 32,
                               .temperature = LogTemperature{.floor = 7}}})
        expect_rotated_into_alike(
            prepare(rope),
            {.batch = {}, .tokens = 331, .q_heads = 11, .k_heads = 5, .cache = dtype}, dtype);
}

TEST_F(CudaRotateInto, TablesAndKeptRows) {
  const Rope rope{.dim = 64, .layout = Layout::half};
  const RotateIntoCase s{.cache = DType::bf16};
  expect_rotated_into_alike(prepare(rope, {.keep = 105}), s, DType::bf16);  // some of them
  const Array rows = make_array(DType::f32, {200, 64});
  fill(prepare(rope).table(), rows.view());
  Tensor cosines = rows.view(), sines = rows.view();
  cosines.shape[1] = sines.shape[1] = 32, sines.data = element(rows.view(), 32);
  Both b(s, 64, DType::bf16);
  rotate_into({cosines, sines}, Layout::half, b.here.in, b.here.out, b.here.options, range(100));
  Copies copy;
  const QueriesKeys in = copy(b.there.in), out = copy(b.there.out);
  const RotateIntoOptions options = copy(b.there.options);
  rotate_into({copy(cosines), copy(sines)}, Layout::half, in, out, options, range(100));
  copy.fetch();
  expect_heads(b.there.out.q, b.here.out.q, DType::bf16, true, "q head");
  expect_heads(b.there.options.cache.k, b.here.options.cache.k, DType::bf16, true, "k head");
}

}  // namespace
}  // namespace posenc::rotate_into_test
