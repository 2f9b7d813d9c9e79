// stand.h: where cached keys stand, in 100 digits, and how far moved ones may be from it.
#pragma once

#include "reference/oracle.h"
#include "tests/support/rotation.h"

namespace posenc {

using reference::Real;

// How keys stand: by which scheme, for a text of which length, where.
struct Stand {
  Rope rope;
  int64_t length;
  TestPlaces at;

  RotaryPlan plan() const { return prepare(rope, {.length = length}); }
  // m cos and m sin of a pair for the key of a token, and what xPos multiplies both by.
  struct Turn {
    Real cosine, sine, decay;
  };
  Turn turn(int64_t row, int64_t token, int64_t k) const {
    const auto place = at.place(rope.axis_count(), row, token);
    const reference::Point point(place.begin(), place.end());
    return {columns[static_cast<size_t>(k)].value(point),
            columns[static_cast<size_t>(rope.pairs() + k)].value(point),
            decay(point[0] + rope.offset, k)};
  }
  // z_k^((center - p) / scale_base), z_k = (2k + 0.4 D) / (1.4 D).
  Real decay(const Real& p, int64_t k) const {
    const auto* xpos = std::get_if<XPos>(&rope.decay);
    if (!xpos) return 1;
    const Real z = Real(10 * k + 2 * rope.turning()) / (7 * rope.turning());
    return pow(z, (xpos->center - p) / xpos->scale_base);
  }
  std::vector<reference::Column> columns = reference::columns(rope, {}, length);
};

inline double stored_unit(DType dtype) { return half_ulp(dtype, 1); }

// How far one move may take a pair from where it belongs, for each unit of its norm. In f32: cosine
// and sine within 3.1e-8 each, 0.74 roundings together; a product and a sum, 2 roundings of the
// norm: below 3. In f64 rows are promised within 4e-16: 5.1 + 2. In 16 bits one rounding counts.
// A magnitude is part of the row. A decay is rounded and multiplied by, 2 roundings more. It is the
// quotient, one rounding of f64, of two inverses of exp(e ln z), where z is off by 6 roundings and
// e by 2: e ln z by 6 |e| + (2 + 2 + 1) |e ln z|, and the inverse of its exp by 2 + 1 more. |ln z|
// is below 1.26, and |e| below 1/2 in these tests: 9.2 for each of the two, below 20 together.
inline double move_error(DType dtype, double ratio, bool decays) {
  const double u = unit(dtype);
  const double turn =
      std::sqrt(2.0) * row_error(compute_type(dtype), ratio, ratio) + 2.01 * ratio * u;
  const double decay = decays ? (2 * u + 20 * 0x1p-53) * ratio : 0;
  if (ratio == 1 && !decays) return dtype == DType::f64 ? 7.2 * u : 3 * stored_unit(dtype);
  return dtype == compute_type(dtype) ? turn + decay : 3 * stored_unit(dtype) * ratio;
}

struct Shape {
  int64_t rows = 2, tokens = 21, heads = 3;
  Placement placement = Placement::dense;
};

// Every pair of `found` is that of `stored`, turned from one stand to the other; `allowed` grows as
// the decay does.
inline void expect_stand(const Stand& from, const Stand& to, const std::vector<double>& stored,
                         const Tensor& found, double allowed) {
  const Rope& rope = from.rope;
  const auto after = numbers(found);
  const int64_t heads = found.size(-2), tokens = found.size(-3);
  for (int64_t n = 0; n < found.elements() / rope.dim; ++n) {
    const auto x = head_of(stored, n, rope.dim), y = head_of(after, n, rope.dim);
    auto rest = x;
    for (int64_t k = 0; k < rope.pairs(); ++k) {
      const PairPlace p = pair_out(rope, k);
      const auto a = static_cast<size_t>(p.a), b = static_cast<size_t>(p.b);
      const auto f = from.turn(n / heads / tokens, n / heads % tokens, k);
      const auto t = to.turn(n / heads / tokens, n / heads % tokens, k);
      const Real size = f.cosine * f.cosine + f.sine * f.sine;
      const Real decay = t.decay / f.decay;
      const Real c = decay * (t.cosine * f.cosine + t.sine * f.sine) / size;
      const Real s = decay * (t.sine * f.cosine - t.cosine * f.sine) / size;
      const double off_a = reference::error(y[a], x[a] * c - x[b] * s);
      const double off_b = reference::error(y[b], x[a] * s + x[b] * c);
      const double grown = reference::nearest_f64(decay);
      ASSERT_LE(std::hypot(off_a, off_b), allowed * grown * std::hypot(x[a], x[b]))
          << describe(found) << " head " << n << " pair " << k;
      rest[a] = y[a], rest[b] = y[b];
    }
    ASSERT_EQ(rest, y) << "what does not turn has changed";
  }
}

inline void expect_move(const Stand& from, const Stand& to, const Shape& shape = {}) {
  SCOPED_TRACE(options_text(from.rope) + " to " + options_text(to.rope));
  const RotaryPlan here = from.plan(), there = to.plan();
  const double ratio = there.cos_sin_factor() / here.cos_sin_factor();
  const bool decays = from.rope.decay.index() != 0 || to.rope.decay.index() != 0;
  Random random(1);
  for (const DType dtype : float_types) {
    Guarded keys(dtype, {shape.rows, shape.tokens, shape.heads, from.rope.dim}, shape.placement);
    randomize(keys.view(), random, -4, 4);
    const auto stored = numbers(keys.view());
    move(here, from.at.at(), there, to.at.at(), keys.view());
    EXPECT_TRUE(keys.intact());
    expect_stand(from, to, stored, keys.view(), move_error(dtype, ratio, decays));
  }
}

}  // namespace posenc
