// memory.cc: how much memory is free.
#include "memory.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "error.h"

namespace posenc::cli {
namespace {

// Bytes, as Linux estimates them; a container may have less than the machine.
int64_t free_memory() {
  int64_t limit = INT64_MAX, kilobytes = 0;
  std::ifstream("/sys/fs/cgroup/memory.max") >> limit;
  std::ifstream facts("/proc/meminfo");
  for (std::string name; facts >> name;)
    if (name == "MemAvailable:" && facts >> kilobytes) break;
  limit = limit > 0 ? limit : INT64_MAX;
  return kilobytes > 0 ? std::min(limit, 1024 * kilobytes) : limit;
}

std::string readable(double bytes) {
  const char* units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

}  // namespace

void check_fits(const char* what, int64_t count, int64_t columns, int64_t bytes) {
  int64_t total = 0;
  const bool overflow = __builtin_mul_overflow(count, columns, &total) ||
                        __builtin_mul_overflow(total, bytes, &total);
  const double wanted =
      static_cast<double>(count) * static_cast<double>(columns) * static_cast<double>(bytes);
  const int64_t free = free_memory();
  if (overflow || total > free)
    refuse("expected room for ", what, " of ", count, " x ", columns, " numbers (",
           readable(wanted), "), got ", readable(static_cast<double>(free)), " of free memory");
}

}  // namespace posenc::cli
