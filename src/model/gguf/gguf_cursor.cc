// gguf_cursor.cc: walking through the start of a GGUF file, block by block, never past its end.
#include "model/gguf/gguf_cursor.h"

#include <algorithm>

namespace posenc::files {
namespace {

constexpr uint64_t block_bytes = 1 << 16;

}  // namespace

void GgufCursor::need(uint64_t bytes, std::string_view what) const {
  if (bytes > left())
    source_->refuse("expected ", bytes, " bytes for ", what, " at byte ", at_,
                    ", got the end of the file after ", left());
}

uint64_t GgufCursor::number(int bytes, std::string_view what) {
  const auto size = static_cast<uint64_t>(bytes);
  need(size, what);
  if (at_ < block_begin_ || at_ + size > block_begin_ + block_.size()) {
    block_.resize(static_cast<size_t>(std::min(block_bytes, left())));
    block_begin_ = at_;
    source_->read(at_, block_);
  }
  uint64_t value = 0;
  for (uint64_t i = size; i-- > 0;)
    value = value << 8 | std::to_integer<uint64_t>(block_[at_ - block_begin_ + i]);
  at_ += size;
  return value;
}

std::string GgufCursor::text(uint64_t longest, std::string_view what) {
  const uint64_t begin = at_, length = number(8, what);
  if (length > longest)
    source_->refuse("expected ", what, " of at most ", longest, " bytes at byte ", begin, ", got ",
                    length);
  return bytes(length, what);
}

std::string GgufCursor::bytes(uint64_t length, std::string_view what) {
  need(length, what);
  std::string out = source_->text(at_, length);
  at_ += length;
  return out;
}

void GgufCursor::check_count(uint64_t count, uint64_t least_bytes, std::string_view what) const {
  if (count > left() / least_bytes)
    source_->refuse("expected at most ", left() / least_bytes, " ", what,
                    " in what is left of the file at byte ", at_, ", got ", count);
}

void GgufCursor::skip(uint64_t bytes, std::string_view what) {
  need(bytes, what);
  at_ += bytes;
}

}  // namespace posenc::files
