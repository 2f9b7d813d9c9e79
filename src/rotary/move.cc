// move.cc: cached keys turned from one place and plan to another.
//
// A key stands at the angle was * w and should stand at is * w'. The difference is one more turn,
// by waves over the coordinates of both: w' on those of `is` and -w on those of `was`.
#include <algorithm>
#include <cmath>

#include "absolute/walk.h"
#include "base/check.h"
#include "base/dispatch.h"
#include "rotary/magnitudes.h"
#include "rotary/sides.h"

namespace posenc {
namespace {

bool same_angles(const RotaryPlan::Parts& a, const RotaryPlan::Parts& b) {
  const auto equal = [](const Frequency& f, const Frequency& g) {
    return f.turns == g.turns && f.hi == g.hi && f.lo == g.lo;
  };
  return std::equal(a.angles.begin(), a.angles.end(), b.angles.begin(), b.angles.end(),
                    [&](const auto& x, const auto& y) {
                      return std::equal(x.begin(), x.end(), y.begin(), y.end(), equal);
                    });
}

void check_plans(const RotaryPlan::Parts& from, const RotaryPlan::Parts& to) {
  const Rope &a = from.scheme, &b = to.scheme;
  const auto halves = [](const Rope& r) { return r.layout != Layout::interleaved; };
  if (a.dim != b.dim || a.turning() != b.turning() || a.first_feature() != b.first_feature() ||
      a.blocks != b.blocks || a.sign != b.sign || halves(a) != halves(b) ||
      a.rotary_heads != b.rotary_heads || a.first_head != b.first_head ||
      from.table.dim() != to.table.dim())
    fail("move", "expected plans that turn the same features of the same heads in the same layout");
  if (a.numerics != b.numerics)
    fail("move", "expected plans of the same numerics, got ", enum_name(a.numerics), " and ",
         enum_name(b.numerics));
  if (a.axis_count() + b.axis_count() > max_axes)
    fail("move", "expected at most ", max_axes, " axes of both plans together, got ",
         a.axis_count() + b.axis_count());
}

// The turn from one plan to the other: frequencies on the axes of `to`, then negative ones on
// those of `from`.
AbsolutePlan::Source difference(const RotaryPlan::Parts& from, const RotaryPlan::Parts& to) {
  auto angles = to.angles;
  for (size_t i = 0; i < angles.size(); ++i)
    for (const Frequency& f : from.angles[i]) angles[i].push_back(f * -1);
  Rope rope = to.scheme;
  rope.offset = 0, rope.frequencies = Powers{};  // positions come shifted, nothing is learned here
  return turning_source(angles, rope.pairs(), from.scheme.axis_count() + to.scheme.axis_count(),
                        to.cos_sin_factor / from.cos_sin_factor, rope);
}

void copy_axis(const cpu::Coordinates& from, int64_t axis, cpu::Coordinates& to, int64_t at) {
  std::copy_n(from.whole[axis], from.rows, to.whole[at]);
  std::copy_n(from.part[axis], from.rows, to.part[at]);
  std::copy_n(from.rest[axis], from.rows, to.rest[at]);
  std::copy_n(from.value[axis], from.rows, to.value[at]);
}

// Whether every token moves by the same whole steps, on every axis.
bool moves_as_one(const cpu::Coordinates& was, const cpu::Coordinates& is, int64_t axes) {
  for (int64_t a = 0; a < axes; ++a)
    for (int64_t t = 0; t < is.rows; ++t)
      if (is.part[a][t] != was.part[a][t] || is.rest[a][t] != was.rest[a][t] ||
          is.whole[a][t] - was.whole[a][t] != is.whole[a][0] - was.whole[a][0])
        return false;
  return true;
}

void set_step(cpu::Coordinates& at, int64_t axis, int64_t steps) {
  at.whole[axis][0] = steps, at.part[axis][0] = at.rest[axis][0] = 0;
  at.value[axis][0] = static_cast<double>(steps);
}

struct Mover {
  const RotaryPlan::Parts &from, &to;
  const Positions &was, &is;
  AbsolutePlan::Source source = difference(from, to);
  // One row does for all tokens that move alike.
  bool may_share = same_angles(from, to) && from.scheme.numerics != Numerics::torch_f32 &&
                   from.scheme.decay.index() == 0 && to.scheme.decay.index() == 0;

  // Fills the rows of one head for `count` tokens; whether one row serves all.
  bool fill(int64_t was_row, int64_t is_row, int64_t token, int64_t count, int64_t column,
            const cpu::Rows& tile) const {
    cpu::Coordinates before, after, both;
    locate(from.table.source(), was, was_row, token, count, before);
    locate(to.table.source(), is, is_row, token, count, after);
    const int64_t axes = to.scheme.axis_count();
    for (int64_t a = 0; a < axes; ++a) copy_axis(after, a, both, a);
    for (int64_t a = 0; a < from.scheme.axis_count(); ++a) copy_axis(before, a, both, axes + a);
    const bool one = may_share && moves_as_one(before, after, axes);
    both.rows = one ? 1 : count;
    for (int64_t a = 0; one && a < axes; ++a)
      set_step(both, a, after.whole[a][0] - before.whole[a][0]);
    for (int64_t a = 0; one && a < axes; ++a) set_step(both, axes + a, 0);
    fill_at(source, both, column, to.row(), tile);
    if (from.scheme.decay.index() != 0 || to.scheme.decay.index() != 0)
      dispatch(tile.dtype, [&]<class T>() {
        if constexpr (std::is_floating_point_v<T>) decay_rows<T>(before, after, tile);
      });
    return one;
  }

  template <class T>
  void decay_rows(const cpu::Coordinates& before, const cpu::Coordinates& after,
                  const cpu::Rows& tile) const {
    const int64_t pairs = to.scheme.pairs();
    for (int64_t t = 0; t < after.rows; ++t)
      for (int64_t k = 0; k < pairs; ++k) {
        T* row = static_cast<T*>(tile.data) + t * tile.ld;
        const auto factor = static_cast<T>(pair_factor(to.scheme, false, after.value[0][t], k) /
                                           pair_factor(from.scheme, false, before.value[0][t], k));
        row[k] *= factor, row[pairs + k] *= factor;
      }
  }
};

}  // namespace

void move(const RotaryPlan& from, const Positions& was, const RotaryPlan& to, const Positions& is,
          const Tensor& k) {
  check_plans(from.parts(), to.parts());
  check_sides("move", from, {{}, k}, {{}, k}, was);
  const Sides sides = check_sides("move", to, {{}, k}, {{}, k}, is);
  const Mover mover{from.parts(), to.parts(), was, is};
  const Rope& rope = to.scheme();
  const int64_t width = to.parts().row();
  if (width == 0 || sides.rows * sides.tokens == 0) return;
  const Side& side = *sides.both[1];
  const DType computed = compute_type(k.dtype);
  const Layout layout = *rope.layout == Layout::interleaved ? Layout::interleaved : Layout::half;
  const int64_t blocks = pieces(sides.tokens, cpu::block_rows), own = mover.source.dim / width;
  const auto row_of = [](const Positions& p, int64_t row) { return p.is_shared() ? 0 : row; };
  parallel_for(sides.rows * blocks * own, sides.bytes, [&](int64_t i) {
    const int64_t head = i % own, block = i / own % blocks, row = i / own / blocks;
    const int64_t token = block * cpu::block_rows;
    const int64_t count = std::min(cpu::block_rows, sides.tokens - token);
    alignas(64) char memory[tile_bytes];
    const cpu::Rows tile{memory, computed, width};
    const bool one =
        mover.fill(row_of(was, row), row_of(is, row), token, count, head * width, tile);
    const Part part{row, token, count, side.first_head + head, own > 1 ? 1 : side.heads};
    turn_part(rope, layout, side.in, side.out, part, {memory, rope.pairs(), one ? 0 : width},
              sides.far());
  });
}

}  // namespace posenc
