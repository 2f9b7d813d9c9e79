// slices.cc: images on a canvas, small as a whole and large in slices.
#include "posenc/positions/slices.h"

#include <cmath>

#include "positions/walk.h"

namespace posenc {
namespace {

using namespace planning;

constexpr const char* sliced_verb = "sliced";

struct SliceSides {
  int64_t height, width;
  int64_t area() const { return product(sliced_verb, "tokens", height, width); }
};

// An image in tokens.
struct Canvas {
  SliceSides copy, slice;
  int64_t rows, columns, newlines;

  SliceSides sides() const {
    return rows > 0 ? SliceSides{product(sliced_verb, "sides", rows, slice.height),
                                 product(sliced_verb, "sides", columns, slice.width)}
                    : copy;
  }
  int64_t tokens() const {
    const int64_t each = sum(sliced_verb, "tokens", slice.area(), 2);
    const int64_t all =
        product(sliced_verb, "tokens", product(sliced_verb, "slices", rows, columns), each);
    const int64_t marks = 2 + std::max<int64_t>(rows - 1, 0);
    return sum(sliced_verb, "tokens", sum(sliced_verb, "tokens", copy.area(), all),
               sum(sliced_verb, "tokens", marks, newlines));
  }
};

Canvas canvas_of(const SlicedImage& image, int64_t merge) {
  const int64_t sizes[] = {image.text,    image.height,       image.width,       image.rows,
                           image.columns, image.slice_height, image.slice_width, image.newlines};
  for (int64_t size : sizes) check_at_least(sliced_verb, "sizes", size, 0);
  if ((image.rows == 0) != (image.columns == 0))
    fail(sliced_verb, "expected rows and columns of slices, or none, got ", image.rows, " and ",
         image.columns);
  return {{image.height / merge, image.width / merge},
          {image.slice_height / merge, image.slice_width / merge},
          image.rows,
          image.columns,
          image.newlines};
}

// torch.linspace(0, last, count) in f32, then to the nearest whole number, halves to even ones.
int64_t stretched(int64_t i, int64_t count, int64_t last) {
  if (count == 1) return 0;
  const auto end = static_cast<float>(last);
  const volatile float step = end / static_cast<float>(count - 1);
  const bool second = i >= count / 2;
  const volatile float part = step * static_cast<float>(second ? count - 1 - i : i);
  return static_cast<int64_t>(std::nearbyint(second ? end - part : part));
}

class Painter {
 public:
  explicit Painter(int64_t tokens) : out_(make<int64_t>(sliced_verb, 3, 1, tokens)) {}

  void text(int64_t tokens) {
    for (int64_t i = 0; i < tokens; ++i) put(i, i, i);
    origin_ = sum(sliced_verb, "positions", origin_, tokens);
  }

  void image(const Canvas& c) {
    const auto [height, width] = c.sides();
    sum(sliced_verb, "positions", origin_,
        sum(sliced_verb, "positions", std::max(height, width), 1));
    const int64_t before = origin_ > 0 ? -1 : 0;
    put(0, before, before);
    for (int64_t y = 0; y < c.copy.height; ++y)
      for (int64_t x = 0; x < c.copy.width; ++x)
        put(0, stretched(y, c.copy.height, height - 1), stretched(x, c.copy.width, width - 1));
    put(0, height, width);
    for (int64_t row = 0; row < c.rows; ++row) {
      for (int64_t column = 0; column < c.columns; ++column)
        slice(c.slice, row * c.slice.height, column * c.slice.width);
      if (row + 1 < c.rows) put(0, (row + 1) * c.slice.height - 1, width);
    }
    for (int64_t i = 0; i < c.newlines; ++i) put(0, 0, 0);
    origin_ += std::max(height, width) + 1;
  }

  SegmentPositions result() && {
    const int64_t tokens = out_.tokens, delta = tokens ? largest_ + 1 - tokens : 0;
    return {std::move(out_), delta, origin_};
  }

 private:
  void slice(const SliceSides& size, int64_t top, int64_t left) {
    put(0, top, left);
    for (int64_t y = 0; y < size.height; ++y)
      for (int64_t x = 0; x < size.width; ++x) put(0, top + y, left + x);
    put(0, top + size.height - 1, left + size.width - 1);
  }

  // From the origin.
  void put(int64_t t, int64_t h, int64_t w) {
    const int64_t values[] = {t, h, w};
    for (int64_t axis = 0; axis < 3; ++axis) {
      const int64_t p = sum(sliced_verb, "positions", origin_, values[axis]);
      out_.ids[static_cast<size_t>(axis * out_.tokens + at_)] = p;
      largest_ = std::max(largest_, p);
    }
    ++at_;
  }

  PlannedPositions out_;
  int64_t origin_ = 0, largest_ = 0, at_ = 0;
};

}  // namespace

SegmentPositions sliced(std::span<const SlicedImage> images, int64_t after, int64_t merge) {
  check_at_least(sliced_verb, "merge", merge, 1);
  check_at_least(sliced_verb, "text tokens", after, 0);
  int64_t tokens = after;
  for (const SlicedImage& image : images)
    tokens = sum(sliced_verb, "tokens", tokens,
                 sum(sliced_verb, "tokens", image.text, canvas_of(image, merge).tokens()));
  Painter painter(tokens);
  for (const SlicedImage& image : images)
    painter.text(image.text), painter.image(canvas_of(image, merge));
  painter.text(after);
  return std::move(painter).result();
}

}  // namespace posenc
