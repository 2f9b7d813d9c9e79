// pictures_test.cc: posenc show draws squares as squares, and steps as steps.
#include <sstream>

#include "tests/cli/tool.h"

namespace posenc::pictures_test {
namespace {

size_t count_of(const std::string& text, const std::string& part) {
  size_t out = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++out;
  return out;
}

// A character of a terminal is twice as high as it is wide.
TEST_F(Tool, SimilarityIsSquareAndHasItsOwnRange) {
  for (const std::string size : {"100x30", "50x40"}) {
    const std::string text = output("show sinusoidal --dim 64 --kind similarity --size " + size);
    const size_t rows = count_of(text, "│") + count_of(text, "┤");
    const size_t axis = text.find("└");
    const std::string below = text.substr(axis, text.find('\n', axis) - axis);
    const auto width = static_cast<double>(count_of(below, "─") + count_of(below, "┬"));
    EXPECT_NEAR(width, 2 * static_cast<double>(rows), 1) << text;
    EXPECT_EQ(text.find("\n−1 ["), text.npos) << text;  // all products are above 0
  }
}

// Of every segment of a curve of T5, one coordinate stays.
TEST_F(Tool, CurvesOfT5AreSteps) {
  output("show t5 --heads 1 --seed 3 --positions -9:10 --out t5.svg");
  const std::string svg = read("t5.svg");
  std::string longest;
  for (size_t at = 0; (at = svg.find(" d=\"M", at)) != svg.npos; ++at)
    if (const std::string path = svg.substr(at + 4, svg.find('"', at + 4) - at - 4);
        count_of(path, "L") > count_of(longest, "L"))
      longest = path;
  EXPECT_GT(count_of(longest, "L"), 20u) << svg;
  std::istringstream words(longest);
  std::string word;
  double x = 0, y = 0, new_x = 0, new_y = 0;
  for (words >> word >> x >> y; words >> word >> new_x >> new_y; x = new_x, y = new_y)
    EXPECT_TRUE(x == new_x || y == new_y) << longest;
}

}  // namespace
}  // namespace posenc::pictures_test
