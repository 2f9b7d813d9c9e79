// image_axes.cc: text with images on axes of their own.
#include "posenc/positions/image_axes.h"

#include <numeric>

#include "positions/walk.h"

namespace posenc {
namespace {

using namespace planning;

constexpr const char* axes_verb = "image_axes";

// Tokens of an image: a row of the grid ends in one more, and one stands before and after all.
struct Pooled {
  int64_t height, width;
  int64_t patches() const {
    return product(axes_verb, "tokens", height, sum(axes_verb, "tokens", width, 1));
  }
  int64_t tokens() const { return sum(axes_verb, "tokens", patches(), 2); }
};

Pooled pooled(const Segment& s, const ImageAxes& rule) {
  if (s.medium != Medium::image)
    fail(axes_verb, "expected text and images, got a segment of ", enum_name(s.medium));
  for (int64_t side : {s.height, s.width})
    if (side < 0 || side % rule.spatial_merge != 0)
      fail(axes_verb, "expected sides divisible by ", rule.spatial_merge, ", got ", side);
  return {s.height / rule.spatial_merge, s.width / rule.spatial_merge};
}

int64_t tokens_of(const Segment& s, const ImageAxes& rule) {
  return s.medium == Medium::text ? segment_tokens(s) : pooled(s, rule).tokens();
}

// Writes the last three axes of an image's patches, which begin at token `first`.
void put_image(const Pooled& image, int64_t number, int64_t first, PlannedPositions& out) {
  for (int64_t i = 0; i < image.patches(); ++i) {
    const int64_t values[] = {i % (image.width + 1), i / (image.width + 1), number};
    for (int64_t axis = 0; axis < 3; ++axis)
      out.ids[static_cast<size_t>((out.axes - 3 + axis) * out.tokens + first + i)] = values[axis];
  }
}

}  // namespace

SegmentPositions image_axes(std::span<const Segment> list, const ImageAxes& rule) {
  check_at_least(axes_verb, "axes", rule.axes, 3);
  check_at_least(axes_verb, "spatial_merge", rule.spatial_merge, 1);
  check_at_least(axes_verb, "first_image", rule.first_image, 0);
  int64_t tokens = 0;
  for (const Segment& s : list) tokens = sum(axes_verb, "tokens", tokens, tokens_of(s, rule));
  PlannedPositions out = make<int64_t>(axes_verb, rule.axes, 1, tokens);
  for (int64_t axis = 0; axis < rule.axes; ++axis)
    std::iota(out.ids.begin() + axis * tokens, out.ids.begin() + (axis + 1) * tokens, int64_t{0});
  int64_t at = 0, number = rule.first_image;
  for (const Segment& s : list) {
    if (s.medium == Medium::image) {
      put_image(pooled(s, rule), number, at + 1, out);
      number = sum(axes_verb, "positions", number, 1);
    }
    at += tokens_of(s, rule);
  }
  int64_t largest = -1;
  for (int64_t id : out.ids) largest = std::max(largest, id);
  return {std::move(out), sum(axes_verb, "positions", largest, 1) - tokens, tokens};
}

}  // namespace posenc
