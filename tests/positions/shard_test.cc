// shard_test.cc: ranks share a sequence, each token once.
#include "posenc/positions/shard.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "posenc/positions/sequence.h"
#include "tests/support/message.h"

namespace posenc::shard_test {
namespace {

using Ids = std::vector<int64_t>;
Tensor view(const Ids& ids) { return tensor(ids.data(), {std::ssize(ids)}); }

TEST(Shard, SixteenTokensOnTwoRanks) {
  EXPECT_EQ(shard_tokens(16, {2, 0}), (Ids{0, 1, 2, 3, 12, 13, 14, 15}));
  EXPECT_EQ(shard_tokens(16, {2, 1}), (Ids{4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(shard_tokens(16, {2, 1, ShardOrder::contiguous}), (Ids{8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(shard_tokens(6, {3, 1, ShardOrder::contiguous}), (Ids{2, 3}));
}

TEST(Shard, PackedSequencesAreCutOneByOne) {
  const Ids ends{0, 4, 12};
  EXPECT_EQ(shard_tokens(view(ends), {2, 0}), (Ids{0, 3, 4, 5, 10, 11}));
  EXPECT_EQ(shard_tokens(view(ends), {2, 1}), (Ids{1, 2, 6, 7, 8, 9}));
  EXPECT_EQ(take(packed(view(ends)), shard_tokens(view(ends), {2, 0})).ids,
            (Ids{0, 3, 0, 1, 6, 7}));
}

TEST(Shard, TakesEveryAxisAndRow) {
  const PlannedPositions plan{2, 2, 3, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
  EXPECT_EQ(take(plan, {2, 0}), (PlannedPositions{2, 2, 2, {2, 0, 5, 3, 8, 6, 11, 9}}));
  const PlannedCoordinates real{1, 1, 3, {0.5, 1.5, 2.5}};
  EXPECT_EQ(take(real, {1}).ids, (std::vector<double>{1.5}));
}

RC_GTEST_PROP(Shard, RanksPartitionTheSequences, ()) {
  const auto order = *rc::gen::element(ShardOrder::contiguous, ShardOrder::zigzag);
  const auto ranks = *rc::gen::inRange<int64_t>(1, 7);
  const int64_t chunks = order == ShardOrder::zigzag ? 2 * ranks : ranks;
  Ids ends{0};
  for (int64_t n : *rc::gen::container<Ids>(rc::gen::inRange<int64_t>(0, 6)))
    ends.push_back(ends.back() + n * chunks);
  Ids all;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const Ids own = shard_tokens(view(ends), {ranks, rank, order});
    RC_ASSERT(std::is_sorted(own.begin(), own.end()));
    RC_ASSERT(std::ssize(own) == ends.back() / ranks);
    all.insert(all.end(), own.begin(), own.end());
  }
  std::sort(all.begin(), all.end());
  RC_ASSERT(all == range(0, ends.back()).ids);
}

// A causal token at p attends to p + 1 keys: zigzag gives every rank the same sum.
RC_GTEST_PROP(Shard, ZigzagBalancesCausalWork, ()) {
  const auto ranks = *rc::gen::inRange<int64_t>(1, 9), size = *rc::gen::inRange<int64_t>(1, 9);
  const int64_t tokens = 2 * ranks * size, work = tokens * (tokens + 1) / 2;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    int64_t sum = 0;
    for (int64_t p : shard_tokens(tokens, {ranks, rank})) sum += p + 1;
    RC_ASSERT(sum == work / ranks);
  }
}

TEST(Shard, SaysWhatIsWrong) {
  expect_message([] { shard_tokens(16, {0, 0}); }, "[shard] expected ranks of at least 1, got 0");
  expect_message([] { shard_tokens(16, {2, 2}); }, "expected a rank from 0 to 1, got 2");
  expect_message([] { shard_tokens(16, {2, -1}); }, "expected a rank from 0 to 1, got -1");
  expect_message(
      [] {
        shard_tokens(18, {2, 0});
      },
      "expected a sequence divisible into 4 equal chunks, got 18 tokens");
  expect_message([] { shard_tokens(-4, {2, 0}); }, "expected tokens of at least 0, got -4");
  expect_message([] { shard_tokens(16, {INT64_MAX, 0}); }, "expected chunks that fit 64 bits");
  expect_message(
      [] {
        shard_tokens(int64_t{1} << 62, {2, 0});
      },
      "expected bytes of tokens that fit 64 bits");
  const Ids uneven{0, 4, 10}, falling{0, 8, 4};
  expect_message([&] { shard_tokens(view(uneven), {2, 0}); }, "got 6 tokens");
  expect_message([&] { shard_tokens(view(falling), {2, 0}); }, "that never fall");
  expect_message([] { take(range(0, 4), {4}); }, "[take] expected tokens from 0 to below 4, got 4");
  expect_message([] { take(range(0, 4), {-1}); }, "got -1");
}

}  // namespace
}  // namespace posenc::shard_test
