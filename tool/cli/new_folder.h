// new_folder.h: a folder that gets its name when all of it is there.
#pragma once

#include <filesystem>
#include <string>

#include "cli/stop.h"

namespace posenc::cli {

// Made beside `name` under a hidden name; finish() renames it, and without that it is removed with
// all it holds. Throws a usage error where `name` is a file, or a folder that holds something: what
// is there, links to the input among it, is never written to.
class NewFolder {
 public:
  explicit NewFolder(const std::string& name);
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder();

  std::string path() const { return path_.string(); }  // where it is until finish()
  void finish();

 private:
  StopGently gentle_;
  std::filesystem::path name_, path_;
};

// Throws a usage error where two paths that differ name one file: --out is --in by way of a link.
void check_no_link(const std::string& in, const std::string& out);

}  // namespace posenc::cli
