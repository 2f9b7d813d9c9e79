// coordinates.cc: the place of each patch on its side, then all pairs of places.
#include "posenc/positions/coordinates.h"

#include <algorithm>

#include "base/bits.h"
#include "frequencies/f32.h"
#include "positions/planning.h"

namespace posenc {
namespace {

using namespace planning;

struct TwoSides {
  int64_t own, other;
  std::optional<double> reference{};
};

void check_scale(const std::optional<double>& reference) {
  if (reference && !(is_finite(*reference) && *reference > 0))
    fail("coordinates", "expected a reference side above 0, got ", *reference);
}

// Real is double, or F32 for places rounded at every step.
template <class Real>
Real rescaled(Real place, const TwoSides& sides) {
  return sides.reference ? place / Real(static_cast<double>(sides.own)) * Real(*sides.reference)
                         : place;
}

template <class Real>
Real place(const Linspace&, int64_t i, const TwoSides& sides) {
  if constexpr (std::is_same_v<Real, F32>) {
    return rescaled(linspace(F32(-1), F32(1), i, sides.own), sides);
  } else {
    const auto steps = static_cast<double>(std::max<int64_t>(sides.own - 1, 1));
    return rescaled(2 * static_cast<double>(i) / steps - 1, sides);
  }
}

template <class Real>
Real place(const Indices& rule, int64_t i, const TwoSides& sides) {
  return rescaled(Real(static_cast<double>(i)) + Real(rule.offset), sides);
}

template <class Real>
Real place(const Centers& rule, int64_t i, const TwoSides& sides) {
  const int64_t side = rule.normalize == SideRule::separate ? sides.own
                       : rule.normalize == SideRule::min    ? std::min(sides.own, sides.other)
                                                            : std::max(sides.own, sides.other);
  const Real center = Real(static_cast<double>(i) + 0.5) + Real(rule.offset);
  return Real(2) * center / Real(static_cast<double>(side)) - Real(1);
}

std::vector<double> places(const CoordinateGrid& grid, const TwoSides& sides) {
  std::vector<double> out;
  for (int64_t i = 0; i < sides.own; ++i)
    out.push_back(std::visit(
        [&](const auto& r) {
          return grid.f32 ? place<F32>(r, i, sides).value() : place<double>(r, i, sides);
        },
        grid.rule));
  return out;
}

template <class Rule>
std::pair<std::optional<double>, std::optional<double>> references(const Rule& rule) {
  if constexpr (requires { rule.reference_height; }) {
    check_scale(rule.reference_height), check_scale(rule.reference_width);
    return {rule.reference_height, rule.reference_width};
  } else {
    return {};
  }
}

void check(const CoordinateGrid& grid) {
  check_choices("coordinates", grid.rule);
  check_choices("coordinates", grid.order, "order");
  check_at_least("coordinates", "height", grid.height, 0);
  check_at_least("coordinates", "width", grid.width, 0);
  std::visit(
      [](const auto& rule) {
        if constexpr (requires { rule.offset; })
          if (!is_finite(rule.offset))
            fail("coordinates", "expected a finite offset, got ", rule.offset);
      },
      grid.rule);
}

}  // namespace

Fields Linspace::fields() {
  using S = Linspace;
  return {{"reference_height", &S::reference_height, "height of the pretraining grid"},
          {"reference_width", &S::reference_width, "width of the pretraining grid"}};
}

Fields Indices::fields() {
  using S = Indices;
  return {{"offset", &S::offset, "added to each index, in patches"},
          {"reference_height", &S::reference_height, "height of the pretraining grid"},
          {"reference_width", &S::reference_width, "width of the pretraining grid"}};
}

Fields Centers::fields() {
  using S = Centers;
  return {{"normalize", &S::normalize, "divide by the own, min or max side"},
          {"offset", &S::offset, "added to each index, in patches"}};
}

PlannedCoordinates coordinates(const CoordinateGrid& grid) {
  check(grid);
  const int64_t tokens = product("coordinates", "patches", grid.height, grid.width);
  const auto reference = std::visit([](const auto& r) { return references(r); }, grid.rule);
  auto out = make<double>("coordinates", 2, 1, tokens);
  if (tokens == 0) return out;
  const auto ys = places(grid, {grid.height, grid.width, reference.first});
  const auto xs = places(grid, {grid.width, grid.height, reference.second});
  const int64_t y_axis = grid.order == AxisOrder::yx ? 0 : tokens;
  size_t n = 0;
  for (double y : ys)
    for (double x : xs) {
      out.ids[static_cast<size_t>(y_axis) + n] = y;
      out.ids[static_cast<size_t>(tokens - y_axis) + n] = x;
      ++n;
    }
  return out;
}

}  // namespace posenc
