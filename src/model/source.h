// source.h: bytes to parse, in memory or in a file, read by offset and never past their end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/tensor.h"

namespace posenc::files {

// Throws Error where the path holds a zero byte: the system would take what stands before it.
void check_path(std::string_view where, std::string_view path);

// The most bytes that are taken from a pipe, which has no end that could be known before.
inline constexpr uint64_t longest_pipe = uint64_t{1} << 30;

class Source {
 public:
  // where names the function in messages.
  Source(std::string_view where, std::span<const std::byte> memory);
  Source(std::string_view where, const std::string& path);
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source();

  uint64_t size() const { return size_; }

  // Fills out with the bytes from offset on.
  void read(uint64_t offset, std::span<std::byte> out) const;
  std::string text(uint64_t offset, uint64_t length) const;
  uint64_t little_endian(uint64_t offset, int bytes) const;
  bool starts_with(std::string_view magic) const;

  // The function and the file, as messages name them.
  const std::string& where() const { return where_; }
  const std::string& label() const { return label_; }
  // Throws an Error that names the file.
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    fail(ErrorKind::data, where_, label_, parts...);
  }

 private:
  void open(const std::string& path);
  void drain();

  std::string where_, label_;
  int file_ = -1;
  uint64_t size_ = 0;
  std::span<const std::byte> memory_;
  std::vector<std::byte> drained_;  // the content of a pipe
};

}  // namespace posenc::files
