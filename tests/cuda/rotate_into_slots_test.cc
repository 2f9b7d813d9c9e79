// rotate_into_slots_test.cc: where on a device heads are stored, and tensors of several devices.
#include "tests/cuda/rotate_into.h"
#include "tests/support/message.h"

namespace posenc::rotate_into_slots_test {
namespace {

using CudaSlots = Cuda;

RotaryPlan half(int64_t dim) { return prepare(Rope{.dim = dim, .layout = Layout::half}); }

TEST_F(CudaSlots, EveryKindOfSlotsAndPositions) {
  Random random(3);
  const RotaryPlan plan = half(32);
  for (const Told told : all_told)
    for (const DType ids : {DType::i32, DType::i64})
      for (const bool hnd : {false, true}) {
        RotateIntoCase s{.hnd = hnd, .cache = DType::bf16, .ids = ids, .told = told};
        expect_rotated_into_alike(plan, s, DType::bf16);
        s.value_dim = 8, s.page_size = 3;
        expect_rotated_into_alike(plan, s, DType::bf16, {ids, {1, 2, 11}, random, 0, 5000});
        expect_rotated_into_alike(plan, s, DType::bf16, {DType::f64, {1, 1, 11}, random, 0, 5000});
      }
}

TEST_F(CudaSlots, PagesFromTheLastOneOn) {
  for (const DType dtype : {DType::f32, DType::bf16})
    expect_rotated_into_alike(half(32), {.value_dim = 16, .cache = DType::bf16}, dtype,
                              TestPlaces(9), true);
}

// Nobody reads them before the kernel does: what is not in the cache is not stored.
TEST_F(CudaSlots, SlotsOutsideOfTheCacheAreNotStored) {
  const RotaryPlan plan = half(16);
  Random random(4);
  const Array k = make_array(DType::bf16, {6, 2, 16}), v = k;
  randomize(k.view(), random), randomize(v.view(), random);
  const std::vector<int64_t> slots{5, 12, -1, INT64_MAX, INT64_MIN, 0}, places{0, 1, 7, 8, -1, 4},
      table{2, -5, 3, 0}, sequences{0, 1, 0, 1, 0, 9};
  const auto stored = [&](const Cache& where, const Positions& at) {
    const Array k_pages = make_array(DType::bf16, {3, 4, 2, 16}), v_pages = k_pages;
    Copies copy;
    RotateIntoOptions options{.v = v.view(), .cache = where};
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

TEST_F(CudaSlots, TensorsOfDifferentDevicesAreRefused) {
  const RotateIntoCase paged{.told = Told::ragged}, told{.told = Told::slots};
  const auto error = [](const RotateIntoCase& s, auto spoil) {
    Both b(s, 32, DType::bf16);
    Copies copy;
    QueriesKeys in = copy(b.there.in), out = copy(b.there.out);
    RotateIntoOptions options = copy(b.there.options);
    spoil(options, b.there.options);
    const TestPlaces at(100);
    return message([&] { rotate_into(half(32), in, out, options, at.at()); });
  };
  using O = RotateIntoOptions;
  const std::string end = " on one device, got cuda:0 and the CPU";
  const auto expect = [&](const RotateIntoCase& s, const char* name, auto spoil) {
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
}  // namespace posenc::rotate_into_slots_test
