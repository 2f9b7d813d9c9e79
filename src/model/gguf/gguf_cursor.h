// gguf_cursor.h: walking through the start of a GGUF file, block by block, never past its end.
#pragma once

#include "model/source.h"

namespace posenc::files {

class GgufCursor {
 public:
  explicit GgufCursor(const Source& source) : source_(&source) {}

  uint64_t at() const { return at_; }
  uint64_t left() const { return source_->size() - at_; }
  const Source& source() const { return *source_; }

  // An unsigned little-endian number; `what` is named where the file ends before it.
  uint64_t number(int bytes, std::string_view what);
  // A text: its length in eight bytes, then it; an Error where it is longer than `longest`.
  std::string text(uint64_t longest, std::string_view what);
  std::string bytes(uint64_t length, std::string_view what);
  // Refuses a number of things of which each has at least that many bytes, where they cannot be in
  // what is left.
  void check_count(uint64_t count, uint64_t least_bytes, std::string_view what) const;
  void skip(uint64_t bytes, std::string_view what);

 private:
  void need(uint64_t bytes, std::string_view what) const;

  const Source* source_;
  uint64_t at_ = 0;
  uint64_t block_begin_ = 0;
  std::vector<std::byte> block_;
};

}  // namespace posenc::files
