// output.h: writing a file so that nobody ever sees half of it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace posenc {

// Writes the pieces one after the other under a temporary name in the same folder, then renames.
// On failure throws Error, and what was there before is untouched. A symbolic link stays, its
// target is replaced; permissions of an old file are kept. "-", /dev/stdout and other things that
// are no regular file are written directly.
void atomic_write(const std::string& path, std::span<const std::string_view> pieces);
inline void atomic_write(const std::string& path, std::string_view bytes) {
  atomic_write(path, std::span(&bytes, 1));
}

}  // namespace posenc
