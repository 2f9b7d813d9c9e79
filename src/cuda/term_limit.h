// term_limit.h: how much memory a term takes at once; any C++ compiler reads this header.
#pragma once

#include <cstdint>

namespace posenc::cuda {

// Numbers that memory for a call may hold before its work is done in parts; tests make it few.
extern int64_t most_numbers;

}  // namespace posenc::cuda
