// temporary.h: a file that gets its name when it is complete.
#pragma once

#include <filesystem>
#include <string>

namespace posenc::files {

// A new file in a folder. Where the file system can, it has no name until rename_to, and is gone
// with the process however that ends; else it has one that remove_unfinished knows.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path folder, bool nameless = true);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  int file() const { return file_; }  // -1: it could not be opened, errno tells why

  // Closes the file and puts it where another may be; returns 0, or the error number.
  int rename_to(const std::filesystem::path& target);

 private:
  int link();
  int close();
  void choose_name();
  void forget_name();

  std::filesystem::path folder_, name_;
  int file_ = -1, slot_ = -1;
};

}  // namespace posenc::files
