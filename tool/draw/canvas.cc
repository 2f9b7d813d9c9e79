#include "draw/canvas.h"

#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace posenc::draw {
namespace {

void use_colour(cairo_t* cairo, Rgb c) {
  cairo_set_source_rgb(cairo, c.r / 255.0, c.g / 255.0, c.b / 255.0);
}

// The same letters at the same places in every kind of picture.
void use_plain_letters(cairo_t* cairo) {
  const std::unique_ptr<cairo_font_options_t, void (*)(cairo_font_options_t*)> options(
      cairo_font_options_create(), cairo_font_options_destroy);
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(cairo, options.get());
}

}  // namespace

Canvas::Canvas(cairo_surface_t* surface, int width, int height)
    : cairo_(cairo_create(surface), cairo_destroy),
      unit_(std::max(0.5, std::min(width / 800.0, height / 500.0))),
      width_(width / unit_),
      height_(height / unit_) {
  cairo_scale(cairo_.get(), unit_, unit_);
  use_colour(cairo_.get(), white);
  cairo_paint(cairo_.get());
  use_plain_letters(cairo_.get());
  cairo_set_line_join(cairo_.get(), CAIRO_LINE_JOIN_ROUND);
}

std::string Canvas::error() const {
  const cairo_status_t status = cairo_status(cairo_.get());
  return status == CAIRO_STATUS_SUCCESS ? "" : cairo_status_to_string(status);
}

void Canvas::use(const Pen& pen) {
  use_colour(cairo_.get(), pen.colour);
  cairo_set_line_width(cairo_.get(), pen.width);
  const double dashes[] = {5 * pen.width / 2, 2 * pen.width};
  cairo_set_dash(cairo_.get(), dashes, pen.dashed ? 2 : 0, 0);
}

void Canvas::use(const Font& font) {
  use_colour(cairo_.get(), font.colour);
  cairo_select_font_face(cairo_.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo_.get(), font.size);
}

double Canvas::text_width(const std::string& text, const Font& font) {
  use(font);
  cairo_text_extents_t extents;
  cairo_text_extents(cairo_.get(), text.c_str(), &extents);
  return extents.x_advance;
}

void Canvas::text(const std::string& text, Point baseline, const Font& font, Align align) {
  const double part = align == Align::left ? 0 : align == Align::centre ? 0.5 : 1;
  const double left = baseline.x - part * text_width(text, font);
  cairo_move_to(cairo_.get(), left, baseline.y);
  cairo_show_text(cairo_.get(), text.c_str());
  cairo_new_path(cairo_.get());
}

void Canvas::text_upwards(const std::string& text, Point baseline_middle, const Font& font) {
  cairo_save(cairo_.get());
  cairo_translate(cairo_.get(), baseline_middle.x, baseline_middle.y);
  cairo_rotate(cairo_.get(), -std::numbers::pi / 2);
  this->text(text, {0, 0}, font, Align::centre);
  cairo_restore(cairo_.get());
}

double Canvas::snapped(double length) const { return std::round(length * unit_) / unit_; }

Box Canvas::snapped(const Box& box) const {
  const double x = snapped(box.x), y = snapped(box.y), pixel = 1 / unit_;
  return {x, y, std::max(pixel, snapped(box.right()) - x),
          std::max(pixel, snapped(box.bottom()) - y)};
}

void Canvas::line(Point a, Point b, const Pen& pen) {
  // An odd number of pixels is centred on a pixel, an even number on a border.
  const double pixels = std::max(1.0, std::round(pen.width * unit_));
  const double shift = std::fmod(pixels, 2) / (2 * unit_);
  use(Pen{pen.colour, pixels / unit_, pen.dashed});
  cairo_move_to(cairo_.get(), snapped(a.x) + shift, snapped(a.y) + shift);
  cairo_line_to(cairo_.get(), snapped(b.x) + shift, snapped(b.y) + shift);
  cairo_stroke(cairo_.get());
}

void Canvas::frame(const Box& box, const Pen& pen) {
  const Point corners[] = {{box.x, box.y},
                           {box.right(), box.y},
                           {box.right(), box.bottom()},
                           {box.x, box.bottom()},
                           {box.x, box.y}};
  for (int i = 0; i < 4; ++i) line(corners[i], corners[i + 1], pen);
}

void Canvas::path(std::span<const Point> points, const Pen& pen) {
  use(pen);
  for (const Point& p : points) cairo_line_to(cairo_.get(), p.x, p.y);
  cairo_stroke(cairo_.get());
}

void Canvas::dot(Point middle, double radius, Rgb colour) {
  use_colour(cairo_.get(), colour);
  cairo_arc(cairo_.get(), middle.x, middle.y, radius, 0, 2 * std::numbers::pi);
  cairo_fill(cairo_.get());
}

void Canvas::fill(const Box& box, Rgb colour) {
  use_colour(cairo_.get(), colour);
  cairo_rectangle(cairo_.get(), box.x, box.y, box.width, box.height);
  cairo_fill(cairo_.get());
}

Image Canvas::image_for(const Box& box) const {
  const int width = static_cast<int>(std::lround(box.width * unit_));
  const int height = static_cast<int>(std::lround(box.height * unit_));
  return {width, height,
          std::vector<Rgb>(static_cast<size_t>(width) * static_cast<size_t>(height))};
}

void Canvas::paint(const Image& image, Point corner) {
  const std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, image.width, image.height),
      cairo_surface_destroy);
  if (unsigned char* const bytes = cairo_image_surface_get_data(surface.get())) {
    const int stride = cairo_image_surface_get_stride(surface.get());
    const Rgb* pixel = image.pixels.data();
    for (int y = 0; y < image.height; ++y) {
      auto* const row = reinterpret_cast<uint32_t*>(bytes + int64_t{y} * stride);
      for (int x = 0; x < image.width; ++x, ++pixel)
        row[x] = uint32_t{pixel->r} << 16 | uint32_t{pixel->g} << 8 | pixel->b;
    }
    cairo_surface_mark_dirty(surface.get());
  }
  cairo_save(cairo_.get());
  cairo_translate(cairo_.get(), corner.x, corner.y);
  cairo_scale(cairo_.get(), 1 / unit_, 1 / unit_);
  cairo_set_source_surface(cairo_.get(), surface.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo_.get()), CAIRO_FILTER_NEAREST);
  cairo_paint(cairo_.get());
  cairo_restore(cairo_.get());
}

void Canvas::clip(const Box& box) {
  cairo_save(cairo_.get());
  cairo_rectangle(cairo_.get(), box.x, box.y, box.width, box.height);
  cairo_clip(cairo_.get());
}

void Canvas::unclip() { cairo_restore(cairo_.get()); }

}  // namespace posenc::draw
