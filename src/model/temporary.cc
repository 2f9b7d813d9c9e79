// temporary.cc: nameless files, and names that a signal handler may remove.
#include "model/temporary.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "model/output.h"
#include "model/system.h"

namespace posenc {
namespace files {
namespace {

// A name a signal handler can read at any time: it is there when it is set, and whole then.
struct NameSlot {
  enum Stage { empty, changing, set };
  std::atomic<Stage> state{empty};
  char name[4096] = {};
};
NameSlot slots[32];

int remember(const std::string& name) {
  for (int i = 0; name.size() < sizeof NameSlot::name && i < std::ssize(slots); ++i) {
    auto expected = NameSlot::empty;
    if (!slots[i].state.compare_exchange_strong(expected, NameSlot::changing)) continue;
    std::memcpy(slots[i].name, name.c_str(), name.size() + 1);
    slots[i].state = NameSlot::set;
    return i;
  }
  return -1;
}

}  // namespace

TemporaryFile::TemporaryFile(std::filesystem::path folder, bool nameless)
    : folder_(std::move(folder)) {
  if (nameless) file_ = open_nameless(folder_);
  while (file_ < 0) {
    choose_name();
    file_ = open_new(name_.string());
    const int error = errno;
    if (file_ >= 0) return;
    forget_name();
    errno = error;
    if (error != EEXIST) return;
  }
}

TemporaryFile::~TemporaryFile() {
  close();
  std::error_code ignored;
  if (!name_.empty()) std::filesystem::remove(name_, ignored);
  forget_name();
}

void TemporaryFile::choose_name() {
  static std::atomic<unsigned> count{0};
  name_ = folder_ / (".posenc-" + std::to_string(this_process()) + "-" + std::to_string(count++));
  slot_ = remember(name_.string());
}

void TemporaryFile::forget_name() {
  name_.clear();
  if (const int slot = std::exchange(slot_, -1); slot >= 0) slots[slot].state = NameSlot::empty;
}

int TemporaryFile::close() {
  const int closing = std::exchange(file_, -1);
  return closing < 0 || close_file(closing) ? 0 : errno;
}

// Gives a nameless file a name of its own: a link cannot replace a file, only a rename can.
int TemporaryFile::link() {
  while (name_.empty()) {
    choose_name();
    if (name_file(file_, name_.string())) return 0;
    const int error = errno;
    forget_name();
    if (error != EEXIST) return error;
  }
  return 0;
}

int TemporaryFile::rename_to(const std::filesystem::path& target) {
  int error = link();
  if (const int closing = close(); !error) error = closing;
  std::error_code failed;  // which on Windows, too, replaces a file
  if (!error) std::filesystem::rename(name_, target, failed);
  if (failed) error = failed.default_error_condition().value();
  if (!error) forget_name();
  return error;
}

}  // namespace files

void remove_unfinished() noexcept {
  for (const files::NameSlot& slot : files::slots)
    if (slot.state == files::NameSlot::set) files::remove_file(slot.name);
}

}  // namespace posenc
