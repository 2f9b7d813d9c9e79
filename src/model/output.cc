// output.cc: writing a file so that nobody ever sees half of it.
#include "model/output.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "model/source.h"
#include "model/system.h"
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
    file_ = files::standard_output();
    if (file_ < 0) refuse(path, errno);
    return;
  }
  files::FileFacts old;
  const bool exists = files::look_at(path, old);
  if (!exists && errno != ENOENT) refuse(path, errno);
  if (exists && old.kind == files::FileKind::folder) refuse(path, EISDIR);
  exists&& old.kind != files::FileKind::regular ? open_direct() : open_new();
}

Output::~Output() {
  if (!temporary_ && file_ >= 0) files::close_file(file_);
}

void Output::open_direct() {
  file_ = files::open_to_write(path_);
  if (file_ < 0) refuse(path_, errno);
}

void Output::open_new() {
  target_ = follow_links(path_).string();
  files::FileFacts old;
  const bool exists = files::look_at(target_, old);
  if (exists && !files::may_write(target_)) refuse(path_, errno);
  temporary_ = std::make_unique<files::TemporaryFile>(fs::path(target_).parent_path());
  file_ = temporary_->file();
  if (file_ < 0) refuse(path_, errno);
  if (exists && !files::set_permissions(file_, old.permissions)) refuse(path_, errno);
}

void Output::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const int64_t n = files::write_file(file_, bytes);
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
  } else if (!files::close_file(closing)) {
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
