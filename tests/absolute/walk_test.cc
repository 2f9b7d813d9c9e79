// walk_test.cc: how verbs walk over tokens must not show in the result.
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/places.h"
#include "tests/support/threads.h"
#include "tests/support/weights.h"

namespace posenc::walk_test {
namespace {

// Runs of consecutive ids, around the lengths where the way of computing changes.
std::vector<int64_t> broken_runs() {
  std::vector<int64_t> ids;
  int64_t first = 100;
  for (int64_t length : {1, 15, 16, 17, 63, 64, 65, 2, 130, 600, 1, 1}) {
    for (int64_t i = 0; i < length; ++i) ids.push_back(first + i);
    first = first * 7 % 2'147'483'647;
  }
  return ids;
}

TEST(Walk, RunsOfIdsKeepTheContract) {
  const auto ids = broken_runs();
  const int64_t tokens = std::ssize(ids);
  const auto plan = prepare(Sinusoidal{.dim = 35});
  for (DType dtype : float_types) {
    Guarded out(dtype, {tokens, 35});
    fill(plan, out.view(), positions(tensor(ids.data(), {tokens})));
    for (int64_t t = 0; t < tokens; ++t) {
      const auto row = row_at(plan, {static_cast<double>(ids[static_cast<size_t>(t)])});
      for (int64_t c = 0; c < 35; ++c) {
        const double truth = row[static_cast<size_t>(c)];
        ASSERT_NEAR(get(out.view(), t * 35 + c), truth, row_error(dtype, truth)) << t;
      }
    }
  }
}

TEST(Walk, ConsecutiveIdsAreARange) {
  const int64_t tokens = 1500, first = 123'456'789;
  std::vector<int64_t> ids;
  for (int64_t t = 0; t < tokens; ++t) ids.push_back(first + t);
  const auto plan = prepare(Sinusoidal{.dim = 20});
  for (DType dtype : float_types) {
    Guarded by_range(dtype, {tokens, 20}), by_ids(dtype, {tokens, 20});
    fill(plan, by_range.view(), range(first));
    fill(plan, by_ids.view(), positions(tensor(ids.data(), {tokens})));
    for (int64_t n = 0; n < tokens * 20; ++n) {
      const double a = get(by_range.view(), n);
      ASSERT_NEAR(get(by_ids.view(), n), a, 2 * row_error(dtype, a));
    }
  }
}

// Every verb, on tensors large enough for three threads, whether rows share positions or not.
void expect_same_bits(const Absolute& scheme, DType dtype, const TestPlaces& at) {
  Random random(1);
  const Prepared p = prepare_random(scheme, random);
  const int64_t dim = p.plan.dim();
  const std::vector<int64_t> shape{3, 530, dim};
  const Array x = make_array(dtype, shape), embedding = make_array(dtype, {50, dim});
  const Array ids = make_array(DType::i32, {3, 530});
  randomize(x.view(), random), randomize(embedding.view(), random);
  randomize_ids(ids.view(), random, 0, 49);
  std::vector<Bytes> once;
  for (int count : {1, 2, 3}) {
    const Threads use(count);
    const Array filled = make_array(dtype, shape), sum = filled, embedded = filled;
    const Array dembedding = make_array(compute_type(dtype), {50, dim});
    const Weights dweights = zero_weights(scheme, compute_type(dtype));
    fill(p.plan, filled.view(), at.at());
    add(p.plan, x.view(), sum.view(), at.at());
    embed(p.plan, ids.view(), embedding.view(), embedded.view(), {2, at.at()});
    backward(p.plan, x.view(), dweights.views(), at.at());
    embed_backward(ids.view(), x.view(), dembedding.view(), 2);
    std::vector<Bytes> results{filled.bytes, sum.bytes, embedded.bytes, dembedding.bytes};
    for (const Array& d : dweights.arrays) results.push_back(d.bytes);
    if (once.empty()) once = results;
    for (size_t i = 0; i < results.size(); ++i)
      EXPECT_EQ(results[i] == once[i], true) << to_string(dtype) << " " << count << " result " << i;
  }
}

TEST(Walk, SameBitsForAnyNumberOfThreads) {
  Random random(2);
  for (DType dtype : float_types)
    for (const TestPlaces& at : {TestPlaces(7), TestPlaces(DType::i64, {3, 530}, random, 0, 400)}) {
      expect_same_bits(Sinusoidal{.dim = 130, .learned_scale = true}, dtype, at);
      expect_same_bits(Time2Vec{.dim = 67}, dtype, at);
      expect_same_bits(Learned{.dim = 130, .rows = 1100, .learned_scale = true}, dtype, at);
    }
}

TEST(Walk, NoTokensOrNoBatch) {
  Random random(3);
  const Sinusoidal s{.dim = 7, .learned_scale = true};
  const Prepared p = prepare_random(s, random);
  for (const auto& shape :
       std::vector<std::vector<int64_t>>{{0, 7}, {0, 5, 7}, {2, 0, 7}, {0, 0, 7}, {2, 0, 5, 7}}) {
    Guarded x(DType::f32, shape), ids(DType::i32, {shape.begin(), shape.end() - 1});
    Guarded embedding(DType::f32, {3, 7}), dembedding(DType::f32, {3, 7});
    const Tensor nothing = tensor(nullptr, DType::f32, shape);
    const Weights dweights = zero_weights(s, DType::f32);
    const auto before = dembedding.bytes();
    fill(p.plan, x.view()), fill(p.plan, nothing);
    add(p.plan, x.view(), x.view()), add(p.plan, nothing, nothing);
    embed(p.plan, ids.view(), embedding.view(), x.view());
    backward(p.plan, x.view(), dweights.views());
    embed_backward(ids.view(), x.view(), dembedding.view());
    EXPECT_TRUE(x.intact());
    EXPECT_EQ(get(dweights.arrays[0].view(), 0), 0);
    EXPECT_EQ(dembedding.bytes(), before);
  }
  const Guarded one(DType::f32, {1, 7});
  const Positions none = positions(tensor<int64_t>(nullptr, {0}));
  fill(p.plan, tensor(nullptr, DType::f32, std::array<int64_t, 2>{0, 7}), none);
}

// An input may repeat itself: one sequence for the whole batch, one number for a whole row.
TEST(Walk, InputsMayHaveStrideZero) {
  Random random(5);
  Guarded x(DType::f32, {1, 30, 1}), wide(DType::f32, {3, 30, 9}), out(DType::f32, {3, 30, 9});
  randomize(x.view(), random);
  Tensor repeated = x.view();
  repeated.shape = {3, 30, 9}, repeated.stride = {0, 1, 0};
  for (int64_t n = 0; n < 3 * 30 * 9; ++n) set(wide.view(), n, get(repeated, n));
  const auto plan = prepare(Sinusoidal{.dim = 9});
  add(plan, repeated, out.view());
  add(plan, wide.view(), wide.view());
  EXPECT_EQ(numbers(out.view()), numbers(wide.view()));
}

// Entries of shape and stride past the rank mean nothing.
TEST(Walk, ReadsNoMoreThanTheRank) {
  Random random(4);
  std::vector<double> memory(60), out(12);
  Tensor x = tensor(memory.data(), {3, 4, 5});
  x.rank = 2, x.stride = {20, 5};
  x.shape[5] = -3, x.stride[6] = 9;
  randomize(x, random);
  const auto plan = prepare(Sinusoidal{.dim = 4});
  add(plan, x, tensor(out.data(), {3, 4}));
  for (int64_t n = 0; n < 12; ++n) {
    const double row = row_at(plan, {static_cast<double>(n / 4)})[static_cast<size_t>(n % 4)];
    EXPECT_NEAR(out[static_cast<size_t>(n)], get(x, n) + row, sum_error(DType::f64, 2));
  }
  Tensor table = tensor(memory.data(), {3, 4});
  table.shape[2] = 1;
  fill(prepare(Learned{.dim = 4, .rows = 3}, {.weights = std::span(&table, 1)}),
       tensor(out.data(), {3, 4}));
}

}  // namespace
}  // namespace posenc::walk_test
