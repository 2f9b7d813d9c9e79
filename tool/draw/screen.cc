#include "draw/screen.h"

#include <algorithm>
#include <cmath>

#include "draw/check.h"
#include "draw/text.h"

namespace posenc::draw {
namespace {

std::string repeat(std::string_view part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

int gutter(const Screen& screen) {
  int width = 0;
  for (const Tick& tick : screen.y_ticks) width = std::max(width, cells(tick.label));
  return width + 2;  // a space and the axis
}

// Lines besides the data: title, note, y label, axis, numbers, x label, footer.
int extra_lines(const Screen& s) {
  const bool texts[] = {!s.title.empty(), !s.note.empty(), !s.y.label.empty(), !s.x.label.empty()};
  return static_cast<int>(std::count(std::begin(texts), std::end(texts), true)) + 2 +
         static_cast<int>(s.footer.size());
}

// The character a value on an axis of `length` characters falls on, or -1.
int place(const Ruler& ruler, double value, int length) {
  const double t = ruler.at(value);
  if (!(t > -1e-6 && t < 1 + 1e-6)) return -1;
  return std::clamp(static_cast<int>(t * length), 0, length - 1);
}

std::string styled(const Screen& screen, const char* code, const std::string& text) {
  const std::string shown = cut_to(text, screen.columns);
  return screen.colour == Colour::none ? shown : code + shown + plain(screen.colour);
}

// The y axis left of one line of the data.
std::string y_axis(const Screen& screen, int line) {
  for (const Tick& tick : screen.y_ticks) {
    const int at = place(screen.y, tick.value, screen.height);
    if (tick.label.empty() || at != (screen.downwards ? line : screen.height - 1 - line)) continue;
    return repeat(" ", gutter(screen) - 2 - cells(tick.label)) + tick.label + " ┤";
  }
  return repeat(" ", gutter(screen) - 1) + "│";
}

// The x axis and the numbers below it.
std::vector<std::string> x_axis(const Screen& screen) {
  std::vector<bool> marked(static_cast<size_t>(screen.width));
  std::string numbers;
  int used = 0;  // columns of `numbers`
  for (const Tick& tick : screen.x_ticks) {
    const int at = place(screen.x, tick.value, screen.width), size = cells(tick.label);
    const int start = std::min(gutter(screen) + at - size / 2, screen.columns - size);
    if (at < 0 || size == 0 || start < used + (used > 0)) continue;
    marked[static_cast<size_t>(at)] = true;
    numbers += repeat(" ", start - used) + tick.label;
    used = start + size;
  }
  std::string axis = repeat(" ", gutter(screen) - 1) + "└";
  for (const bool mark : marked) axis += mark ? "┬" : "─";
  return {axis, numbers};
}

std::string code(Colour colour, Rgb rgb, int layer) {
  if (colour == Colour::none) return "";
  const std::string start = "\x1b[" + std::to_string(layer);
  if (colour == Colour::truecolour)
    return start + ";2;" + std::to_string(rgb.r) + ";" + std::to_string(rgb.g) + ";" +
           std::to_string(rgb.b) + "m";
  return start + ";5;" + std::to_string(nearest_ansi(rgb)) + "m";
}

}  // namespace

void arrange(std::string_view where, Screen& screen) {
  check_between(where, "columns", screen.columns, 40, 1000);
  check_between(where, "rows", screen.rows, 10, 1000);
  screen.height = std::max(1, screen.rows - extra_lines(screen));
  screen.y_ticks = make_ticks(screen.y, std::max(2, screen.height / 3));
  screen.width = std::max(1, screen.columns - gutter(screen));
  if (screen.aspect > 0) {
    const auto fits = [](double size, int room) {
      return std::clamp(static_cast<int>(std::lround(size)), 1, room);
    };
    const int height = screen.height;
    screen.height = fits(screen.width / (2 * screen.aspect), height);
    screen.width = fits(2 * screen.aspect * height, screen.width);
    screen.y_ticks = make_ticks(screen.y, std::max(2, screen.height / 3));
  }
  screen.x_ticks = make_ticks(screen.x, std::max(2, screen.width / 10));
}

std::string assemble(const Screen& screen, const std::vector<std::string>& data) {
  std::vector<std::string> lines;
  if (!screen.title.empty()) lines.push_back(styled(screen, "\x1b[1m", screen.title));
  if (!screen.note.empty()) lines.push_back(styled(screen, "\x1b[2m", screen.note));
  if (!screen.y.label.empty()) lines.push_back(cut_to(screen.y.label, screen.columns));
  for (int i = 0; i < screen.height; ++i)
    lines.push_back(y_axis(screen, i) + data[static_cast<size_t>(i)] + plain(screen.colour));
  for (const auto& line : x_axis(screen)) lines.push_back(line);
  if (const std::string label = cut_to(screen.x.label, screen.width); !label.empty())
    lines.push_back(repeat(" ", gutter(screen) + (screen.width - cells(label)) / 2) + label);
  for (const auto& line : screen.footer) lines.push_back(line);
  std::string out;
  for (auto& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string foreground(Colour colour, Rgb rgb) { return code(colour, rgb, 38); }
std::string background(Colour colour, Rgb rgb) { return code(colour, rgb, 48); }
std::string plain(Colour colour) { return colour == Colour::none ? "" : "\x1b[0m"; }

std::string cut_to(const std::string& text, int columns) {
  return cut(text, [columns](const std::string& part) { return cells(part) <= columns; });
}

}  // namespace posenc::draw
