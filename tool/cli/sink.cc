// sink.cc: files that appear when they are complete, and the standard output.
#include "cli/sink.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/stop.h"
#include "model/output.h"

namespace posenc::cli {

bool is_standard_output(const std::string& path) {
  struct stat file {
  }, output{};
  if (path == "-") return true;
  if (::stat(path.c_str(), &file) != 0 || ::fstat(STDOUT_FILENO, &output) != 0) return false;
  return file.st_dev == output.st_dev && file.st_ino == output.st_ino;
}

void write_to(const std::string& path, const std::function<void(const Sink&)>& write) {
  if (path == "-") return write(print);
  Output file(path);
  write([&](std::string_view piece) {
    check_stopped();
    file.write(piece);
  });
  file.finish();
}

}  // namespace posenc::cli
