// examples_test.cc: runs every example of the README and the docs, and compares what it prints.
//
// In a ```console block, a line "$ command", with lines "> more" of it, is run in a scratch folder,
// with ./run and posenc standing for the built tool; the lines below it must be what it prints,
// where a line "..." stands for any lines. A ```cpp block must be part of one of the programs in
// examples/, or of the test of docs/cuda.md, which are built and run.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "posenc/field.h"
#include "tests/docs/documents.h"

namespace posenc::examples_test {
namespace {

struct Block {
  std::string language;
  std::vector<std::string> lines;
  size_t line;
};

std::vector<Block> blocks_of(const fs::path& path) {
  std::vector<Block> blocks;
  bool inside = false;
  size_t number = 0;
  for (const std::string& line : lines_of(read(path))) {
    ++number;
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), {}, number});
    } else if (inside) {
      blocks.back().lines.push_back(line);
    }
  }
  return blocks;
}

std::vector<fs::path> documents() {
  std::vector<fs::path> paths{source / "README.md", source / "README.zh.md"};
  for (const auto& entry : fs::directory_iterator(source / "docs"))
    if (entry.path().extension() == ".md") paths.push_back(entry.path());
  return paths;
}

// Does the text match the pattern, where a line "..." stands for any lines?
bool matches(std::span<const std::string> pattern, std::span<const std::string> text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == "...") {
    for (size_t skip = 0; skip <= text.size(); ++skip)
      if (matches(pattern.subspan(1), text.subspan(skip))) return true;
    return false;
  }
  return !text.empty() && pattern[0] == text[0] && matches(pattern.subspan(1), text.subspan(1));
}

void run_console(const Block& block, const fs::path& folder, const std::string& where) {
  for (size_t i = 0; i < block.lines.size();) {
    ASSERT_TRUE(block.lines[i].starts_with("$ ")) << where << ": " << block.lines[i];
    std::string command = block.lines[i].substr(2);
    while (i + 1 < block.lines.size() && block.lines[i + 1].starts_with("> "))
      command += "\n" + block.lines[++i].substr(2);
    for (size_t at; (at = command.find("./run ")) != command.npos;)
      command.replace(at, 6, "posenc ");
    std::vector<std::string> expected;
    for (++i; i < block.lines.size() && !block.lines[i].starts_with("$ "); ++i)
      expected.push_back(block.lines[i]);
    const Result result = run(command, folder);
    EXPECT_EQ(result.status, 0) << where << ": " << command << "\n" << result.output;
    EXPECT_TRUE(matches(expected, lines_of(result.output)))
        << where << ": " << command << "\nprinted\n"
        << result.output;
  }
}

TEST(Examples, ConsoleBlocksPrintWhatTheySay) {
  size_t count = 0;
  for (const fs::path& path : documents()) {
    const fs::path folder = fs::temp_directory_path() / ("posenc-docs-" + std::to_string(getpid()));
    fs::create_directory(folder);
    for (const Block& block : blocks_of(path))
      if (block.language == "console") {
        run_console(block, folder, path.filename().string() + ":" + std::to_string(block.line));
        ++count;
      }
    fs::remove_all(folder);
  }
  EXPECT_GT(count, 5u);
}

// Both READMEs show the same commands, what they print, and the same programs.
TEST(Examples, TheChineseReadmeHasThemAll) {
  const auto shown = [](const fs::path& path) {
    std::vector<std::string> out;
    for (const Block& block : blocks_of(path))
      if (block.language == "console" || block.language == "cpp")
        out.push_back(join(block.lines, "\n"));
    return out;
  };
  EXPECT_EQ(shown(source / "README.zh.md"), shown(source / "README.md"));
}

TEST(Examples, ProgramsAreThoseThatAreBuilt) {
  std::vector<std::string> programs{read(source / "tests/cuda/guide_test.cc")};
  for (const auto& entry : fs::directory_iterator(source / "examples"))
    if (entry.path().extension() == ".cc") programs.push_back(read(entry.path()));
  size_t count = 0;
  for (const fs::path& path : documents())
    for (const Block& block : blocks_of(path))
      if (block.language == "cpp") {
        const std::string text = join(block.lines, "\n");
        const bool found = std::any_of(programs.begin(), programs.end(),
                                       [&](const auto& p) { return p.find(text) != p.npos; });
        EXPECT_TRUE(found) << path << ":" << block.line << " is not part of a program in examples/";
        ++count;
      } else {
        EXPECT_NE(block.language, "c++") << path << ":" << block.line << ": expected ```cpp";
      }
  EXPECT_GT(count, 0u);
}

}  // namespace
}  // namespace posenc::examples_test
