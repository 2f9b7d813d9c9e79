#include "draw/frame.h"

#include <algorithm>

#include "draw/text.h"

namespace posenc::draw {
namespace {

constexpr double margin = 18, tick_length = 5, gap = 6;
constexpr Font title_font{17, ink, true}, note_font{12, soft};

struct Header {
  std::vector<std::string> title, note;
  double bottom() const {
    const double text =
        22 * static_cast<double>(title.size()) + 17 * static_cast<double>(note.size());
    return text > 0 ? margin + text + 10 : margin;
  }
};

Header make_header(Canvas& canvas, const Frame& frame) {
  const auto lines = [&](const std::string& text, const Font& font) {
    return wrap(text, 2, [&](const std::string& part) {
      return canvas.text_width(part, font) <= canvas.width() - 2 * margin;
    });
  };
  return {lines(frame.title, title_font), lines(frame.note, note_font)};
}

// As many ticks as have room beside each other.
std::vector<Tick> ticks_across(Canvas& canvas, const Ruler& ruler, double length) {
  for (int most = std::max(2, static_cast<int>(length / 70));; --most) {
    auto ticks = make_ticks(ruler, most);
    const auto labels =
        std::count_if(ticks.begin(), ticks.end(), [](const Tick& t) { return !t.label.empty(); });
    const double needed = (widest(canvas, ticks) + 2 * gap) * static_cast<double>(labels);
    if (most <= 2 || needed <= length) return ticks;
  }
}

double below(const Frame& frame) {
  return margin + tick_length + 4 + tick_size + (frame.x.label.empty() ? 0 : label_size + 4);
}

}  // namespace

std::vector<Tick> ticks_upwards(const Ruler& ruler, double length) {
  return make_ticks(ruler, static_cast<int>(length / 42));
}

double widest(Canvas& canvas, const std::vector<Tick>& ticks) {
  double width = 0;
  for (const Tick& tick : ticks) width = std::max(width, canvas.text_width(tick.label, tick_font));
  return width;
}

std::string cut_to(Canvas& canvas, const std::string& text, const Font& font, double width) {
  return cut(text, [&](const std::string& part) { return canvas.text_width(part, font) <= width; });
}

void arrange(Canvas& canvas, Frame& frame, double right) {
  const double top = make_header(canvas, frame).bottom();
  const double height = std::max(1.0, canvas.height() - top - below(frame));
  frame.y_ticks = ticks_upwards(frame.y, height);
  const double left = margin + (frame.y.label.empty() ? 0 : label_size + 10) +
                      widest(canvas, frame.y_ticks) + gap + tick_length;
  const double room = std::max(1.0, canvas.width() - left - right - margin);
  const double width = frame.aspect > 0 ? std::min(room, frame.aspect * height) : room;
  const double used = frame.aspect > 0 ? width / frame.aspect : height;
  frame.area = canvas.snapped(Box{left, top, width, used});
  frame.x_ticks = ticks_across(canvas, frame.x, width);
}

void draw_header(Canvas& canvas, const Frame& frame) {
  const Header header = make_header(canvas, frame);
  double y = margin - 5;
  for (const auto& line : header.title) canvas.text(line, {margin, y += 22}, title_font);
  for (const auto& line : header.note) canvas.text(line, {margin, y += 17}, note_font);
}

void draw_axes(Canvas& canvas, const Frame& frame) {
  const Box& area = frame.area;
  const Pen pen{rule, 1};
  for (const Tick& tick : frame.x_ticks) {
    const double x = frame.x_of(tick.value), length = tick.label.empty() ? 3 : tick_length;
    canvas.line({x, area.bottom()}, {x, area.bottom() + length}, pen);
    canvas.text(tick.label, {x, area.bottom() + tick_length + 4 + 0.8 * tick_size}, tick_font,
                Align::centre);
  }
  for (const Tick& tick : frame.y_ticks) {
    const double y = frame.y_of(tick.value), length = tick.label.empty() ? 3 : tick_length;
    canvas.line({area.x - length, y}, {area.x, y}, pen);
    canvas.text(tick.label, {area.x - tick_length - gap / 2, y + 0.36 * tick_size}, tick_font,
                Align::right);
  }
  const Point middle{area.x + area.width / 2, area.y + area.height / 2};
  const double room = 2 * std::min(middle.x, canvas.width() - middle.x) - margin;
  const double bottom = frame.aspect > 0 ? area.bottom() + below(frame) : canvas.height();
  canvas.text(cut_to(canvas, frame.x.label, label_font, room), {middle.x, bottom - margin},
              label_font, Align::centre);
  canvas.text_upwards(cut_to(canvas, frame.y.label, label_font, area.height),
                      {margin + 0.8 * label_size, middle.y}, label_font);
}

}  // namespace posenc::draw
