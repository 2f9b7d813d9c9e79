// sequence_test.cc: rows, caches and packed sequences.
#include "posenc/positions/sequence.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "posenc/absolute.h"
#include "tests/support/elements.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"

namespace posenc::sequence_test {
namespace {

using Ids = std::vector<int64_t>;
Tensor view(const Ids& ids) { return tensor(ids.data(), {std::ssize(ids)}); }

TEST(Sequence, ARangeOwnsItsNumbers) {
  EXPECT_EQ(range(-2, 4), (PlannedPositions{1, 1, 4, {-2, -1, 0, 1}}));
  EXPECT_EQ(range(7, 0).tokens, 0);
  EXPECT_EQ(range(INT64_MAX - 2, 2).ids, (Ids{INT64_MAX - 2, INT64_MAX - 1}));
}

TEST(Sequence, APlanIsPositions) {
  const PlannedPositions plan = per_row(view({5, -1}), 3);
  const Positions p = plan;
  EXPECT_EQ(describe(p.ids), "i64 [1, 2, 3]");
  EXPECT_EQ(numbers(p.ids), (std::vector<double>{5, 6, 7, -1, 0, 1}));
  EXPECT_EQ(plan.at(0, 1, 2), 1);
  const PlannedCoordinates real{1, 1, 2, {0.5, 2.25}};
  EXPECT_EQ(describe(Positions(real).ids), "f64 [1, 1, 2]");
}

// Each row of a batch receives what it receives alone.
TEST(Sequence, VerbsTakePlans) {
  const Absolute scheme = Sinusoidal{.dim = 6};
  std::vector<float> batch(2 * 3 * 6), row(3 * 6);
  fill(scheme, tensor(batch.data(), {2, 3, 6}), after_cache(view({4, 100}), 3));
  fill(scheme, tensor(row.data(), {3, 6}), range(100));
  EXPECT_TRUE(std::equal(row.begin(), row.end(), batch.begin() + 3 * 6));
}

TEST(Sequence, StartsHaveAnyTypeAndStride) {
  Random random(2);
  for (DType dtype : {DType::i32, DType::i64})
    for (Placement placement : all_placements) {
      Guarded first(dtype, {5}, placement);
      randomize_ids(first.view(), random, 0, 1000);
      const auto starts = numbers(first.view());
      const auto rows = per_row(first.view(), 7), cached = after_cache(first.view(), 7);
      EXPECT_EQ(rows, cached);
      ASSERT_EQ(rows.rows, 5);
      for (int64_t r = 0; r < 5; ++r)
        for (int64_t t = 0; t < 7; ++t)
          EXPECT_EQ(static_cast<double>(rows.at(0, r, t)),
                    starts[static_cast<size_t>(r)] + static_cast<double>(t));
    }
}

TEST(Sequence, PackedSequencesCountAgain) {
  EXPECT_EQ(packed(view({0, 3, 5, 9})).ids, (Ids{0, 1, 2, 0, 1, 0, 1, 2, 3}));
  EXPECT_EQ(packed(view({0, 3, 5}), view({10, -4})).ids, (Ids{10, 11, 12, -4, -3}));
  EXPECT_EQ(packed(view({0, 2, 2, 3})).ids, (Ids{0, 1, 0}));
  EXPECT_EQ(packed(view({0})).tokens, 0);
}

RC_GTEST_PROP(Sequence, PackedIsTheRangesInARow, ()) {
  const auto lengths = *rc::gen::container<Ids>(rc::gen::inRange<int64_t>(0, 20));
  Ids ends{0}, starts, expected;
  for (int64_t length : lengths) {
    starts.push_back(*rc::gen::inRange<int64_t>(-1000, 1000));
    ends.push_back(ends.back() + length);
    const auto run = range(starts.back(), length).ids;
    expected.insert(expected.end(), run.begin(), run.end());
  }
  RC_ASSERT(packed(view(ends), view(starts)).ids == expected);
}

TEST(Sequence, SaysWhatIsWrong) {
  const auto expect = [](auto&& f, std::string_view part) { expect_message(f, part); };
  expect([] { range(0, -1); }, "[range] expected tokens of at least 0, got -1");
  expect([] { range(INT64_MAX, 1); }, "expected positions that fit 64 bits");
  expect([] { range(0, INT64_MAX); }, "expected bytes of positions that fit 64 bits");
  expect([] { per_row(view({0, INT64_MAX}), 2); }, "[per_row] expected positions that fit 64 bits");
  expect([] { per_row(view({}), -3); }, "expected tokens of at least 0, got -3");
  expect(
      [] {
        after_cache(view({3, -1}), 2);
      },
      "[after_cache] expected past lengths of at least 0, got -1");
  expect([] { packed(view({})); }, "[packed] expected cu_seqlens that begin with 0, got none");
  expect([] { packed(view({1, 3})); }, "expected cu_seqlens that begin with 0, got 1");
  expect([] { packed(view({0, 5, 3})); }, "that never fall, got 3 after 5 at index 2");
  expect([] { packed(view({0, 5}), view({1, 2})); }, "expected 1 first positions, one for each");
  expect([] { packed(view({0, 5}), view({INT64_MAX})); }, "expected positions that fit 64 bits");
  float number[4] = {};
  expect([&] { packed(tensor(number, {4})); },
         "expected cu_seqlens as i32 or i64 [n], got f32 [4]");
  expect([] { per_row(tensor<int64_t>(nullptr, {4}), 1); }, "with data, got a null pointer");
  int32_t id = 0;
  Tensor odd = tensor(&id, {1});
  odd.rank = 1000;
  expect([&] { per_row(odd, 1); }, "got a tensor of rank 1000");
  odd.rank = 1, odd.shape[0] = -5;
  expect([&] { per_row(odd, 1); }, "expected first positions of a size that fits 64 bits");
  odd.device = Device::cuda, odd.shape[0] = 1;
  expect([&] { per_row(odd, 1); }, "on the CPU");
}

}  // namespace
}  // namespace posenc::sequence_test
