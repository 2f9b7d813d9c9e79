// source.cc: reading by offset from memory, from a file, or from a pipe.
#include "model/source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/interrupt.h"
#include "base/text.h"
#include "model/system.h"

namespace posenc::files {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

void check_path(std::string_view where, std::string_view path) {
  if (path.find('\0') != path.npos)
    fail(where, "expected a path without a zero byte, got ", in_quotes(path));
}

Source::Source(std::string_view where, std::span<const std::byte> memory)
    : where_(where), size_(memory.size()), memory_(memory) {}

Source::Source(std::string_view where, const std::string& path)
    : where_(where), label_(path + ": ") {
  try {
    open(path);
  } catch (...) {
    if (file_ >= 0) close_file(file_);
    throw;
  }
}

Source::~Source() {
  if (file_ >= 0) close_file(file_);
}

void Source::open(const std::string& path) {
  check_path(where_, path);
  const auto open_once = [&] {  // a pipe that nobody writes to waits here
    return path == "-" ? standard_input() : open_to_read(path);
  };
  while ((file_ = open_once()) < 0 && errno == EINTR) check_interrupt(true);
  FileFacts facts;
  if (file_ < 0 || !look_at(file_, facts)) refuse("cannot read: ", reason(errno));
  if (facts.kind == FileKind::folder) refuse("cannot read: ", reason(EISDIR));
  if (facts.kind == FileKind::device) refuse("expected a file or a pipe, got a device");
  facts.kind == FileKind::pipe ? drain() : void(size_ = facts.bytes);
}

// A pipe has no offsets: takes all of it into memory.
void Source::drain() {
  std::byte block[1 << 16];
  while (true) {
    const int64_t n = read_file(file_, block);
    if (n < 0 && errno != EINTR) refuse("cannot read: ", reason(errno));
    check_interrupt(n < 0);
    if (n < 0) continue;
    if (n == 0) break;
    if (drained_.size() + static_cast<uint64_t>(n) > longest_pipe)
      refuse("expected at most ", longest_pipe,
             " bytes from a pipe, got more; a file may be larger");
    drained_.insert(drained_.end(), block, block + n);
  }
  close_file(file_);
  file_ = -1;
  memory_ = drained_;
  size_ = drained_.size();
}

void Source::read(uint64_t offset, std::span<std::byte> out) const {
  if (offset > size_ || out.size() > size_ - offset) {
    refuse("expected ", out.size(), " bytes from byte ", offset, " on, got a file of ", size_);
  }
  if (file_ < 0) {
    std::copy_n(memory_.begin() + static_cast<ptrdiff_t>(offset), out.size(), out.begin());
    return;
  }
  while (!out.empty()) {
    const int64_t n = read_file_at(file_, offset, out);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse("cannot read: ", reason(errno));
    if (n == 0) refuse("expected ", size_, " bytes, got ", offset, ": it shrank while being read");
    offset += static_cast<uint64_t>(n);
    out = out.subspan(static_cast<size_t>(n));
  }
}

std::string Source::text(uint64_t offset, uint64_t length) const {
  if (length > size_) refuse("expected ", length, " bytes, got a file of ", size_);
  std::string out(length, '\0');
  read(offset, std::as_writable_bytes(std::span(out)));
  return out;
}

uint64_t Source::little_endian(uint64_t offset, int bytes) const {
  std::byte raw[8];
  read(offset, std::span(raw).first(static_cast<size_t>(bytes)));
  uint64_t value = 0;
  for (int i = bytes; i-- > 0;) value = value << 8 | std::to_integer<uint64_t>(raw[i]);
  return value;
}

bool Source::starts_with(std::string_view magic) const {
  return size_ >= magic.size() && text(0, magic.size()) == magic;
}

}  // namespace posenc::files
