// chunks.h: positions for long texts that keep all distances within the trained range.
//
// Dual-Chunk Attention (Qwen2.5-1M, vLLM) cuts texts into chunks.
//
// Chunks have c = chunk_size - local_size tokens. A key's position is p mod c. A query has several
// positions, one for each kind of key:
//
//   intra         p mod c                          keys of the same chunk
//   successor     min(p mod c + c, chunk_size)     keys of the previous chunk
//   inter         min(2 c - 1, chunk_size)         all earlier keys
//   ..._critical  p mod c + c, p mod c + chunk_size: the same two without the minimum
//
// So no distance is larger than in training. Call rotate() on the queries once for each kind of
// position.
//
// Window rules keep the positions of keys within the window, and give new positions to keys at a
// distance d of at least `window`:
//
//   rerope        queries at window, keys at 0: every such d becomes window       ReRoPE (Su, 2023)
//   leaky_rerope  positions / factor, queries + window (1 - 1 / factor):
//                 d becomes window + (d - window) / factor                        Leaky ReRoPE
//   self_extend   the same with floors: p / group, queries + window - window / group
//                                                                 Self-Extend (Jin et al., 2024)
#pragma once

#include "posenc/positions.h"

namespace POSENC_PUBLIC posenc {

struct DualChunk {
  int64_t chunk_size = 262144, local_size = 8192;  // Qwen2.5-1M
};

struct ChunkPositions {
  PlannedPositions keys, intra, successor, inter, successor_critical, inter_critical;
};

// For tokens at integer positions from 0 on, on one axis.
ChunkPositions dual_chunk(const PlannedPositions& at, const DualChunk& rule = {});

// Whether a key is beyond the window of a query.
inline bool are_far(int64_t query, int64_t key, int64_t window) { return query - key >= window; }
template <class T>
struct FarPlaces {
  Planned<T> queries, keys;
};
using FarPositions = FarPlaces<int64_t>;
using FarCoordinates = FarPlaces<double>;

FarPositions rerope(const PlannedPositions& at, int64_t window);
FarCoordinates leaky_rerope(const PlannedPositions& at, int64_t window, double factor);
FarPositions self_extend(const PlannedPositions& at, int64_t window, int64_t group);

}  // namespace posenc
