// output.cc: writing a file so that nobody ever sees half of it.
#include "files/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "posenc/tensor.h"

namespace posenc {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, int error) {
  fail("atomic_write", "cannot write ", path, ": ", std::generic_category().message(error));
}

// Returns 0, or the error number.
int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

int write_all(int file, std::span<const std::string_view> pieces) {
  for (const auto piece : pieces) {
    if (const int error = write_all(file, piece)) return error;
  }
  return 0;
}

// An open file, closed at the end.
struct File {
  int number;

  ~File() { close(); }
  int close() {
    const int closing = std::exchange(number, -1);
    return closing < 0 || ::close(closing) == 0 ? 0 : errno;
  }
};

// Opens a new file in the folder, with a name that no one else uses, and puts the name into path.
int open_new(const fs::path& folder, fs::path& path) {
  static std::atomic<unsigned> count{0};
  while (true) {
    path = folder / (".posenc-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
}

// The file at the end of a chain of symbolic links, which may not exist yet.
fs::path follow_links(fs::path path) {
  std::error_code ignored;
  while (fs::is_symlink(path, ignored)) {
    path = path.parent_path() / fs::read_symlink(path, ignored);
  }
  return path;
}

// old is what is there now, or null. Returns 0, or the error number.
int replace(const fs::path& target, const struct stat* old,
            std::span<const std::string_view> pieces) {
  if (old && ::access(target.c_str(), W_OK) != 0) return errno;
  fs::path temporary;
  File file{open_new(target.parent_path(), temporary)};
  if (file.number < 0) return errno;
  int error = write_all(file.number, pieces);
  if (!error && old && ::fchmod(file.number, old->st_mode & 0777) != 0) error = errno;
  if (const int closing = file.close(); !error) error = closing;
  if (!error && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error) ::unlink(temporary.c_str());
  return error;
}

int write_directly(const std::string& path, std::span<const std::string_view> pieces) {
  File file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  if (file.number < 0) return errno;
  const int error = write_all(file.number, pieces);
  return error ? error : file.close();
}

int write_stdout(std::span<const std::string_view> pieces) {
  if (std::fflush(stdout) != 0) return errno;
  return write_all(STDOUT_FILENO, pieces);
}

int write_somewhere(const std::string& path, std::span<const std::string_view> pieces) {
  if (path == "-" || path == "/dev/stdout") return write_stdout(pieces);
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) return errno;
  if (exists && S_ISDIR(old.st_mode)) return EISDIR;
  if (exists && !S_ISREG(old.st_mode)) return write_directly(path, pieces);
  return replace(follow_links(path), exists ? &old : nullptr, pieces);
}

}  // namespace

void atomic_write(const std::string& path, std::span<const std::string_view> pieces) {
  if (path.empty()) fail("atomic_write", "expected the name of a file, got an empty one");
  if (const int error = write_somewhere(path, pieces)) refuse(path, error);
}

}  // namespace posenc
