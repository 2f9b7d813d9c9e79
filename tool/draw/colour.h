// colour.h: colours that stay apart for colour-blind readers and grow evenly in lightness.
#pragma once

#include <cstddef>
#include <cstdint>

namespace posenc::draw {

struct Rgb {
  uint8_t r, g, b;
  bool operator==(const Rgb&) const = default;
};

inline constexpr Rgb white{255, 255, 255}, ink{34, 34, 34}, soft{102, 102, 102};
inline constexpr Rgb rule{150, 150, 150}, faint{230, 230, 230}, missing{184, 184, 184};

// The colour of a value between low and high: diverging with white at 0 and equal steps on both
// sides when low < 0 < high, otherwise light to dark. Values beyond the ends take the end's colour.
struct ColourScale {
  double low, high;
  Rgb operator()(double value) const;
};

// The colour of curve i; after `curve_colours` curves they repeat.
inline constexpr size_t curve_colours = 7;
Rgb curve_colour(size_t i);

// The colour closest to the eye among the 256 of a terminal.
int nearest_ansi(Rgb colour);

// part = 0 gives a, part = 1 gives b.
Rgb mix(Rgb a, Rgb b, double part);

}  // namespace posenc::draw
