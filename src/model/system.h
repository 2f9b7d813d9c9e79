// system.h: the calls of the operating system by which files are read and written. A call that
// fails returns -1 or false, and errno tells why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace posenc::files {

enum class FileKind : uint8_t { regular, folder, pipe, device };

struct FileFacts {
  FileKind kind = FileKind::device;
  uint64_t bytes = 0;
  unsigned permissions = 0;
};

int open_to_read(const std::string& path);  // may be interrupted where a pipe has no writer yet
int open_to_write(const std::string& path);
int open_new(const std::string& path);  // EEXIST where there is one
// A new file in a folder that has no name and is gone when it is closed, or -1 where the system has
// none.
int open_nameless(const std::filesystem::path& folder);
bool name_file(int nameless, const std::string& name);
int standard_input();  // one of their own, to be closed
int standard_output();
bool close_file(int file);

bool look_at(const std::string& path, FileFacts& facts);
bool look_at(int file, FileFacts& facts);
bool may_write(const std::string& path);
bool set_permissions(int file, unsigned permissions);

// How many bytes were read or written, perhaps fewer than asked for.
int64_t read_file(int file, std::span<std::byte> out);
int64_t read_file_at(int file, uint64_t offset, std::span<std::byte> out);
int64_t write_file(int file, std::string_view bytes);

void remove_file(const char* path) noexcept;  // which a signal handler may do
int this_process();

}  // namespace posenc::files
