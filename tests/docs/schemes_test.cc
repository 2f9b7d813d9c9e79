// schemes_test.cc: the docs name every scheme, and who uses it.
#include <gtest/gtest.h>

#include <algorithm>

#include "posenc/convolution.h"
#include "posenc/graph.h"
#include "posenc/scheme.h"
#include "tests/docs/documents.h"

namespace posenc::schemes_test {
namespace {

std::vector<SchemeInfo> every_scheme() {
  std::vector<SchemeInfo> all = schemes();
  all.push_back(info(Convolution{}));
  for (const SchemeInfo& scheme : graph::schemes()) all.push_back(scheme);
  return all;
}

// Where it is told what a scheme is, it is told who uses it, in the same words everywhere.
TEST(Documents, EverySchemeNamesWhoUsesIt) {
  for (const SchemeInfo& scheme : every_scheme()) {
    ASSERT_FALSE(scheme.used_by.empty()) << scheme.name;
    const std::string page = scheme.family == "content" ? "relative.md" : scheme.family + ".md";
    const auto lines = lines_of(read(source / "docs" / page));
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(),
                            [&](const std::string& line) {
                              return line.find("`" + scheme.name + "`") != line.npos &&
                                     line.find(scheme.used_by) != line.npos;
                            }))
        << page << ": no line has `" << scheme.name << "` and " << scheme.used_by;
    for (const PresetInfo& preset : scheme.presets)
      EXPECT_FALSE(preset.help.empty()) << scheme.name << " " << preset.name;
  }
}

TEST(Documents, ThePageOfSchemesIsWhatTheToolPrints) {
  const Result printed = run("posenc list --markdown", source);
  EXPECT_EQ(printed.status, 0);
  EXPECT_EQ(read(source / "docs/schemes.md"), printed.output) << "./run update writes it";
}

}  // namespace
}  // namespace posenc::schemes_test
