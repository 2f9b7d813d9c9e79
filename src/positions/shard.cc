// shard.cc: which chunks of a sequence a rank holds.
#include "posenc/positions/shard.h"

#include "posenc/field.h"
#include "positions/planning.h"

namespace posenc {
namespace {

using namespace planning;

int64_t chunks_of(const Shard& shard) {
  check_choices("shard", shard.order, "order");
  check_at_least("shard", "ranks", shard.ranks, 1);
  if (shard.rank < 0 || shard.rank >= shard.ranks)
    fail("shard", "expected a rank from 0 to ", shard.ranks - 1, ", got ", shard.rank);
  return shard.order == ShardOrder::zigzag ? product("shard", "chunks", 2, shard.ranks)
                                           : shard.ranks;
}

void check_length(int64_t tokens, int64_t chunks) {
  check_at_least("shard", "tokens", tokens, 0);
  if (tokens % chunks != 0)
    fail("shard", "expected a sequence divisible into ", chunks, " equal chunks, got ", tokens,
         " tokens");
}

// Room for the rank's part of all tokens.
std::vector<int64_t> room(int64_t tokens, const Shard& shard) {
  auto out = zeros<int64_t>("shard", "tokens",
                            product("shard", "bytes of tokens", tokens, 16) / 16 / shard.ranks);
  out.clear();
  return out;
}

void append(std::vector<int64_t>& out, int64_t first, int64_t count) {
  for (int64_t i = 0; i < count; ++i) out.push_back(first + i);
}

// The rank's tokens of a sequence that begins at `first`.
void append_sequence(std::vector<int64_t>& out, int64_t first, int64_t tokens, const Shard& shard) {
  const int64_t chunks = chunks_of(shard), size = tokens / chunks;
  append(out, first + shard.rank * size, size);
  if (shard.order == ShardOrder::zigzag)
    append(out, first + (chunks - 1 - shard.rank) * size, size);
}

template <class T>
Planned<T> take_tokens(const Planned<T>& from, const std::vector<int64_t>& tokens) {
  for (int64_t token : tokens)
    if (token < 0 || token >= from.tokens)
      fail("take", "expected tokens from 0 to below ", from.tokens, ", got ", token);
  auto out = make<T>("take", from.axes, from.rows, std::ssize(tokens));
  auto id = out.ids.begin();
  for (int64_t axis = 0; axis < from.axes; ++axis)
    for (int64_t row = 0; row < from.rows; ++row)
      for (int64_t token : tokens) *id++ = from.at(axis, row, token);
  return out;
}

}  // namespace

std::vector<int64_t> shard_tokens(int64_t tokens, const Shard& shard) {
  check_length(tokens, chunks_of(shard));
  auto out = room(tokens, shard);
  append_sequence(out, 0, tokens, shard);
  return out;
}

std::vector<int64_t> shard_tokens(const Tensor& cu_seqlens, const Shard& shard) {
  const auto ends = cumulative("shard", cu_seqlens);
  const int64_t chunks = chunks_of(shard);
  for (size_t s = 1; s < ends.size(); ++s) check_length(ends[s] - ends[s - 1], chunks);
  auto out = room(ends.back(), shard);
  for (size_t s = 1; s < ends.size(); ++s)
    append_sequence(out, ends[s - 1], ends[s] - ends[s - 1], shard);
  return out;
}

PlannedPositions take(const PlannedPositions& from, const std::vector<int64_t>& tokens) {
  return take_tokens(from, tokens);
}
PlannedCoordinates take(const PlannedCoordinates& from, const std::vector<int64_t>& tokens) {
  return take_tokens(from, tokens);
}

}  // namespace posenc
