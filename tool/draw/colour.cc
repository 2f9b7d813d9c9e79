#include "draw/colour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "draw/axis.h"

namespace posenc::draw {
namespace {

constexpr int steps = 512;
using Ramp = std::array<Rgb, steps + 1>;

// Lightness, chroma and hue in degrees, in the Oklab colour space (Ottosson, 2020).
struct Lch {
  double lightness, chroma, hue;
};
struct Lab {
  double l, a, b;
};

constexpr Lch diverging[] = {{.38, .130, 262}, {.52, .140, 256}, {.69, .110, 248},
                             {.86, .058, 238}, {.98, .000, 0},   {.86, .066, 48},
                             {.69, .135, 38},  {.52, .165, 29},  {.38, .135, 22}};
constexpr Lch sequential[] = {{.98, .030, 105}, {.86, .090, 145}, {.72, .105, 180},
                              {.56, .100, 222}, {.41, .110, 262}, {.26, .080, 285}};

Lab to_lab(Lch c) {
  const double angle = c.hue * std::numbers::pi / 180;
  return {c.lightness, c.chroma * std::cos(angle), c.chroma * std::sin(angle)};
}

uint8_t to_byte(double linear) {
  const double v = std::clamp(linear, 0.0, 1.0);
  const double s = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
  return static_cast<uint8_t>(std::lround(255 * s));
}

Rgb to_rgb(Lab c) {
  const auto cube = [](double v) { return v * v * v; };
  const double l = cube(c.l + 0.3963377774 * c.a + 0.2158037573 * c.b);
  const double m = cube(c.l - 0.1055613458 * c.a - 0.0638541728 * c.b);
  const double s = cube(c.l - 0.0894841775 * c.a - 1.2914855480 * c.b);
  return {to_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          to_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          to_byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

double to_linear(uint8_t byte) {
  const double s = byte / 255.0;
  return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
}

Lab to_lab(Rgb c) {
  const double r = to_linear(c.r), g = to_linear(c.g), b = to_linear(c.b);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

// Colours 16 to 255: a cube of 6 x 6 x 6, then greys.
std::array<Lab, 240> make_ansi() {
  std::array<Lab, 240> colours;
  const auto level = [](int i) { return static_cast<uint8_t>(i == 0 ? 0 : 55 + 40 * i); };
  for (int i = 0; i < 216; ++i)
    colours[static_cast<size_t>(i)] = to_lab(Rgb{level(i / 36), level(i / 6 % 6), level(i % 6)});
  for (size_t i = 0; i < 24; ++i) {
    const auto grey = static_cast<uint8_t>(8 + 10 * i);
    colours[216 + i] = to_lab(Rgb{grey, grey, grey});
  }
  return colours;
}

Ramp make_ramp(std::span<const Lch> stops) {
  Ramp ramp;
  for (size_t i = 0; i < ramp.size(); ++i) {
    const double at = static_cast<double>(i * (stops.size() - 1)) / steps;
    const size_t k = std::min(static_cast<size_t>(at), stops.size() - 2);
    const Lab a = to_lab(stops[k]), b = to_lab(stops[k + 1]);
    const double t = at - static_cast<double>(k);
    ramp[i] = to_rgb({std::lerp(a.l, b.l, t), std::lerp(a.a, b.a, t), std::lerp(a.b, b.b, t)});
  }
  return ramp;
}

Rgb pick(const Ramp& ramp, double t) { return ramp[static_cast<size_t>(std::lround(t * steps))]; }

}  // namespace

Rgb ColourScale::operator()(double value) const {
  static const Ramp both = make_ramp(diverging), one = make_ramp(sequential);
  if (!drawable(value)) return missing;
  const double v = std::clamp(value, low, high);
  if (low < 0 && high > 0) return pick(both, 0.5 + 0.5 * v / std::max(-low, high));
  return pick(one, (v - low) / (high - low));
}

Rgb curve_colour(size_t i) {
  constexpr Rgb colours[curve_colours] = {{0, 98, 168},   {214, 84, 14}, {0, 148, 108},
                                          {168, 66, 140}, {222, 158, 0}, {80, 172, 224},
                                          {88, 88, 88}};
  return colours[i % curve_colours];
}

int nearest_ansi(Rgb colour) {
  static const auto colours = make_ansi();
  const Lab wanted = to_lab(colour);
  const auto distance = [&](const Lab& c) {
    return std::hypot(c.l - wanted.l, 2 * (c.a - wanted.a), 2 * (c.b - wanted.b));
  };
  const auto nearest = std::min_element(colours.begin(), colours.end(),
                                        [&](Lab a, Lab b) { return distance(a) < distance(b); });
  return 16 + static_cast<int>(nearest - colours.begin());
}

Rgb mix(Rgb a, Rgb b, double part) {
  const auto between = [part](uint8_t from, uint8_t to) {
    return static_cast<uint8_t>(std::lround(std::lerp(double(from), double(to), part)));
  };
  return {between(a.r, b.r), between(a.g, b.g), between(a.b, b.b)};
}

}  // namespace posenc::draw
