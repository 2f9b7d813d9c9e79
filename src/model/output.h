// output.h: writing a file so that nobody ever sees half of it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace posenc {
namespace files {
class TemporaryFile;
}

// A file in the making, written piece by piece; finish() puts it in its place, and without that
// nothing is left behind and what was there before is untouched. A symbolic link stays, its target
// is replaced; permissions of an old file are kept. "-", /dev/stdout and other things that are no
// regular file are written directly. Throws Error.
class Output {
 public:
  explicit Output(const std::string& path);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  void write(std::string_view bytes);
  void write(std::span<const std::byte> bytes) {
    write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  void finish();

 private:
  void open_direct();
  void open_new();

  std::string path_, target_;
  std::unique_ptr<files::TemporaryFile> temporary_;
  int file_ = -1;  // belongs to temporary_ where there is one
};

// All pieces, one after the other.
void atomic_write(const std::string& path, std::span<const std::string_view> pieces);
inline void atomic_write(const std::string& path, std::string_view bytes) {
  atomic_write(path, std::span(&bytes, 1));
}

// Removes the files of every Output that is not finished; for signal handlers.
void remove_unfinished() noexcept;

}  // namespace posenc
