// sequence.h: consecutive positions with a separate start for each row or packed sequence.
//
// Starts and lengths are i32 or i64 [rows] or [sequences], of any stride.
#pragma once

#include "posenc/positions.h"

namespace POSENC_PUBLIC posenc {

// Row r holds first[r], first[r] + 1, ...
PlannedPositions per_row(const Tensor& first, int64_t tokens);

// New tokens after a cache that holds past[r] tokens of row r: past[r], past[r] + 1, ...
PlannedPositions after_cache(const Tensor& past, int64_t tokens);

// Sequences packed one after the other into a single row: sequence s has the tokens from
// cu_seqlens[s] up to cu_seqlens[s + 1], exclusive, and each sequence counts from 0.
//
//   cu_seqlens 0 3 5 9        token     0 1 2 3 4 5 6 7 8
//                             position  0 1 2 0 1 0 1 2 3
PlannedPositions packed(const Tensor& cu_seqlens);
// The same, but sequence s counts from first[s], the number of its tokens in the cache.
PlannedPositions packed(const Tensor& cu_seqlens, const Tensor& first);

}  // namespace posenc
