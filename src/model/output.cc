// output.cc: writing a file so that nobody ever sees half of it.
#include "model/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "model/source.h"
#include "model/temporary.h"
#include "posenc/tensor.h"

namespace posenc {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, int error) {
  fail("atomic_write", "cannot write ", path, ": ", std::generic_category().message(error));
}

// The file at the end of a chain of symbolic links, which may not exist yet.
fs::path follow_links(fs::path path) {
  std::error_code ignored;
  while (fs::is_symlink(path, ignored)) {
    path = path.parent_path() / fs::read_symlink(path, ignored);
  }
  return path;
}

}  // namespace

Output::Output(const std::string& path) : path_(path) {
  if (path.empty()) fail("atomic_write", "expected the name of a file, got an empty one");
  files::check_path("atomic_write", path);
  if (path == "-" || path == "/dev/stdout") {
    if (std::fflush(stdout) != 0) refuse(path, errno);
    file_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (file_ < 0) refuse(path, errno);
    return;
  }
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) refuse(path, errno);
  if (exists && S_ISDIR(old.st_mode)) refuse(path, EISDIR);
  exists && !S_ISREG(old.st_mode) ? open_direct(path.c_str()) : open_new();
}

Output::~Output() {
  if (!temporary_ && file_ >= 0) ::close(file_);
}

void Output::open_direct(const char* path) {
  file_ = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file_ < 0) refuse(path_, errno);
}

void Output::open_new() {
  target_ = follow_links(path_);
  struct stat old {};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (exists && ::access(target_.c_str(), W_OK) != 0) refuse(path_, errno);
  temporary_ = std::make_unique<files::TemporaryFile>(fs::path(target_).parent_path());
  file_ = temporary_->file();
  if (file_ < 0) refuse(path_, errno);
  if (exists && ::fchmod(file_, old.st_mode & 0777) != 0) refuse(path_, errno);
}

void Output::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(path_, errno);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void Output::finish() {
  int error = 0;
  const int closing = std::exchange(file_, -1);
  if (temporary_) {
    error = temporary_->rename_to(target_);
  } else if (::close(closing) != 0) {
    error = errno;
  }
  if (error) refuse(path_, error);
}

void atomic_write(const std::string& path, std::span<const std::string_view> pieces) {
  Output out(path);
  for (const auto piece : pieces) out.write(piece);
  out.finish();
}

}  // namespace posenc
