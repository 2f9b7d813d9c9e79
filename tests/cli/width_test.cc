// width_test.cc: what people read fits a terminal of 80 columns.
#include <sstream>

#include "tests/cli/tool.h"
#include "tests/support/paths.h"

namespace posenc::width_test {
namespace {

// Columns of a line of UTF-8 without colours: Chinese characters take two.
size_t columns(const std::string& line) {
  size_t out = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    if ((byte & 0xC0) == 0x80) continue;  // not the first of a character
    const bool wide = byte >= 0xE3 && byte <= 0xEF;
    out += wide ? 2 : 1;
  }
  return out;
}

class Width : public Tool {
 protected:
  void expect_narrow(const std::string& arguments) const {
    const std::string text = output(arguments);
    EXPECT_FALSE(text.empty()) << arguments;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (line.find(tool_dir()) == line.npos) {
        EXPECT_LE(columns(line), 80u) << arguments << ": " << line;
      }
  }
};

TEST_F(Width, Demo) { expect_narrow("demo"); }

TEST_F(Width, ListsAndNames) {
  for (const std::string name : {"", " rope", " sinusoidal", " fire", " qwen3", " Llama"})
    expect_narrow("list" + name);
}

TEST_F(Width, Models) {
  for (const std::string type : {"gpt_oss", "llama", "gemma4_text", "bert", "deepseek_v3", "t5"})
    for (const std::string verb : {"explain", "lint"}) {
      const std::string line = verb + " '{\"model_type\": \"" + type + "\"}'";
      if (verb == "explain" || !output(line).empty()) expect_narrow(line);
    }
}

TEST_F(Width, Checks) {
  for (const std::string scheme :
       {"sinusoidal --dim 64", "rope --preset deepseek-v3", "alibi", "t5"})
    expect_narrow("check " + scheme);
}

TEST_F(Width, Identified) {
  output("table rope --preset llama3.1 --positions 0:512 --out turns.npy");
  output("table sinusoidal --dim 64 --base 1000 --positions 0:200 --out mystery.npy");
  output("table alibi --heads 8 --queries 0:9 --keys 0:9 --out bias.npy");
  for (const std::string file : {"turns.npy", "mystery.npy", "bias.npy"})
    expect_narrow("identify " + file);
}

TEST_F(Width, Help) {
  expect_narrow("--help");
  std::istringstream help(output("--help"));
  for (std::string line; std::getline(help, line) && !line.starts_with("'");)
    if (line.starts_with("  ") && line[2] != ' ')
      expect_narrow(line.substr(2, line.find(' ', 2) - 2) + " --help");
  for (const std::string scheme : {"rope", "sinusoidal", "t5", "transformer-xl"})
    for (const std::string command : {"table", "show", "apply", "check"})
      expect_narrow(command + " " + scheme + " --help");
}

}  // namespace
}  // namespace posenc::width_test
