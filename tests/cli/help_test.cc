// help_test.cc: help names everything, and every example in it runs.
#include <sstream>

#include "posenc/scheme.h"
#include "tests/cli/tool.h"

namespace posenc::help_test {
namespace {

// The lines "  posenc ..." below "examples:", with those that a backslash continues.
std::vector<std::string> examples_in(const std::string& help) {
  std::vector<std::string> out;
  std::istringstream lines(help.substr(std::min(help.find("\nexamples:"), help.size())));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  posenc ")) out.push_back(line.substr(2));
    while (line.ends_with('\\') && std::getline(lines, line)) out.back() += "\n" + line;
  }
  return out;
}

// The names of the commands, from the help of the tool.
std::vector<std::string> commands_in(const std::string& help) {
  std::vector<std::string> out;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line) && !line.starts_with("'");)
    if (line.starts_with("  ") && !line.starts_with("   "))  // not the rest of a line above
      out.push_back(line.substr(2, line.find(' ', 2) - 2));
  return out;
}

class Help : public Tool {
 protected:
  void expect_examples_run(const std::string& arguments, size_t least) {
    const std::string help = output(arguments);
    const auto examples = examples_in(help);
    EXPECT_GE(examples.size(), least) << arguments;
    for (const std::string& example : examples) {
      const Result result = shell(example);
      EXPECT_EQ(result.code, 0) << example << "\n" << result.err;
    }
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(line.size(), 80u) << arguments << ": " << line;
  }
};

TEST_F(Help, NamesEveryCommand) {
  const auto commands = commands_in(output("--help"));
  const std::vector<std::string> expected{
      "demo",      "choose", "list",        "table", "apply",      "convert",  "shift",
      "positions", "show",   "frequencies", "graph", "check",      "identify", "explain",
      "diff",      "lint",   "accuracy",    "bench", "completion", "man"};
  EXPECT_EQ(commands, expected);
  EXPECT_NE(output("help").find("--version"), std::string::npos);
  EXPECT_EQ(output("help"), output("-h"));
  EXPECT_EQ(output("help table"), output("table --help"));
}

TEST_F(Help, ExamplesOfCommandsRun) {
  expect_examples_run("--help", 3);
  for (const std::string& command : commands_in(output("--help")))
    expect_examples_run(command + " --help", 1);
}

TEST_F(Help, ExamplesOfSchemesRun) {
  for (const SchemeInfo& scheme : schemes())
    expect_examples_run("table " + scheme.name + " --help", 2);
}

TEST_F(Help, NamesEveryOptionAndPreset) {
  for (const SchemeInfo& scheme : schemes()) {
    const std::string help = output("table " + scheme.name + " --help");
    const auto expect_in_help = [&](const std::string& text) {
      EXPECT_NE(help.find(text), help.npos) << scheme.name << " lacks " << text;
    };
    for (const Option& option : scheme.options) {
      expect_in_help("--" + option.name);
      for (const std::string& choice : option.choices) expect_in_help(choice);
    }
    for (const PresetInfo& preset : scheme.presets) expect_in_help("  " + preset.name);
  }
}

// A command and a scheme share one line: a name that both have means the scheme's.
TEST_F(Help, NamesEveryOptionOnceOfACommandAndAScheme) {
  for (const std::string command : {"table", "show", "apply", "check"})
    for (const SchemeInfo& scheme : schemes()) {
      const std::string help = output(command + " " + scheme.name + " --help");
      for (const Option& option : scheme.options) {
        if (!option.only_with.option.empty()) continue;  // several choices may have it
        size_t lines = 0;                                // a long name has a line of its own
        for (const char* end : {" ", "\n"}) {
          const std::string line = "\n  --" + option.name + end;
          for (size_t at = help.find(line); at != help.npos; at = help.find(line, at + 1)) ++lines;
        }
        EXPECT_EQ(lines, 1u) << command << " " << scheme.name << " --" << option.name;
      }
    }
}

}  // namespace
}  // namespace posenc::help_test
