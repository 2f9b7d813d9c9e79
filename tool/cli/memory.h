// memory.h: refuses what cannot fit before it is tried.
#pragma once

#include <cstdint>
#include <string>

namespace posenc::cli {

// Throws a usage error unless count x columns elements of so many bytes fit 64 bits and the memory
// that is free.
void check_fits(const char* what, int64_t count, int64_t columns, int64_t bytes);

// The same for a file that is to be written, and the disk it goes to.
void check_disk(const std::string& path, int64_t count, int64_t columns, int64_t bytes);

}  // namespace posenc::cli
