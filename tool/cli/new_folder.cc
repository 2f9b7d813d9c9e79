// new_folder.cc: a folder that gets its name when all of it is there.
#include "cli/new_folder.h"

#include <unistd.h>

#include <iterator>

#include "cli/error.h"

namespace posenc::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const fs::path& path, const std::error_code& error) {
  fail("convert", "cannot write ", path.string(), ": ", error.message());
}

void check_unused(const fs::path& folder, const std::string& name) {
  std::error_code failed;
  if (!fs::exists(folder, failed)) return;
  if (!fs::is_directory(folder, failed))
    refuse("expected a folder as --out for the folder of a model, got the file ", name);
  const auto count = std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  if (count > 0)
    refuse("expected a new or empty folder as --out, got ", name, ", which holds ", count,
           count == 1 ? " file" : " files");
}

}  // namespace

NewFolder::NewFolder(const std::string& name) : name_(fs::weakly_canonical(fs::absolute(name))) {
  if (name_.filename().empty()) name_ = name_.parent_path();  // "folder/"
  check_unused(name_, name);
  std::error_code failed;
  fs::create_directories(name_.parent_path(), failed);
  if (failed) cannot_write(name_, failed);
  for (int i = 0; path_.empty(); ++i) {
    const fs::path other =
        name_.parent_path() / (".posenc-" + std::to_string(::getpid()) + "-" + std::to_string(i));
    if (fs::create_directory(other, failed)) path_ = other;
    if (failed) cannot_write(name_, failed);
  }
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

void NewFolder::finish() {
  std::error_code failed;
  fs::rename(path_, name_, failed);
  if (failed) cannot_write(name_, failed);
  path_.clear();
}

void check_no_link(const std::string& in, const std::string& out) {
  std::error_code failed;
  if (!fs::equivalent(in, out, failed) || failed) return;
  const auto spelled = [](const std::string& path) {
    return fs::absolute(path).lexically_normal();
  };
  if (spelled(in) != spelled(out))
    refuse("expected another file as --out, or --in itself, got ", out, ", a link to ", in);
}

}  // namespace posenc::cli
