// picture_output.cc: where a picture goes.
#include "cli/show/picture_output.h"

#include <algorithm>

#include "cli/console.h"
#include "cli/error.h"
#include "model/output.h"
#include "posenc/field.h"

namespace posenc::cli {
namespace {

PictureSize read_size(const std::string& text, PictureSize usual) {
  if (text.empty()) return usual;
  const size_t cross = text.find('x');
  if (cross == text.npos) refuse("expected --size as WIDTHxHEIGHT, such as 1200x800, got ", text);
  return as_usage_error([&] {
    int64_t width = 0, height = 0;
    text::read("the width", std::string_view(text).substr(0, cross), width);
    text::read("the height", std::string_view(text).substr(cross + 1), height);
    for (const int64_t size : {width, height})
      if (size < 1 || size > 1 << 20)
        refuse("expected --size as WIDTHxHEIGHT, such as 1200x800, got ", text);
    return PictureSize{static_cast<int>(width), static_cast<int>(height)};
  });
}

struct InTerminal {
  int width, height;
  draw::Colour colour;
  std::string operator()(const draw::Heatmap& p) const {
    return terminal_heatmap(p, width, height, colour);
  }
  std::string operator()(const draw::Lines& p) const {
    return terminal_lines(p, width, height, colour);
  }
  std::string operator()(const draw::Network& p) const {
    return terminal_network(p, width, height, colour);
  }
};

void draw_in_terminal(const draw::Plot& plot, const std::string& typed_size) {
  const Size room = console_size();
  const auto [width, height] =
      read_size(typed_size, {std::min(room.columns, 120), std::clamp(room.rows - 1, 10, 36)});
  const InTerminal draw{width, height, console_colour()};
  print(as_usage_error([&] { return std::visit(draw, plot); }));
}

}  // namespace

void check_picture(const std::string& out, std::string_view option) {
  if (!out.empty() && !out.ends_with(".png") && !out.ends_with(".svg"))
    refuse("expected ", option, " with the extension .png or .svg, got ", out);
}

void write_picture(const draw::Plot& plot, const std::string& out, const std::string& size,
                   PictureSize usual) {
  if (out.empty()) return draw_in_terminal(plot, size);
  const auto [width, height] = read_size(size, usual);
  atomic_write(out, as_usage_error([&, w = width, h = height] {
                 return out.ends_with(".png") ? to_png(plot, w, h) : to_svg(plot, w, h);
               }));
}

}  // namespace posenc::cli
