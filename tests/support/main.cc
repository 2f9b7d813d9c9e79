// main.cc: `rotary_test [--every_target] [NAME...]` runs the tests of rotary/NAME_test.cc, or all
// of that folder, once on each instruction set where that is asked for.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "tests/support/every_target.h"
#include "tests/support/paths.h"

namespace posenc {

std::string source_path(const std::string& name) { return POSENC_SOURCE_DIR "/" + name; }
std::string golden_path(const std::string& name) {
  return POSENC_SOURCE_DIR "/tests/golden/" + name;
}
std::string tool_dir() { return POSENC_TOOL_DIR; }

namespace {

// Tests of rotary/name_test.cc, as gtest is told of them: "Suite.First:Suite.Second:".
std::string tests_of(std::string_view name) {
  const std::string end = "/" + std::string(name) + "_test.cc";
  std::string out;
  const auto& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const auto& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j)
      if (std::string_view(suite.GetTestInfo(j)->file()).ends_with(end))
        out += std::string(suite.name()) + "." + suite.GetTestInfo(j)->name() + ":";
  }
  return out;
}

}  // namespace
}  // namespace posenc

int main(int count, char** words) {
  testing::InitGoogleTest(&count, words);
  std::string chosen;
  for (int i = 1; i < count; ++i) {
    if (words[i] == std::string_view("--every_target")) {
      testing::UnitTest::GetInstance()->listeners().Append(new posenc::EveryTarget);
      continue;
    }
    const std::string found = posenc::tests_of(words[i]);
    if (found.empty()) {
      std::fprintf(stderr, "expected the name of a test file, got %s\n", words[i]);
      return 2;
    }
    chosen += found;
  }
  if (!chosen.empty()) testing::GTEST_FLAG(filter) = chosen;
  return RUN_ALL_TESTS();
}
