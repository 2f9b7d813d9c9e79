// limit.h: what memory allows: the fastest way known to touch the same bytes.
#pragma once

#include <string_view>
#include <vector>

#include "measure.h"

namespace posenc::bench {

// What the work does to memory.
enum class Traffic {
  none,     // nothing worth comparing
  write,    // writes its output: compare with a fill
  rewrite,  // reads and writes the same place: compare with x += c
  copy,     // reads one place, writes another: compare with memcpy
};

std::string_view name_of(Traffic traffic);

// Contenders that move `bytes` (read and written bytes together) in this way, over the threads the
// library uses. The fastest of them is the limit.
std::vector<Contender> limits(Traffic traffic, int64_t bytes);

}  // namespace posenc::bench
