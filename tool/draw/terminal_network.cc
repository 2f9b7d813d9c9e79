// terminal_network.cc: a network in characters: braille for links, circles for dots.
#include <cmath>

#include "draw/axis.h"
#include "draw/check.h"
#include "draw/screen.h"
#include "draw/text.h"

namespace posenc::draw {
namespace {

// Characters of the drawing; a dot covers what lies below it.
class Cells {
 public:
  Cells(int width, int height)
      : width_(width), height_(height), cells_(static_cast<size_t>(width * height)) {}

  // Places from 0 to 1, upwards.
  void dot(double x, double y, double value) {
    Cell& cell = at(column(x, width_), column(1 - y, height_));
    if (std::isnan(cell.value) || std::abs(value) > std::abs(cell.value)) cell.value = value;
  }
  void link(double x0, double y0, double x1, double y1) {
    const double size = std::max(std::abs(x1 - x0) * 2 * width_, std::abs(y1 - y0) * 4 * height_);
    const int steps = static_cast<int>(size) + 1;
    for (int i = 0; i <= steps; ++i) {
      const double t = static_cast<double>(i) / steps;
      const int x = column(std::lerp(x0, x1, t), 2 * width_);
      const int y = column(1 - std::lerp(y0, y1, t), 4 * height_);
      constexpr uint8_t bits[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
      at(x / 2, y / 4).bits |= bits[y % 4][x % 2];
    }
  }

  std::string line(int y, Colour colour, const ColourScale& scale) {
    std::string text;
    for (int x = 0; x < width_; ++x) {
      const Cell& cell = at(x, y);
      if (!std::isnan(cell.value)) {
        text += foreground(colour, scale(cell.value)) + (cell.value > 0 ? "●" : "○");
        text += plain(colour);
      } else {
        text += cell.bits == 0 ? " " : braille(cell.bits);
      }
    }
    return text;
  }

 private:
  struct Cell {
    uint8_t bits = 0;
    double value = NAN;
  };
  static int column(double part, int count) {
    return std::clamp(static_cast<int>(part * count), 0, count - 1);
  }
  static std::string braille(uint8_t bits) {  // U+2800 + bits
    return {'\xE2', static_cast<char>(0xA0 | bits >> 6), static_cast<char>(0x80 | (bits & 63))};
  }
  Cell& at(int x, int y) { return cells_[static_cast<size_t>(y * width_ + x)]; }

  int width_, height_;
  std::vector<Cell> cells_;
};

}  // namespace

std::string terminal_network(const Network& network, int columns, int rows, Colour colour) {
  constexpr std::string_view where = "terminal_network";
  check(where, network);
  check_between(where, "columns", columns, 40, 1000);
  check_between(where, "rows", rows, 10, 1000);
  Range across, up;
  across.add(network.x), up.add(network.y);
  const Ruler x = make_ruler(where, {}, across, 0.02), y = make_ruler(where, {}, up, 0.02);
  const Range ends = colour_ends(network);
  Cells cells(columns, rows - 2);
  for (const auto& [a, b] : network.links)
    cells.link(x.at(network.x[a]), y.at(network.y[a]), x.at(network.x[b]), y.at(network.y[b]));
  for (size_t i = 0; i < network.x.size(); ++i)
    cells.dot(x.at(network.x[i]), y.at(network.y[i]), network.values[i]);
  std::string out = cut_to(clean(network.title), columns) + "\n";
  for (int row = 0; row < rows - 2; ++row) {
    std::string line = cells.line(row, colour, {ends.low, ends.high});
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  const std::string scale =
      clean(network.scale_label) + ": ○ from " + compact(ends.low) + " to ● " + compact(ends.high);
  return out + cut_to(scale, columns) + "\n";
}

}  // namespace posenc::draw
