// system.cc: the calls of POSIX for files, and what Windows has in their place.
#include "model/system.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#include <io.h>
#include <process.h>
#include <windows.h>
#else
#include <unistd.h>
#endif

namespace posenc::files {

#ifdef _WIN32
namespace {

constexpr int binary = _O_BINARY | _O_NOINHERIT;

int own(int file) {
  const int copy = ::_dup(file);
  if (copy >= 0) static_cast<void>(::_setmode(copy, _O_BINARY));
  return copy;
}

FileFacts told(const struct _stat64& s) {
  const int type = s.st_mode & _S_IFMT;
  const FileKind kind = type == _S_IFREG   ? FileKind::regular
                        : type == _S_IFDIR ? FileKind::folder
                        : type == _S_IFIFO ? FileKind::pipe
                                           : FileKind::device;
  return {kind, static_cast<uint64_t>(s.st_size), 0};
}

unsigned most(size_t bytes) { return static_cast<unsigned>(std::min<size_t>(bytes, 1 << 30)); }

}  // namespace

int open_to_read(const std::string& path) { return ::_open(path.c_str(), _O_RDONLY | binary); }
int open_to_write(const std::string& path) { return ::_open(path.c_str(), _O_WRONLY | binary); }
int open_new(const std::string& path) {
  return ::_open(path.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | binary, _S_IREAD | _S_IWRITE);
}
int open_nameless(const std::filesystem::path&) { return -1; }
bool name_file(int, const std::string&) { return errno = ENOSYS, false; }
int standard_input() { return own(0); }
int standard_output() { return own(1); }
bool close_file(int file) { return ::_close(file) == 0; }

bool look_at(const std::string& path, FileFacts& facts) {
  struct _stat64 s {};
  return ::_stat64(path.c_str(), &s) == 0 && (facts = told(s), true);
}
bool look_at(int file, FileFacts& facts) {
  struct _stat64 s {};
  return ::_fstat64(file, &s) == 0 && (facts = told(s), true);
}
bool may_write(const std::string& path) { return ::_access(path.c_str(), 2) == 0; }
bool set_permissions(int, unsigned) { return true; }  // files have those of their folder

int64_t read_file(int file, std::span<std::byte> out) {
  return ::_read(file, out.data(), most(out.size()));
}
int64_t read_file_at(int file, uint64_t offset, std::span<std::byte> out) {
  OVERLAPPED at{};
  at.Offset = static_cast<DWORD>(offset), at.OffsetHigh = static_cast<DWORD>(offset >> 32);
  DWORD count = 0;
  auto* handle = reinterpret_cast<HANDLE>(::_get_osfhandle(file));
  if (::ReadFile(handle, out.data(), most(out.size()), &count, &at)) return count;
  if (::GetLastError() == ERROR_HANDLE_EOF) return 0;
  return errno = EIO, -1;
}
int64_t write_file(int file, std::string_view bytes) {
  return ::_write(file, bytes.data(), most(bytes.size()));
}
void remove_file(const char* path) noexcept { static_cast<void>(::_unlink(path)); }
int this_process() { return ::_getpid(); }

#else
namespace {

FileFacts told(const struct stat& s) {
  const FileKind kind = S_ISREG(s.st_mode)                           ? FileKind::regular
                        : S_ISDIR(s.st_mode)                         ? FileKind::folder
                        : S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode) ? FileKind::pipe
                                                                     : FileKind::device;
  return {kind, static_cast<uint64_t>(s.st_size), s.st_mode & 0777u};
}

std::string as_link(int file) { return "/proc/self/fd/" + std::to_string(file); }

}  // namespace

int open_to_read(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }
int open_to_write(const std::string& path) { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC); }
int open_new(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}
int open_nameless(const std::filesystem::path& folder) {
#ifdef O_TMPFILE
  const std::string where = folder.empty() ? "." : folder.string();
  const int file = ::open(where.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (file >= 0 && ::access(as_link(file).c_str(), F_OK) == 0) return file;  // can be named later
  if (file >= 0) ::close(file);
#else
  static_cast<void>(folder);
#endif
  return -1;
}
bool name_file(int nameless, const std::string& name) {
  return ::linkat(AT_FDCWD, as_link(nameless).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) ==
         0;
}
int standard_input() { return ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0); }
int standard_output() { return ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0); }
bool close_file(int file) { return ::close(file) == 0; }

bool look_at(const std::string& path, FileFacts& facts) {
  struct stat s {};
  return ::stat(path.c_str(), &s) == 0 && (facts = told(s), true);
}
bool look_at(int file, FileFacts& facts) {
  struct stat s {};
  return ::fstat(file, &s) == 0 && (facts = told(s), true);
}
bool may_write(const std::string& path) { return ::access(path.c_str(), W_OK) == 0; }
bool set_permissions(int file, unsigned permissions) { return ::fchmod(file, permissions) == 0; }

int64_t read_file(int file, std::span<std::byte> out) {
  return ::read(file, out.data(), out.size());
}
int64_t read_file_at(int file, uint64_t offset, std::span<std::byte> out) {
  return ::pread(file, out.data(), out.size(), static_cast<off_t>(offset));
}
int64_t write_file(int file, std::string_view bytes) {
  return ::write(file, bytes.data(), bytes.size());
}
void remove_file(const char* path) noexcept { static_cast<void>(::unlink(path)); }
int this_process() { return ::getpid(); }
#endif

}  // namespace posenc::files
