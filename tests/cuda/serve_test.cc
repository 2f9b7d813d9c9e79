// serve_test.cc: heads normed, turned and stored on a device, against the CPU.
#include "tests/cuda/serving.h"
#include "tests/support/message.h"

namespace posenc {
namespace {

using CudaServe = Cuda;

RotaryPlan half(int64_t dim) { return prepare(Rope{.dim = dim, .layout = Layout::half}); }

TEST_F(CudaServe, EveryTypeLayoutAndSize) {
  for (const DType dtype : float_types)
    for (const Layout layout : all_layouts)
      for (const int64_t dim : {64, 80, 96, 128})
        expect_served_alike(prepare(Rope{.dim = dim, .layout = layout}),
                            {.batch = {}, .tokens = 5, .value_dim = dim, .cache = dtype}, dtype);
}

TEST_F(CudaServe, EveryPairOfTypes) {
  for (const DType dtype : float_types)
    for (const DType cache : float_types)
      for (const DType weights : {DType::f32, dtype})
        expect_served_alike(half(32), {.value_dim = 16, .cache = cache, .weights = weights}, dtype);
}

// Parts of heads, heads that do not turn, blocks, odd sizes, magnitudes and rows of their own.
TEST_F(CudaServe, EveryWayToTurn) {
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
        expect_served_alike(plan, {.tokens = 3, .cache = dtype}, dtype,
                            {DType::i32, {1, 2, 3}, random, 0, 900});
    }
}

TEST_F(CudaServe, HeadsWithFrequenciesOfTheirOwn) {
  Random random(5);
  for (const Layout layout : all_layouts) {
    const Rope rope{.dim = 32, .layout = layout, .frequencies = LearnedFrequencies{.heads = 3}};
    const Weights weights = random_weights(rope.weights(), random);
    const RotaryPlan plan = prepare(rope, {weights.views()});
    expect_served_alike(plan, {.q_heads = 3, .k_heads = 3, .cache = DType::f32}, DType::f32);
  }
}

TEST_F(CudaServe, EveryKindOfSlotsAndPositions) {
  Random random(3);
  const RotaryPlan plan = half(32);
  for (const Told told : all_told)
    for (const DType ids : {DType::i32, DType::i64})
      for (const bool hnd : {false, true}) {
        Serving s{.hnd = hnd, .cache = DType::bf16, .ids = ids, .told = told};
        expect_served_alike(plan, s, DType::bf16);
        s.value_dim = 8, s.page_size = 3;
        expect_served_alike(plan, s, DType::bf16, {ids, {1, 2, 11}, random, 0, 5000});
        expect_served_alike(plan, s, DType::bf16, {DType::f64, {1, 1, 11}, random, 0, 5000});
      }
}

TEST_F(CudaServe, EveryView) {
  for (const Placement placement : all_placements)
    for (const Layout layout : {Layout::half, Layout::interleaved_in_half_out})
      for (const bool in_place : {false, true})
        expect_served_alike(prepare(Rope{.dim = 32, .layout = layout}),
                            {.batch = {2, 2},
                             .tokens = 3,
                             .in_place = in_place,
                             .cache = DType::bf16,
                             .in = placement,
                             .out = placement,
                             .pages = placement},
                            DType::bf16);
}

TEST_F(CudaServe, PagesFromTheLastOneOn) {
  for (const DType dtype : {DType::f32, DType::bf16})
    expect_served_alike(half(32), {.value_dim = 16, .cache = DType::bf16}, dtype, TestPlaces(9),
                        true);
}

// What is left out: norms, outputs, queries, keys, values.
TEST_F(CudaServe, EveryPartOfIt) {
  const RotaryPlan packs = half(32), numbers = half(18);
  for (const RotaryPlan* plan : {&packs, &numbers})
    for (Serving s : {Serving{.one_plus = true},
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
      expect_served_alike(*plan, s, DType::bf16);
    }
}

// Enough of it that threads take several heads; and so many heads that a token takes several
// blocks.
TEST_F(CudaServe, ManyTokensAndManyHeads) {
  for (const DType dtype : float_types)
    for (const Layout layout : {Layout::half, Layout::interleaved})
      expect_served_alike(prepare(Rope{.dim = 64, .layout = layout}),
                          {.batch = {},
                           .tokens = dtype == DType::f64 ? 131 : 331,
                           .q_heads = 11,
                           .k_heads = 5,
                           .v_heads = 5,
                           .value_dim = 16,
                           .k_out = false,
                           .in_place = true,
                           .cache = dtype},
                          dtype);
  expect_served_alike(half(128), {.tokens = 2, .q_heads = 70, .k_heads = 9, .cache = DType::bf16},
                      DType::bf16);
}

TEST_F(CudaServe, TablesAndKeptRows) {
  const Rope rope{.dim = 64, .layout = Layout::half};
  const Serving s{.cache = DType::bf16};
  expect_served_alike(prepare(rope, {.keep = 105}), s, DType::bf16);  // some of them
  const Array rows = make_array(DType::f32, {200, 64});
  fill(prepare(rope).table(), rows.view());
  Tensor cosines = rows.view(), sines = rows.view();
  cosines.shape[1] = sines.shape[1] = 32, sines.data = element(rows.view(), 32);
  Both b(s, 64, DType::bf16);
  rotate_into({cosines, sines}, Layout::half, b.here.in, b.here.out, b.here.options, range(100));
  Copies copy;
  const QueriesKeys in = copy(b.there.in), out = copy(b.there.out);
  const ServeOptions options = copy(b.there.options);
  rotate_into({copy(cosines), copy(sines)}, Layout::half, in, out, options, range(100));
  copy.fetch();
  expect_heads(b.there.out.q, b.here.out.q, DType::bf16, true, "q head");
  expect_heads(b.there.options.cache.k, b.here.options.cache.k, DType::bf16, true, "k head");
}

// Nobody reads them before the kernel does: what is not in the cache is not stored.
TEST_F(CudaServe, SlotsOutsideOfTheCacheAreNotStored) {
  const RotaryPlan plan = half(16);
  Random random(4);
  const Array k = make_array(DType::bf16, {6, 2, 16}), v = k;
  randomize(k.view(), random), randomize(v.view(), random);
  const std::vector<int64_t> slots{5, 12, -1, INT64_MAX, INT64_MIN, 0}, places{0, 1, 7, 8, -1, 4},
      table{2, -5, 3, 0}, sequences{0, 1, 0, 1, 0, 9};
  const auto stored = [&](const Cache& where, const Positions& at) {
    const Array k_pages = make_array(DType::bf16, {3, 4, 2, 16}), v_pages = k_pages;
    Copies copy;
    ServeOptions options{.v = v.view(), .cache = where};
    options.cache.k = k_pages.view(), options.cache.v = v_pages.view();
    options = copy(options);
    rotate_into(plan, {.k = copy(k.view())}, {}, options, copy(at));
    copy.fetch();
    std::string out;
    for (int64_t slot = 0; slot < 12; ++slot) {
      const bool has_k = get(k_pages.view(), slot * 32) != 0;
      EXPECT_EQ(has_k, get(v_pages.view(), slot * 32) != 0) << slot;
      if (has_k) out += std::to_string(slot) + " ";
    }
    return out;
  };
  EXPECT_EQ(stored({.slots = tensor(slots.data(), {6})}, range()), "0 5 ");
  // Sequence 0 has pages 2 and -5, sequence 1 has 3 and 0, of pages 0, 1 and 2.
  const Positions at = positions(tensor(places.data(), {6}));
  EXPECT_EQ(stored({.block_table = tensor(table.data(), {2, 2}),
                    .sequences = tensor(sequences.data(), {6})},
                   at),
            "8 ");
  EXPECT_EQ(stored({}, at), "0 1 ");
}

TEST_F(CudaServe, TensorsOfDifferentDevicesAreRefused) {
  const Serving paged{.told = Told::ragged}, told{.told = Told::slots};
  const auto error = [](const Serving& s, auto spoil) {
    Both b(s, 32, DType::bf16);
    Copies copy;
    QueriesKeys in = copy(b.there.in), out = copy(b.there.out);
    ServeOptions options = copy(b.there.options);
    spoil(options, b.there.options);
    const TestPlaces at(100);
    return message([&] { rotate_into(half(32), in, out, options, at.at()); });
  };
  using O = ServeOptions;
  const std::string end = " on one device, got cuda:0 and the CPU";
  const auto expect = [&](const Serving& s, const char* name, auto spoil) {
    EXPECT_EQ(error(s, spoil),
              "[rotate_into] expected q of the output and " + std::string(name) + end);
  };
  EXPECT_EQ(error(told, [](O&, const O&) {}), "no error");
  expect(told, "norm.q", [](O& o, const O& host) { o.norm.q = host.norm.q; });
  expect(told, "norm.k", [](O& o, const O& host) { o.norm.k = host.norm.k; });
  expect(told, "v", [](O& o, const O& host) { o.v = host.v; });
  expect(told, "cache.slots", [](O& o, const O& host) { o.cache.slots = host.cache.slots; });
  expect(paged, "cache.block_table",
         [](O& o, const O& host) { o.cache.block_table = host.cache.block_table; });
  expect(paged, "cache.sequences",
         [](O& o, const O& host) { o.cache.sequences = host.cache.sequences; });
  expect(paged, "cache.at", [](O& o, const O& host) { o.cache.at = host.cache.at; });
  EXPECT_EQ(error(told, [](O& o, const O& host) { o.cache.k = host.cache.k; }),
            "[rotate_into] expected cache.k and norm.q on one device, got the CPU and cuda:0");
  EXPECT_EQ(error(told, [](O& o, const O& host) { o.cache.v = host.cache.v; }),
            "[rotate_into] expected cache.v and norm.q on one device, got the CPU and cuda:0");
}

}  // namespace
}  // namespace posenc
