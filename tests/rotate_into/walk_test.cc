// walk_test.cc: how rotate_into() walks over tokens, tables and memory.
#include "tests/support/rotation.h"
#include "tests/support/threads.h"

namespace posenc::walk_test {
namespace {

Array random_array(DType dtype, const std::vector<int64_t>& shape, Random& random) {
  Array out = make_array(dtype, shape);
  randomize(out.view(), random);
  return out;
}

// Without places of its own a token goes where it stands.
TEST(RotateIntoWalk, PlacesAreThePositionsUnlessGiven) {
  Random random(6);
  const RotaryPlan plan = prepare(Rope{.dim = 8, .layout = Layout::half});
  const Array k = random_array(DType::f32, {2, 5, 1, 8}, random);
  const auto expect_at = [&](const Positions& at, const Cache& to, const auto& slot) {
    const Array turned = k, zeros = make_array(DType::f32, {2, 9, 1, 8});
    const Array kept = zeros, wanted = zeros;
    rotate(plan, {.k = turned.view()}, at);
    Cache where = to;
    where.k = kept.view();
    rotate_into(plan, {.k = k.view()}, {}, {.cache = where}, at);
    for (int64_t n = 0; n < 10; ++n)
      for (int64_t f = 0; f < 8; ++f)
        set(wanted.view(), slot(n / 5, n % 5) * 8 + f, get(turned.view(), n * 8 + f));
    EXPECT_EQ(numbers(kept.view()), numbers(wanted.view()));
  };
  const std::vector<int32_t> ids{8, 0, 3, 1, 2, 4, 5, 6, 7, 0}, table{1, 0};
  const auto place = [&](int64_t row, int64_t t) { return ids[static_cast<size_t>(row * 5 + t)]; };
  const Positions listed = positions(tensor(ids.data(), {2, 5}));
  const Tensor pages = tensor(table.data(), {2, 1});
  expect_at(range(4), {}, [](int64_t row, int64_t t) { return row * 9 + 4 + t; });
  expect_at(listed, {}, [&](int64_t row, int64_t t) { return row * 9 + place(row, t); });
  expect_at(range(4), {.block_table = pages},
            [](int64_t row, int64_t t) { return (1 - row) * 9 + 4 + t; });
  expect_at(range(1000), {.at = listed},
            [&](int64_t row, int64_t t) { return row * 9 + place(row, t); });
  expect_at(range(1000), {.at = range(2)}, [](int64_t row, int64_t t) { return row * 9 + 2 + t; });
}

// One tensor of pages, as latent attention keeps it: values first, then the part that turns.
TEST(RotateIntoWalk, PartsOfOneCache) {
  Random random(7);
  const RotaryPlan plan = prepare(Rope{.dim = 8, .layout = Layout::interleaved});
  const Array k = random_array(DType::bf16, {5, 1, 8}, random), turned = k;
  const Array v = random_array(DType::bf16, {5, 1, 24}, random);
  const Array cache = make_array(DType::bf16, {3, 2, 1, 32});
  rotate(plan, {.k = turned.view()}, range(7));
  Tensor latent = cache.view(), rope = cache.view();
  latent.shape[3] = 24, rope.shape[3] = 8, rope.data = element(cache.view(), 24);
  const std::vector<int64_t> slots{5, 0, -1, 2, 1};
  rotate_into(
      plan, {.k = k.view()}, {},
      {.v = v.view(), .cache = {.k = rope, .v = latent, .slots = tensor(slots.data(), {5})}},
      range(7));
  for (int64_t t = 0; t < 5; ++t)
    for (int64_t f = 0; f < 32 && slots[static_cast<size_t>(t)] >= 0; ++f)
      EXPECT_EQ(get(cache.view(), slots[static_cast<size_t>(t)] * 32 + f),
                f < 24 ? get(v.view(), t * 24 + f) : get(turned.view(), t * 8 + f - 24));
  for (int64_t f = 0; f < 64; ++f) EXPECT_EQ(get(cache.view(), 3 * 32 + f), 0);
}

// Tables that an engine keeps, of 10 pairs of 11, for any type of cache.
TEST(RotateIntoWalk, CosinesAndSinesOfSomeoneElse) {
  Random random(8);
  const RotaryPlan plan = prepare(Rope{.dim = 22, .layout = Layout::half, .rotary_dim = 20});
  const Array rows = make_array(DType::f32, {50, 20});
  fill(plan.table(), rows.view());
  CosSin table{rows.view(), rows.view()};
  table.cos.shape[1] = table.sin.shape[1] = 10, table.sin.data = element(rows.view(), 10);
  const Array q = random_array(DType::bf16, {40, 3, 22}, random), q1 = q, q2 = q;
  const Array k = random_array(DType::bf16, {40, 2, 22}, random);
  const Array w = random_array(DType::bf16, {22}, random);
  const Array cache1 = make_array(DType::f32, {1, 60, 2, 22}), cache2 = cache1;
  const HeadNorm norm{w.view(), w.view()};
  rotate_into(plan, {q.view(), k.view()}, {q1.view()},
              {.norm = norm, .cache = {.k = cache1.view()}}, range(9));
  rotate_into(table, Layout::half, {q.view(), k.view()}, {q2.view()},
              {.norm = norm, .cache = {.k = cache2.view()}}, range(9));
  EXPECT_TRUE(q1.bytes == q2.bytes && cache1.bytes == cache2.bytes);
  EXPECT_FALSE(q1.bytes == q.bytes);
}

// Without anything asked it is rotate().
TEST(RotateIntoWalk, NothingAskedIsRotate) {
  Random random(9);
  const RotaryPlan plan = prepare(Rope{.dim = 22, .layout = Layout::interleaved});
  for (const DType dtype : float_types) {
    const Array q = random_array(dtype, {2, 9, 3, 22}, random), k = q, q1 = q, k1 = k;
    rotate(plan, {q.view(), k.view()}, range(5));
    rotate_into(plan, {q1.view(), k1.view()}, {q1.view(), k1.view()}, {}, range(5));
    EXPECT_TRUE(q.bytes == q1.bytes && k.bytes == k1.bytes);
  }
}

TEST(RotateIntoWalk, SameBitsForAnyNumberOfThreads) {
  Random random(10);
  const RotaryPlan plan = prepare(Rope{.dim = 64,
                                       .layout = Layout::half,
                                       .rotary_dim = 50,
                                       .temperature = LogTemperature{.floor = 7}});
  for (const DType dtype : float_types) {
    const Array q = random_array(dtype, {3, 300, 5, 64}, random),
                w = random_array(dtype, {64}, random);
    const Array k = random_array(dtype, {3, 300, 2, 64}, random), v = k;
    std::vector<Bytes> once;
    for (const int count : {1, 2, 3}) {
      const Threads use(count);
      const Array a = q, b = k, c = make_array(DType::bf16, {3, 320, 2, 64}), d = c;
      rotate_into(
          plan, {a.view(), b.view()}, {a.view(), b.view()},
          {.norm = {w.view(), w.view()}, .v = v.view(), .cache = {.k = c.view(), .v = d.view()}},
          range(7));
      const std::vector<Bytes> found{a.bytes, b.bytes, c.bytes, d.bytes};
      if (once.empty()) once = found;
      EXPECT_TRUE(found == once) << to_string(dtype) << " " << count;
    }
  }
}

TEST(RotateIntoWalk, NoTokensNoHeadsOrNoBatch) {
  const RotaryPlan plan = prepare(Rope{.dim = 8, .layout = Layout::half, .rotary_dim = 6});
  const Array w = make_array(DType::f32, {8});
  for (const auto& shape : std::vector<std::vector<int64_t>>{
           {0, 2, 8}, {0, 5, 2, 8}, {2, 0, 2, 8}, {2, 5, 0, 8}, {0, 0, 0, 8}}) {
    const Tensor x = tensor(nullptr, DType::f32, shape);
    const Array cache = make_array(DType::f32, {2, 6, x.size(-2), 8}), none = cache;
    const Cache to{.k = cache.view(), .v = none.view()};
    rotate_into(plan, {x, x}, {x, x}, {.norm = {w.view(), w.view()}, .v = x, .cache = to});
    for (const double number : numbers(cache.view())) EXPECT_EQ(number, 0);
  }
}

}  // namespace
}  // namespace posenc::walk_test
