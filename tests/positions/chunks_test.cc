// chunks_test.cc: Dual-Chunk Attention's positions, and what they do to distances.
#include "posenc/positions/chunks.h"

#include <gtest/gtest.h>

#include "posenc/positions/sequence.h"
#include "tests/support/message.h"

namespace posenc::chunks_test {
namespace {

using Ids = std::vector<int64_t>;

TEST(Chunks, WorkedNumbers) {  // chunks of 8 - 2 = 6 tokens; token 13 is the second of the third
  const ChunkPositions at = dual_chunk(range(13, 1), {8, 2});
  EXPECT_EQ(at.keys.ids, Ids{1});
  EXPECT_EQ(at.intra.ids, Ids{1});
  EXPECT_EQ(at.successor.ids, Ids{7});
  EXPECT_EQ(at.inter.ids, Ids{8});
  EXPECT_EQ(at.successor_critical.ids, Ids{7});
  EXPECT_EQ(at.inter_critical.ids, Ids{9});
}

// Distances inside a chunk are true; none is larger than the chunk; those of close neighbours in
// the chunk before are true as long as they are below local_size. Seen from beyond, all queries
// stand where the last one of a chunk stands for the chunk before it.
TEST(Chunks, DistancesStayWithinTheChunk) {
  for (const DualChunk& rule :
       {DualChunk{8, 2}, DualChunk{13, 5}, DualChunk{7, 0}, DualChunk{9, 6}}) {
    const int64_t tokens = 60, c = rule.chunk_size - rule.local_size;
    const ChunkPositions at = dual_chunk(range(0, tokens), rule);
    for (int64_t i = 0; i < tokens; ++i)
      for (int64_t j = 0; j <= i; ++j) {
        const int64_t key = at.keys.at(0, 0, j), chunks = i / c - j / c;
        const auto distance = [&](const PlannedPositions& q) { return q.at(0, 0, i) - key; };
        const int64_t intra = distance(at.intra), successor = distance(at.successor);
        EXPECT_TRUE(chunks != 0 || intra == i - j);
        EXPECT_TRUE(chunks != 1 || distance(at.successor_critical) == i - j);
        EXPECT_TRUE(chunks != 1 || i % c > rule.local_size || successor == i - j);
        for (const auto& q : {at.intra, at.successor, at.inter})
          EXPECT_LE(distance(q), rule.chunk_size);
        EXPECT_GE(distance(at.successor), 0);
        EXPECT_GE(distance(at.inter), 0);
        EXPECT_EQ(at.inter.at(0, 0, i), at.successor.at(0, 0, c - 1));
      }
  }
}

TEST(Chunks, RowsKeepTheirOwnPlaces) {
  const Ids starts{4, 11};
  const auto at = dual_chunk(per_row(tensor(starts.data(), {2}), 3), {8, 2});
  EXPECT_EQ(at.keys, (PlannedPositions{1, 2, 3, {4, 5, 0, 5, 0, 1}}));
}

// The distance that a score sees, by each rule's own words.
TEST(Windows, DistancesBeyondTheWindow) {
  const int64_t tokens = 90, window = 13, group = 4;
  const auto at = range(0, tokens);
  const auto still = rerope(at, window), grouped = self_extend(at, window, group);
  const auto leaky = leaky_rerope(at, window, 2.5);
  for (int64_t i = 0; i < tokens; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      EXPECT_EQ(are_far(i, j, window), i - j >= window);
      EXPECT_EQ(still.queries.at(0, 0, i) - still.keys.at(0, 0, j), window);
      EXPECT_NEAR(leaky.queries.at(0, 0, i) - leaky.keys.at(0, 0, j),
                  13 + static_cast<double>(i - j - 13) / 2.5, 1e-13);
      const int64_t seen = grouped.queries.at(0, 0, i) - grouped.keys.at(0, 0, j);
      EXPECT_EQ(seen, i / 4 - j / 4 + 13 - 3);
      EXPECT_LE(std::abs(seen - (10 + (i - j) / 4)), 1);
    }
}

// With groups of one, or a factor of one, every distance is the true one.
TEST(Windows, OneIsNoChange) {
  const auto at = range(5, 7);
  EXPECT_EQ(self_extend(at, 3, 1).queries, at);
  EXPECT_EQ(leaky_rerope(at, 3, 1).keys.ids, (std::vector<double>{5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(self_extend(range(13, 1), 8, 3).queries.ids, Ids{4 + 8 - 2});
}

TEST(Windows, SpeakUp) {
  expect_message([] { rerope(range(0, 2), 0); }, "expected window of at least 1, got 0");
  expect_message([] { rerope(range(-1, 2), 4); }, "expected positions of at least 0, got -1");
  expect_message([] { self_extend(range(0, 2), 4, 0); }, "expected group of at least 1, got 0");
  expect_message([] { self_extend(range(INT64_MAX - 2, 1), 4, 2); }, "that fit 64 bits");
  expect_message([] { leaky_rerope(range(0, 2), 4, 0.5); }, "expected factor from 1 to 2^53");
}

TEST(Chunks, QwenReadsAMillionTokens) {
  EXPECT_EQ(DualChunk{}.chunk_size, 262144);
  EXPECT_EQ(DualChunk{}.local_size, 8192);
}

TEST(Chunks, SpeakUp) {
  expect_message([] { dual_chunk(range(-1, 2)); }, "expected positions of at least 0, got -1");
  expect_message(
      [] {
        dual_chunk(range(0, 2), {5, 5});
      },
      "expected chunk_size above local_size of at least 6, got 5");
}

}  // namespace
}  // namespace posenc::chunks_test
