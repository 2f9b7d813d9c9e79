// python_pictures.cc: picture files where cairo was not found: Python draws them, by matplotlib.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/json.h"
#include "draw/check.h"
#include "draw/plot.h"
#include "posenc/tensor.h"

extern char** environ;

namespace posenc::draw {
namespace {

using files::Json;

Json told(const Axis& axis) {
  return {{"label", axis.label}, {"min", axis.min}, {"max", axis.max}, {"log", axis.log}};
}

Json told(const Heatmap& map) {
  return {{"kind", "heatmap"}, {"title", map.title},   {"note", map.note},
          {"x", told(map.x)},  {"y", told(map.y)},     {"rows", map.rows},
          {"cols", map.cols},  {"values", map.values}, {"low", map.low},
          {"high", map.high},  {"square", map.square}, {"scale_label", map.scale_label}};
}

Json told(const Lines& lines) {
  files::JsonList curves;
  for (const Curve& curve : lines.curves)
    curves.push_back({{"label", curve.label}, {"x", curve.x}, {"y", curve.y}});
  return {{"kind", "lines"},    {"title", lines.title},  {"note", lines.note},
          {"x", told(lines.x)}, {"y", told(lines.y)},    {"curves", curves},
          {"dots", lines.dots}, {"joined", lines.joined}};
}

Json told(const Network& network) {
  files::JsonList links;
  for (const auto& [from, to] : network.links) links.push_back(files::JsonList{from, to});
  return {{"kind", "network"},    {"title", network.title},
          {"note", network.note}, {"x", network.x},
          {"y", network.y},       {"values", network.values},
          {"links", links},       {"scale_label", network.scale_label}};
}

// The first Python that POSENC_PYTHON names; that beside this program, as in the environment that a
// wheel was installed in; or that on the PATH.
std::string python() {
  if (const char* chosen = std::getenv("POSENC_PYTHON"))
    return std::string(std::string_view(chosen).substr(0, std::string_view(chosen).find(':')));
  std::error_code ignored;
  const auto beside =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "python3";
  return std::filesystem::exists(beside, ignored) ? beside.string() : "python3";
}

// A file without a name.
class Scratch {
 public:
  explicit Scratch(std::string_view bytes = {}) : file_(std::tmpfile(), std::fclose) {
    if (!file_) fail("picture", "cannot make a temporary file");
    std::fwrite(bytes.data(), 1, bytes.size(), file_.get());
    std::rewind(file_.get());
  }
  int number() const { return fileno(file_.get()); }
  std::string read() const {
    std::rewind(file_.get());
    std::string bytes;
    char piece[1 << 16];
    while (const size_t size = std::fread(piece, 1, sizeof piece, file_.get()))
      bytes.append(piece, size);
    return bytes;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::string picture(const Plot& plot, const char* format, int width, int height) {
  const auto checked = [](const auto& one) {
    check("picture", one);
    return files::write_json(told(one));
  };
  check_size("picture", width, height);
  const Scratch asked(std::visit(checked, plot));
  const Scratch drawn, said;
  const std::string name = python(), w = std::to_string(width), h = std::to_string(height);
  const char* arguments[] = {name.c_str(), "-m",   "posenc._picture", format, w.c_str(),
                             h.c_str(),    nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, asked.number(), 0);
  posix_spawn_file_actions_adddup2(&actions, drawn.number(), 1);
  posix_spawn_file_actions_adddup2(&actions, said.number(), 2);
  pid_t child = -1;
  const int error =
      posix_spawnp(&child, name.c_str(), &actions, nullptr, const_cast<char**>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error)
    fail("picture", "expected a Python with posenc and matplotlib to draw it, got ", name, ": ",
         std::generic_category().message(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (status != 0)
    fail("picture", "expected a Python with posenc and matplotlib to draw it, got ", name, " with ",
         last_line(said.read()));
  return drawn.read();
}

}  // namespace

std::string to_png(const Plot& plot, int w, int h) { return picture(plot, "png", w, h); }
std::string to_svg(const Plot& plot, int w, int h) { return picture(plot, "svg", w, h); }

}  // namespace posenc::draw
