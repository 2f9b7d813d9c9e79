#include "draw/terminal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "draw/axis.h"
#include "draw/text.h"
#include "draw/ticks.h"
#include "posenc/tensor.h"

namespace posenc::draw::terminal_test {
namespace {

// Rows from 0 to 1, with the first of them missing.
Heatmap make_map() {
  Heatmap map{.title = "Title", .note = "note", .x = {"x"}, .y = {"y"}, .rows = 4, .cols = 50};
  for (int i = 0; i < 200; ++i) map.values.push_back(i < 50 ? NAN : (i / 50) / 3.0);
  map.low = 0;
  map.scale_label = "value";
  return map;
}

Lines make_lines(size_t curves) {
  Lines lines{"Title", "note", {"x"}, {"y"}, {}};
  for (size_t i = 0; i < curves; ++i) {
    std::vector<double> x(100), y;
    std::iota(x.begin(), x.end(), 0);
    for (const double v : x) y.push_back(v * static_cast<double>(i + 1));
    lines.curves.push_back({"curve " + std::to_string(i), x, y});
  }
  return lines;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string without_codes(std::string text) {
  for (size_t at; (at = text.find('\x1b')) != text.npos;)
    text.erase(at, text.find('m', at) - at + 1);
  return text;
}

TEST(Terminal, HasTheRequestedSize) {
  for (const Colour colour : {Colour::none, Colour::ansi256, Colour::truecolour})
    for (const int rows : {10, 24, 61})
      for (const int columns : {40, 80, 200})
        for (const auto& text : {terminal_heatmap(make_map(), columns, rows, colour),
                                 terminal_lines(make_lines(1), columns, rows, colour),
                                 terminal_lines(make_lines(20), columns, rows, colour)}) {
          const auto lines = lines_of(text);
          EXPECT_EQ(static_cast<int>(lines.size()), rows);
          for (const auto& line : lines) EXPECT_LE(cells(without_codes(line)), columns) << line;
        }
}

TEST(Terminal, HasCodesOnlyWithColours) {
  for (const auto colour : {Colour::none, Colour::ansi256, Colour::truecolour}) {
    const bool coloured = colour != Colour::none;
    EXPECT_EQ(terminal_heatmap(make_map(), 80, 24, colour).find('\x1b') != std::string::npos,
              coloured);
    EXPECT_EQ(terminal_lines(make_lines(3), 80, 24, colour).find('\x1b') != std::string::npos,
              coloured);
  }
  EXPECT_NE(terminal_heatmap(make_map(), 80, 24, Colour::truecolour).find("[38;2;"),
            std::string::npos);
  EXPECT_NE(terminal_heatmap(make_map(), 80, 24, Colour::ansi256).find("[38;5;"),
            std::string::npos);
}

TEST(Terminal, ShadesRunDownTheHeatmap) {
  const auto lines = lines_of(terminal_heatmap(make_map(), 56, 24, Colour::none));
  EXPECT_EQ(lines[0], "Title");
  EXPECT_EQ(lines[2], "y");
  EXPECT_NE(lines[3].find("··"), std::string::npos);
  EXPECT_NE(lines[8].find("░░"), std::string::npos);
  EXPECT_NE(lines[12].find("▓▓"), std::string::npos);
  EXPECT_NE(lines[17].find("██"), std::string::npos);
  EXPECT_EQ(lines[23], "0 [  ░░▒▒▓▓██] 1  value  · missing");
}

TEST(Terminal, EveryColouredLineStandsAlone) {
  const std::string text = terminal_heatmap(make_map(), 56, 24, Colour::truecolour);
  for (const auto& line : lines_of(text)) {
    const size_t block = line.find("▀");
    if (block == line.npos) continue;
    EXPECT_LT(line.find("\x1b[48;2;"), block) << line;
  }
}

TEST(Terminal, CurveHasNoGaps) {
  const auto lines = lines_of(terminal_lines(make_lines(2), 79, 24, Colour::none));
  for (size_t i = 3; i < 19; ++i) EXPECT_NE(lines[i].find_first_of("+"), std::string::npos) << i;
}

TEST(Terminal, RefusesSizesWithoutRoom) {
  for (const int size : {-1, 0, 5, 1001}) {
    EXPECT_THROW(terminal_heatmap(make_map(), size, 24, Colour::none), Error);
    EXPECT_THROW(terminal_lines(make_lines(1), 80, size, Colour::none), Error);
  }
  EXPECT_THROW(terminal_lines(Lines{}, 80, 24, Colour::none), Error);
  EXPECT_THROW(terminal_heatmap(Heatmap{}, 80, 24, Colour::none), Error);
}

std::string labels(const Ruler& ruler, int most) {
  std::string text;
  for (const Tick& tick : make_ticks(ruler, most))
    if (!tick.label.empty()) text += (text.empty() ? "" : " ") + tick.label;
  return text;
}

TEST(Ticks, AreRoundNumbers) {
  EXPECT_EQ(labels({"", -1, 1}, 4), "−1.0 −0.5 0.0 0.5 1.0");
  EXPECT_EQ(labels({"", 0, 512}, 6), "0 100 200 300 400 500");
  EXPECT_EQ(labels({"", -0.5, 3.5, false, 1}, 9), "0 1 2 3");
  EXPECT_EQ(labels({"", 0, 2e-7}, 4), "0 0.5×10⁻⁷ 1.0×10⁻⁷ 1.5×10⁻⁷ 2.0×10⁻⁷");
  EXPECT_EQ(labels({"", 10, 0}, 2), "0 5 10");
}

TEST(Ticks, AreDecadesOnLogAxes) {
  EXPECT_EQ(labels({"", 1, 1e4, true}, 6), "1 10 100 1000 10000");
  EXPECT_EQ(labels({"", 1e-9, 1, true}, 5), "10⁻⁸ 10⁻⁶ 10⁻⁴ 10⁻² 10⁰");
  EXPECT_EQ(labels({"", 1, 30, true}, 6), "1 2 5 10 20");
  EXPECT_EQ(labels({"", 11, 13, true}, 4), "11.0 11.5 12.0 12.5 13.0");
}

TEST(Text, IsCleanedCutAndWrapped) {
  EXPECT_EQ(clean("a\tb\x1b\x7f\xc2\x85"
                  "c"),
            "a b   c");
  EXPECT_EQ(clean("é\xff\xe2\x82"), "é\uFFFD\uFFFD\uFFFD");
  const Fits five = [](const std::string& text) { return cells(text) <= 5; };
  EXPECT_EQ(cut("abcde", five), "abcde");
  EXPECT_EQ(cut("äbcdef", five), "äbcd…");
  EXPECT_EQ(wrap("ab cd ef gh ij", 2, five), (std::vector<std::string>{"ab cd", "ef g…"}));
  EXPECT_EQ(fixed(-0.001, 2), "0.00");
}

}  // namespace
}  // namespace posenc::draw::terminal_test
