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
    expect_narrow_text(arguments, output(arguments));
  }
  void expect_narrow_text(const std::string& arguments, const std::string& text) const {
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

// Names of weights and keys that are longer than a line go on in the next.
TEST_F(Width, LongNames) {
  const std::string beit = R"({"model_type": "beit", "use_relative_position_bias": true})";
  const std::string key = "rope_" + std::string(200, 'x') + ".factor";
  const std::string llama = R"({"model_type": "llama", ")" + key + R"(": 1})";
  for (const std::string& config : {beit, llama, std::string(R"({"model_type": "swinv2"})")}) {
    expect_narrow("explain '" + config + "'");
    expect_narrow_text("lint", posenc("lint '" + config + "'").out);
  }
  std::string told = output("explain '" + llama + "'");
  std::erase_if(told, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_NE(told.find(key), told.npos) << "nothing of a name is lost";
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
