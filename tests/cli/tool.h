// tool.h: runs the built tool in a folder of its own and catches all it says.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/files/helpers.h"
#include "tests/support/paths.h"

namespace posenc {

using Json = nlohmann::json;

struct Result {
  int code;  // 128 and more: killed by a signal
  std::string out, err;
};

class Tool : public Folder {
 protected:
  // A command line of the shell, where posenc is the built tool.
  Result shell(const std::string& command) const {
    const std::string line = "cd '" + folder_.string() + "' && posenc() { '" + tool_dir() +
                             "/posenc' \"$@\"; } && { " + command + "\n} >.out 2>.err </dev/null";
    const int status = std::system(("bash -c \"" + escaped(line) + "\"").c_str());
    Result result{WIFEXITED(status) ? WEXITSTATUS(status) : 128, read(".out"), read(".err")};
    std::filesystem::remove(path(".out")), std::filesystem::remove(path(".err"));
    return result;
  }
  Result posenc(const std::string& arguments) const { return shell("posenc " + arguments); }

  // What a command that must succeed prints; it may note something on the standard error.
  std::string output(const std::string& arguments) const {
    const Result result = posenc(arguments);
    EXPECT_EQ(result.code, 0) << "posenc " << arguments << "\n" << result.err;
    EXPECT_TRUE(result.err.empty() || result.err.starts_with("posenc: note: "))
        << "posenc " << arguments << "\n"
        << result.err;
    return result.out;
  }
  Json json(const std::string& arguments) const { return Json::parse(output(arguments)); }

  // One sentence on the standard error, nothing on the standard output, no file left behind.
  void expect_refusal(const std::string& arguments, int code, std::string_view part) const {
    const size_t files = count();
    const Result result = posenc(arguments);
    const std::string all = "posenc " + arguments + "\nsaid: " + result.err;
    EXPECT_EQ(result.code, code) << all;
    EXPECT_TRUE(result.out.empty()) << all;
    EXPECT_TRUE(result.err.starts_with("posenc: ")) << all;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << all;
    EXPECT_NE(result.err.find(part), result.err.npos) << all << "wanted: " << part;
    EXPECT_EQ(count(), files) << all;
  }

 private:
  static std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
      if (std::string_view("\"\\$`").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
    return out;
  }
};

}  // namespace posenc
