// verbs_test.cc: rotate_into() against heads and slots that are worked out one at a time.
#include "tests/rotate_into/call.h"
#include "tests/support/every_target.h"

namespace posenc::verbs_test {
namespace {

// One change at a time around the first.
TEST(RotateInto, AnyCallInEveryType) {
  const RotaryPlan plan = prepare(Rope{.dim = 22, .layout = Layout::half});
  const Placement spaced = Placement::spaced, swapped = Placement::swapped;
  for_every_target([&] {
    for (const RotateIntoCase& s :
         std::vector<RotateIntoCase>{{},
                                     {.batch = {}},
                                     {.batch = {3, 2}, .q_heads = 1},
                                     {.batch = {1}, .tokens = 1},
                                     {.batch = {}, .tokens = 67, .q_heads = 19},
                                     {.k_heads = 3, .v_heads = 1, .value_dim = 31},
                                     {.k_heads = 9, .v_heads = 19},
                                     {.q = false},
                                     {.k = false},
                                     {.v = false},
                                     {.k = false, .v = false},
                                     {.k_out = false},
                                     {.k_out = false, .in_place = true},
                                     {.in_place = true},
                                     {.hnd = true},
                                     {.in = spaced},
                                     {.pages = spaced},
                                     {.in_place = true, .in = spaced, .pages = swapped},
                                     {.in = swapped, .out = spaced, .pages = spaced},
                                     {.norm_q = false},
                                     {.norm_k = false},
                                     {.norm_q = false, .norm_k = false},
                                     {.one_plus = true},
                                     {.epsilon = 3},
                                     {.epsilon = 0, .ids = DType::i32},
                                     {.page_size = 1}})
      for (const DType dtype : float_types) expect_rotated_into(plan, s, dtype);
  });
}

TEST(RotateInto, EveryTypeOfCacheAndWeights) {
  const RotaryPlan plan = prepare(Rope{.dim = 22, .layout = Layout::half});
  for (const DType dtype : float_types)
    for (const DType cache : float_types)
      for (const DType weights : float_types)
        expect_rotated_into(plan, {.one_plus = true, .cache = cache, .weights = weights}, dtype);
}

TEST(RotateInto, SlotsToldInEveryWay) {
  const RotaryPlan plan = prepare(Rope{.dim = 22, .layout = Layout::half});
  for (const Told told : all_told)
    for (const DType ids : {DType::i32, DType::i64})
      for (const bool hnd : {false, true})
        for (const auto& batch : std::vector<std::vector<int64_t>>{{}, {1}, {2}, {2, 2}})
          for (const int64_t page_size : {1, 4, 7})
            expect_rotated_into(plan,
                                {.batch = batch,
                                 .tokens = 17,
                                 .hnd = hnd,
                                 .cache = DType::bf16,
                                 .ids = ids,
                                 .told = told,
                                 .page_size = page_size},
                                DType::bf16);
}

// Every size of heads that a model is known to have, and odd ones.
TEST(RotateInto, AnySizeOfHeads) {
  for_every_target([] {
    for (const Layout layout : all_layouts)
      for (const int64_t dim : {2, 6, 34, 64, 96, 128, 254})
        for (const DType dtype : float_types)
          expect_rotated_into(prepare(Rope{.dim = dim, .layout = layout}),
                              {.batch = {}, .tokens = 3, .q_heads = 9, .cache = DType::bf16},
                              dtype);
  });
}

// The norm is over all features of all heads, whatever turns.
TEST(RotateInto, WhatTurnsAndWhatIsOnlyNormed) {
  using R = Rope;
  const LogTemperature warm{.scale = 0.3, .floor = 4};
  for (const Layout l : all_layouts)
    for (const R& rope : std::vector<R>{
             {.dim = 24, .layout = l, .rotary_dim = 10},
             {.dim = 25, .layout = l, .rotary_dim = 10, .rotary_offset = -13},
             {.dim = 20, .layout = l, .rotary_heads = 1, .first_head = 1},
             {.dim = 20, .layout = l, .first_head = -1},
             {.dim = 20, .layout = l, .rotary_dim = 0},
             {.dim = 24, .layout = l, .rotary_dim = 18, .rotary_offset = 2, .blocks = 3},
             {.dim = 20, .layout = l, .offset = -77, .scaling = Yarn{.factor = 40}},
             {.dim = 24, .layout = l, .rotary_dim = 10, .decay = XPos{.center = 8}},
             {.dim = 24, .layout = l, .rotary_dim = 10, .rotary_heads = 1, .temperature = warm},
             {.dim = 20, .layout = l, .decay = XPos{}, .temperature = warm},
             {.dim = 20, .layout = l, .rotary_dim = 0, .temperature = warm}})
      for (const DType dtype : float_types)
        for (const bool norm : {true, false}) {
          SCOPED_TRACE(options_text(rope));
          expect_rotated_into(prepare(rope), {.norm_q = norm, .norm_k = norm}, dtype);
          expect_rotated_into(prepare(rope), {.in_place = true, .norm_k = norm}, dtype);
        }
}

TEST(RotateInto, AnyPositionsAndHeadsOfTheirOwn) {
  Random random(5);
  const Rope learned{.dim = 12,
                     .layout = Layout::half,
                     .rotary_heads = 2,
                     .first_head = -2,
                     .frequencies = LearnedFrequencies{2, 3}};
  const Weights w = random_weights(learned.weights(), random);
  const RotaryPlan own = prepare(learned, {.weights = w.views()});
  const RotaryPlan axes = prepare(
      Rope{.dim = 22, .layout = Layout::interleaved, .axes = Chunked{{5, 3, 3}}}, {.keep = 90});
  for (const RotaryPlan& plan : {own, axes})
    for (const TestPlaces& at : {TestPlaces(3), TestPlaces(DType::i32, {3, 2, 90}, random, 0, 99),
                                 TestPlaces(DType::f64, {3, 1, 90}, random, 0, 99)})
      for (const Told told : all_told)
        expect_rotated_into(plan, {.tokens = 90, .q_heads = 4, .told = told}, DType::bf16, at);
}

}  // namespace
}  // namespace posenc::verbs_test
