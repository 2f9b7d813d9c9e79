// memory.h: refuses what cannot fit before it is tried.
#pragma once

#include <cstdint>

namespace posenc::cli {

// Throws UsageError unless count x columns elements of so many bytes fit 64 bits and the memory
// that is free.
void check_fits(const char* what, int64_t count, int64_t columns, int64_t bytes);

}  // namespace posenc::cli
