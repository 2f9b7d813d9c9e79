// digits.h: the index of each digit in its number (Abacus; McLeish et al., 2024).
//
//   tokens       a 7 3 1 + 4 2 =        numbers are written last digit first
//   position     0 1 2 3 0 1 2 0        row 0 of the table is for everything else
//
// In training, all digits of a batch are shifted by one random number, so that the rows for longer
// numbers are trained too.
#pragma once

#include <span>

#include "posenc/positions.h"

namespace POSENC_PUBLIC posenc {

// ids: i32 or i64 [tokens] or [rows, tokens]; digit_ids: the tokens of 0 to 9.
PlannedPositions digits(const Tensor& ids, std::span<const int64_t> digit_ids, int64_t shift = 0);

}  // namespace posenc
