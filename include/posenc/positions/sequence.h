// sequence.h: positions that count, from another start in each row or each packed sequence.
//
// Starts and lengths are i32 or i64 [rows] or [sequences], of any stride.
#pragma once

#include "posenc/positions.h"

namespace POSENC_PUBLIC posenc {

// Row r holds first[r], first[r] + 1, ...
PlannedPositions per_row(const Tensor& first, int64_t tokens);

// New tokens behind a cache that holds past[r] tokens of row r: past[r], past[r] + 1, ...
PlannedPositions after_cache(const Tensor& past, int64_t tokens);

// Sequences that lie one after the other in a single row: sequence s holds the tokens from
// cu_seqlens[s] to before cu_seqlens[s + 1], and each counts from 0 again.
//
//   cu_seqlens 0 3 5 9        token     0 1 2 3 4 5 6 7 8
//                             position  0 1 2 0 1 0 1 2 3
PlannedPositions packed(const Tensor& cu_seqlens);
// The same where sequence s counts from first[s]: what its part of the cache holds already.
PlannedPositions packed(const Tensor& cu_seqlens, const Tensor& first);

}  // namespace posenc
