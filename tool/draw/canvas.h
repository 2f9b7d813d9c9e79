// canvas.h: the few things a plot draws with, on top of a cairo surface.
//
// Lengths are in units of a picture of about 800 x 500, so that text grows with the picture.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "draw/colour.h"

typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;

namespace posenc::draw {

struct Point {
  double x, y;
};

struct Box {
  double x, y, width, height;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

struct Font {
  double size;
  Rgb colour = ink;
  bool bold = false;
};

struct Pen {
  Rgb colour;
  double width = 1;
  bool dashed = false;
};

enum class Align { left, centre, right };

struct Image {
  int width, height;
  std::vector<Rgb> pixels;  // [height, width]
};

class Canvas {
 public:
  // A white canvas on a surface of width x height pixels, which it keeps alive.
  Canvas(cairo_surface_t* surface, int width, int height);

  double width() const { return width_; }
  double height() const { return height_; }
  std::string error() const;  // empty when everything could be drawn

  double text_width(const std::string& text, const Font& font);
  void text(const std::string& text, Point baseline, const Font& font, Align align = Align::left);
  void text_upwards(const std::string& text, Point baseline_middle, const Font& font);

  // Lines along the pixels are drawn sharp.
  void line(Point a, Point b, const Pen& pen);
  void path(std::span<const Point> points, const Pen& pen);
  void dot(Point middle, double radius, Rgb colour);
  void fill(const Box& box, Rgb colour);
  void frame(const Box& box, const Pen& pen);

  // The box moved to whole pixels, and an empty image with just as many.
  Box snapped(const Box& box) const;
  Image image_for(const Box& box) const;
  void paint(const Image& image, Point corner);

  // Only what is inside the box is drawn until the box is given back.
  void clip(const Box& box);
  void unclip();

 private:
  void use(const Pen& pen);
  void use(const Font& font);
  double snapped(double length) const;

  std::shared_ptr<cairo_t> cairo_;
  double unit_, width_, height_;
};

}  // namespace posenc::draw
