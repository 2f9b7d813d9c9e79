// shard.h: the part of a sequence that one rank of a context-parallel group holds.
//
//   16 tokens, 2 ranks     0  1  2  3 | 4  5  6  7 | 8  9 10 11 |12 13 14 15
//   contiguous             rank 0     | rank 0     | rank 1     | rank 1
//   zigzag                 rank 0     | rank 1     | rank 1     | rank 0
//
// Zigzag splits the sequence into 2 x ranks chunks, and rank r holds chunks r and 2 ranks - 1 - r,
// so that all ranks have the same work under a causal mask.
#pragma once

#include <string_view>

#include "posenc/positions.h"
#include "posenc/type.h"

namespace POSENC_PUBLIC posenc {

enum class ShardOrder : uint8_t { contiguous, zigzag };
constexpr auto enum_names(ShardOrder) { return names({"contiguous", "zigzag"}); }

struct Shard {
  int64_t ranks = 1;
  int64_t rank = 0;
  ShardOrder order = ShardOrder::zigzag;
};

// The tokens of the rank, ascending. `tokens` must be divisible by the number of chunks.
std::vector<int64_t> shard_tokens(int64_t tokens, const Shard& shard);
// For packed sequences: each is split separately, so each length must be divisible.
std::vector<int64_t> shard_tokens(const Tensor& cu_seqlens, const Shard& shard);

// The positions of the given tokens, on every axis and row.
PlannedPositions take(const PlannedPositions& from, const std::vector<int64_t>& tokens);
PlannedCoordinates take(const PlannedCoordinates& from, const std::vector<int64_t>& tokens);

}  // namespace posenc
