#include <algorithm>
#include <array>
#include <utility>

#include "draw/check.h"
#include "draw/grid.h"
#include "draw/screen.h"
#include "draw/text.h"

namespace posenc::draw {
namespace {

constexpr std::array<const char*, 5> shades = {" ", "░", "▒", "▓", "█"};

std::string shade(const ColourScale& scale, double value) {
  if (!drawable(value)) return "·";
  const double t = std::clamp((value - scale.low) / (scale.high - scale.low), 0.0, 1.0);
  return shades[std::min(static_cast<size_t>(t * shades.size()), shades.size() - 1)];
}

int cell_rows(const Screen& screen) {
  return screen.colour == Colour::none ? screen.height : 2 * screen.height;
}

// Colour codes for two cells and the half block that shows both, without repeating codes.
class HalfBlocks {
 public:
  explicit HalfBlocks(Colour colour) : colour_(colour) {}
  void add(Rgb top, Rgb bottom) {
    const bool first = text_.empty();
    if (first || top != top_) text_ += foreground(colour_, top);
    if (first || bottom != bottom_) text_ += background(colour_, bottom);
    text_ += "▀";
    top_ = top;
    bottom_ = bottom;
  }
  std::string take() { return std::exchange(text_, ""); }

 private:
  Colour colour_;
  std::string text_;
  Rgb top_{}, bottom_{};
};

std::vector<std::string> data_lines(const Screen& screen, const Grid& grid,
                                    const ColourScale& scale) {
  std::vector<std::string> lines;
  HalfBlocks blocks(screen.colour);
  for (int line = 0; line < screen.height; ++line) {
    std::string shaded;
    for (int x = 0; x < screen.width; ++x) {
      const int height = cell_rows(screen);
      const auto value = [&](int y) { return grid.at(y, x, height, screen.width); };
      if (screen.colour != Colour::none)
        blocks.add(scale(value(2 * line)), scale(value(2 * line + 1)));
      else
        shaded += shade(scale, value(line));
    }
    lines.push_back(blocks.take() + shaded);
  }
  return lines;
}

// "−1 [ ░▒▓█] 1  label  · missing"
std::string make_key(const Screen& screen, const Grid& grid, const ColourScale& scale,
                     const std::string& label) {
  const bool coloured = screen.colour != Colour::none;
  const int size = coloured && screen.columns >= 60 ? 20 : 10;
  HalfBlocks blocks(screen.colour);
  std::string shaded = "[";
  for (int i = 0; i < size; ++i) {
    const double value = std::lerp(scale.low, scale.high, (i + 0.5) / size);
    blocks.add(scale(value), scale(value));
    shaded += shade(scale, value);
  }
  const std::string low = compact(scale.low), high = compact(scale.high);
  const std::string bar = coloured ? blocks.take() + plain(screen.colour) : shaded + "]";
  const std::string gap =
      coloured ? foreground(screen.colour, missing) + "█" + plain(screen.colour) : "·";
  int room = screen.columns - cells(low) - cells(high) - size - (coloured ? 2 : 4);
  const bool tell = room >= 11 && !grid.complete();
  if (tell) room -= 11;
  const std::string named = label.empty() ? "" : cut_to("  " + label, room);
  return low + " " + bar + " " + high + named + (tell ? "  " + gap + " missing" : "");
}

}  // namespace

std::string terminal_heatmap(const Heatmap& map, int columns, int rows, Colour colour) {
  constexpr std::string_view where = "terminal_heatmap";
  check(where, map);
  const Range ends = colour_ends(map);
  const ColourScale scale{ends.low, ends.high};
  Screen screen{columns,
                rows,
                colour,
                clean(map.title),
                clean(map.note),
                make_cell_ruler(where, map.x, map.cols),
                make_cell_ruler(where, map.y, map.rows),
                true,
                aspect_of(map),
                {""}};
  arrange(where, screen);
  const Grid grid = average(map, cell_rows(screen), screen.width);
  screen.footer = {make_key(screen, grid, scale, clean(map.scale_label))};
  return assemble(screen, data_lines(screen, grid, scale));
}

}  // namespace posenc::draw
