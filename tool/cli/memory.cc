// memory.cc: how much memory and disk is free.
#include "cli/memory.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>

#include "cli/error.h"

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

// Bytes of the disk a file would lie on; none for what is no file.
std::optional<int64_t> free_disk(const std::string& path) {
  std::error_code failed;
  const auto kind = std::filesystem::status(path, failed).type();
  const bool file = kind == std::filesystem::file_type::regular;
  if (!file && kind != std::filesystem::file_type::not_found) return {};
  const auto folder = std::filesystem::absolute(path, failed).parent_path();
  const auto space = std::filesystem::space(folder, failed);
  if (failed) return {};
  return static_cast<int64_t>(std::min<uintmax_t>(space.available, INT64_MAX));
}

std::string readable(double bytes) {
  const char* units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

void check_room(const std::string& what, const std::string& where, const std::array<int64_t, 3>& of,
                int64_t free) {
  int64_t total = 1;
  double wanted = 1;
  bool overflow = false;
  for (const int64_t factor : of) {
    overflow = overflow || __builtin_mul_overflow(total, factor, &total);
    wanted *= static_cast<double>(factor);
  }
  if (overflow || total > free)
    refuse("expected room for ", what, " of ", of[0], " x ", of[1], " numbers (", readable(wanted),
           "), got ", readable(static_cast<double>(free)), " of free ", where);
}

}  // namespace

void check_fits(const char* what, int64_t count, int64_t columns, int64_t bytes) {
  check_room(what, "memory", {count, columns, bytes}, free_memory());
}

void check_disk(const std::string& path, int64_t count, int64_t columns, int64_t bytes) {
  if (const auto free = free_disk(path))
    check_room("a file", "disk", {count, columns, bytes}, *free);
}

}  // namespace posenc::cli
