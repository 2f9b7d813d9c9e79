#include <algorithm>
#include <array>

#include "draw/check.h"
#include "draw/screen.h"
#include "draw/text.h"

namespace posenc::draw {
namespace {

constexpr std::array<const char*, 12> symbols = {"•", "+", "×", "o", "*", "#",
                                                 "=", "%", "@", "&", "$", "~"};

// A point of the picture, 0 to 1 from left to right and from top to bottom.
struct ScreenPoint {
  double x, y;
};

// A grid of characters, each holding the dots of a curve: braille, or one symbol for the curve.
class Dots {
 public:
  Dots(int width, int height, bool braille)
      : width_(width),
        height_(height),
        across_(braille ? 2 : 1),
        down_(braille ? 4 : 1),
        marks_(static_cast<size_t>(width) * static_cast<size_t>(height)) {}

  void set(ScreenPoint p, size_t curve) {
    const int x = std::clamp(static_cast<int>(p.x * width_ * across_), 0, width_ * across_ - 1);
    const int y = std::clamp(static_cast<int>(p.y * height_ * down_), 0, height_ * down_ - 1);
    constexpr uint8_t bits[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    Mark& mark = marks_[index(x / across_, y / down_)];
    mark.bits |= bits[y % down_][x % across_];
    mark.curve = curve;
  }

  void join(ScreenPoint a, ScreenPoint b, size_t curve) {
    if (!clip(a, b)) return;
    // Half a dot at a time, so that rounding leaves no gap.
    const double dots =
        std::max(std::abs(b.x - a.x) * width_ * across_, std::abs(b.y - a.y) * height_ * down_);
    const int steps = static_cast<int>(2 * dots) + 1;
    for (int i = 0; i <= steps; ++i) {
      const double t = static_cast<double>(i) / steps;
      set({std::lerp(a.x, b.x, t), std::lerp(a.y, b.y, t)}, curve);
    }
  }

  std::string line(int y, Colour colour) const {
    std::string text;
    size_t last = none;
    for (int x = 0; x < width_; ++x) {
      const Mark& mark = marks_[index(x, y)];
      if (mark.curve != none && mark.curve != last) text += foreground(colour, shown(mark.curve));
      if (mark.curve != none) last = mark.curve;
      text += mark.curve == none ? " " : down_ == 4 ? braille(mark.bits) : symbol(mark.curve);
    }
    return text;
  }

  // Lighter than on paper, to be seen on black and on white.
  static Rgb shown(size_t curve) { return mix(curve_colour(curve), white, 0.2); }
  static std::string symbol(size_t curve) { return symbols[curve % symbols.size()]; }

 private:
  size_t index(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
  }
  static constexpr size_t none = static_cast<size_t>(-1);
  struct Mark {
    uint8_t bits = 0;
    size_t curve = none;
  };

  // U+2800 + bits
  static std::string braille(uint8_t bits) {
    return {'\xE2', static_cast<char>(0xA0 | bits >> 6), static_cast<char>(0x80 | (bits & 63))};
  }

  // Shortens a line to its part inside; false when there is none (Liang & Barsky, 1984).
  static bool clip(ScreenPoint& a, ScreenPoint& b) {
    double from = 0, to = 1;
    const double dx = b.x - a.x, dy = b.y - a.y;
    const double edges[4][2] = {{-dx, a.x}, {dx, 1 - a.x}, {-dy, a.y}, {dy, 1 - a.y}};
    for (const auto& [speed, room] : edges) {
      if (speed == 0 && room < 0) return false;
      if (speed < 0) from = std::max(from, room / speed);
      if (speed > 0) to = std::min(to, room / speed);
    }
    const ScreenPoint start = a;
    a = {start.x + from * dx, start.y + from * dy};
    b = {start.x + to * dx, start.y + to * dy};
    return from <= to;
  }

  int width_, height_, across_, down_;
  std::vector<Mark> marks_;
};

void draw_curve(Dots& dots, const Screen& screen, const Lines& lines, size_t i) {
  const Curve& curve = lines.curves[i];
  ScreenPoint before{NAN, NAN};
  for (size_t k = 0; k < curve.x.size(); ++k) {
    const ScreenPoint here{screen.x.at(curve.x[k]), 1 - screen.y.at(curve.y[k])};
    const bool start = !lines.joined || std::isnan(before.x + before.y);
    if (!std::isnan(here.x + here.y)) dots.join(start ? here : before, here, i);
    before = here;
  }
}

// Names of the curves behind their symbols, in as many lines as they need.
std::vector<std::string> make_legend(const Lines& lines, int columns, int most, Colour colour) {
  std::vector<std::string> legend;
  int used = 0;
  const bool several = lines.curves.size() > 1;
  for (size_t i = 0; i < lines.curves.size(); ++i) {
    const std::string label = cut_to(clean(lines.curves[i].label), columns - 2);
    if (label.empty()) continue;
    const int size = cells(label) + 2;
    if (legend.empty() || used + 3 + size > columns) {
      if (static_cast<int>(legend.size()) == most) {
        if (used + 2 <= columns) legend.back() += " …";
        break;
      }
      legend.emplace_back();
      used = 0;
    }
    const std::string mark = colour == Colour::none && several ? Dots::symbol(i) : "━";
    std::string& line = legend.back();
    line.append(used > 0 ? "   " : "").append(foreground(colour, Dots::shown(i))).append(mark);
    line.append(plain(colour)).append(" ").append(label);
    used += (used > 0 ? 3 : 0) + size;
  }
  return legend;
}

}  // namespace

std::string terminal_lines(const Lines& lines, int columns, int rows, Colour colour) {
  constexpr std::string_view where = "terminal_lines";
  check(where, lines);
  Range x, y;
  for (const Curve& curve : lines.curves) {
    x.add(curve.x, lines.x.log);
    y.add(curve.y, lines.y.log);
  }
  Screen screen{columns,
                rows,
                colour,
                clean(lines.title),
                clean(lines.note),
                make_ruler(where, lines.x, x, 0),
                make_ruler(where, lines.y, y, 0.04)};
  screen.footer = make_legend(lines, columns, std::max(1, rows / 6), colour);
  arrange(where, screen);
  Dots dots(screen.width, screen.height, colour != Colour::none || lines.curves.size() == 1);
  for (size_t i = 0; i < lines.curves.size(); ++i) draw_curve(dots, screen, lines, i);
  std::vector<std::string> data;
  data.reserve(static_cast<size_t>(screen.height));
  for (int i = 0; i < screen.height; ++i) data.push_back(dots.line(i, colour));
  return assemble(screen, data);
}

}  // namespace posenc::draw
