// move.cc: rotates cached keys from one position and plan to another.
//
// A key stands at the angle was * w and should stand at is * w'. The difference is one more
// rotation, by waves over the coordinates of both: w' on those of `is` and -w on those of `was`.
#include <algorithm>

#include "rotary/call.h"

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
  if (!from.table.parts().device_weights.empty() || !to.table.parts().device_weights.empty())
    fail("move", "expected plans of weights that the host reads, got one of weights on a device");
  const auto halves = [](const Rope& r) { return r.layout != Layout::interleaved; };
  if (a.dim != b.dim || a.turning() != b.turning() || a.first_feature() != b.first_feature() ||
      a.blocks != b.blocks || a.sign != b.sign || halves(a) != halves(b) ||
      a.rotary_heads != b.rotary_heads || a.first_head != b.first_head ||
      from.table.dim() != to.table.dim())
    fail("move",
         "expected plans that rotate the same features of the same heads in the same layout, ",
         "got others");
  if (std::holds_alternative<Fourier>(a.frequencies) ||
      std::holds_alternative<Fourier>(b.frequencies))
    fail("move", "expected plans that rotate by angles, got frequencies fourier");
  if (a.phases.index() != b.phases.index() ||
      (a.phases.index() != 0 && from.table.parts().waves.phase != to.table.parts().waves.phase))
    fail("move", "expected plans with the same phases of keys, got others");
  if (a.numerics != b.numerics)
    fail("move", "expected plans of the same numerics, got ", enum_name(a.numerics), " and ",
         enum_name(b.numerics));
  if (a.axis_count() + b.axis_count() > max_axes)
    fail("move", "expected at most ", max_axes, " axes of both plans together, got ",
         a.axis_count() + b.axis_count());
}

// The turn from one plan to the other: frequencies on the axes of `to`, then negative ones on
// those of `from`.
RowSource difference(const RotaryPlan::Parts& from, const RotaryPlan::Parts& to) {
  auto angles = to.angles;
  for (size_t i = 0; i < angles.size(); ++i)
    for (const Frequency& f : from.angles[i]) angles[i].push_back(f * -1);
  Rope rope = to.scheme;
  rope.offset = 0, rope.frequencies = Powers{},
  rope.phases = NoPhases{};  // positions come shifted, none is learned
  return cos_sin_source(
      angles, rope.pairs(), from.scheme.axis_count() + to.scheme.axis_count(),
      to.settings.magnitudes.cos_sin_factor / from.settings.magnitudes.cos_sin_factor, rope);
}

}  // namespace

void move(const RotaryPlan& from, const Positions& was, const RotaryPlan& to, const Positions& is,
          const Tensor& k, Stream stream) {
  const auto &a = from.parts(), &b = to.parts();
  check_plans(a, b);
  const RotateOrder before = check_rotate("move", from, {{}, k}, {{}, k}, was);
  const RotateOrder after = check_rotate("move", to, {{}, k}, {{}, k}, is);
  if (after.row() == 0 || k.elements() == 0) return;
  auto kept = b.difference.now();
  if (!kept || kept->from != a.number) kept = b.difference.keep({a.number, difference(a, b)});
  const bool may_share = same_angles(a, b) && a.scheme.numerics != Numerics::torch_f32 &&
                         !before.magnitudes.decay && !after.magnitudes.decay;
  MoveOrder order{kept->rows, before.rows, after.rows,        after.row_heads,  before.at, after.at,
                  after.k,    after.span,  before.magnitudes, after.magnitudes, may_share, stream};
  if (order.span.layout != Layout::interleaved) order.span.layout = Layout::half;
  run(order);
}

}  // namespace posenc
