// inverse_test.cc: the transpose of a turn, its inverse, and the difference.
#include "tests/rotary/turns.h"

namespace posenc::inverse_test {
namespace {

constexpr int64_t first_token = 700;  // xPos changes numbers by less than e^2 there

TEST(RotaryInverse, AdjointIsTheTranspose) {
  Random random(3);
  for (const Rope& rope : ropes())
    for (const DType dtype : float_types) {
      SCOPED_TRACE(options_text(rope));
      const RotaryPlan plan = prepare(rope);
      const Heads y = random_heads(dtype, {2, 19, 3, rope.dim}, 2, random), x = y;
      const auto q = numbers(y.q.view()), k = numbers(y.k.view());
      const TestPlaces at(first_token);
      rotate_adjoint(plan, y.view(), x.view(), at.at());
      expect_turned(plan, q, x.q.view(), true, at, true);
      expect_turned(plan, k, x.k.view(), false, at, true);
      rotate_adjoint(plan, y.view(), y.view(), at.at());
      EXPECT_EQ(y.q.bytes, x.q.bytes);
      EXPECT_EQ(y.k.bytes, x.k.bytes);
    }
}

// <dy, rotate(x + h v)> changes by h <rotate_adjoint(dy), v>. It is linear, so h may be 1. Factors
// of xPos and of the temperature stay below 8; both products are sums of n numbers.
TEST(RotaryInverse, AdjointIsTheGradient) {
  Random random(4);
  for (const Rope& rope : ropes()) {
    SCOPED_TRACE(options_text(rope));
    const RotaryPlan plan = prepare(rope);
    const std::vector<int64_t> shape{2, 5, 3, rope.dim};
    const Heads v = random_heads(DType::f64, shape, 2, random);
    const Heads dy = random_heads(DType::f64, shape, 2, random), dx = dy;
    const auto loss = [&](double h) {
      const Heads moved = v;
      for (const Array* a : {&moved.q, &moved.k})
        for (int64_t n = 0; n < a->view().elements(); ++n)
          set(a->view(), n, 0.25 + h * get(a->view(), n));
      rotate(plan, moved.view(), range(first_token));
      return product(numbers(dy.q.view()), numbers(moved.q.view())) +
             product(numbers(dy.k.view()), numbers(moved.k.view()));
    };
    rotate_adjoint(plan, dy.view(), dx.view(), range(first_token));
    const double along = product(numbers(dx.q.view()), numbers(v.q.view())) +
                         product(numbers(dx.k.view()), numbers(v.k.view()));
    const double n = static_cast<double>(dy.q.view().elements() + dy.k.view().elements());
    const double entries = 2 * 2.25 * 8 * std::max(1.0, plan.cos_sin_factor());  // |dy| |x| factor
    EXPECT_NEAR(along, (loss(1) - loss(-1)) / 2,
                2 * n * entries * (turn_error(DType::f64, 1) + 100 * 0x1p-53 + n * 0x1p-53));
  }
}

// There and back are each off by the error of a turn, as a share of the magnitude. Factors are
// rounded and multiplied by: twice there, three times back, after some 50 roundings in f64 (see
// head_matrix). A sixteen-bit type rounds twice.
TEST(RotaryInverse, InverseTakesEverythingBack) {
  Random random(5);
  for (const Rope& rope : ropes())
    for (const DType dtype : float_types) {
      SCOPED_TRACE(options_text(rope));
      const RotaryPlan plan = prepare(rope);
      const double m = plan.cos_sin_factor();
      const Heads x = random_heads(dtype, {2, 19, 3, rope.dim}, 2, random), there = x, back = x;
      rotate(plan, x.view(), there.view(), range(first_token));
      rotate_inverse(plan, there.view(), back.view(), range(first_token));
      const double factors = 5 * unit(dtype) + 2 * 50 * 0x1p-53;
      const double rounded = dtype == compute_type(dtype) ? 0 : 2.01 * half_ulp(dtype, 1);
      const double share = 2.01 * turn_error(dtype, m) / m + factors + rounded;
      for (const auto& [from, to] : {std::pair{x.q, back.q}, std::pair{x.k, back.k}})
        for (int64_t n = 0; n < from.view().elements() / rope.dim; ++n) {
          const auto before = head_of(numbers(from.view()), n, rope.dim);
          const auto after = head_of(numbers(to.view()), n, rope.dim);
          auto rest = before;
          for (int64_t i = 0; i < rope.pairs(); ++i) {
            const PairPlace p = pair_in(rope, i);
            const auto a = static_cast<size_t>(p.a), b = static_cast<size_t>(p.b);
            ASSERT_LE(std::hypot(after[a] - before[a], after[b] - before[b]),
                      share * std::hypot(before[a], before[b]));
            rest[a] = after[a], rest[b] = after[b];
          }
          for (size_t f = 0; f < rest.size(); ++f)  // what passes, times the temperature and back
            ASSERT_LE(std::abs(after[f] - rest[f]), share * std::abs(rest[f]));
        }
      rotate_inverse(plan, there.view(), there.view(), range(first_token));
      EXPECT_EQ(there.q.bytes, back.q.bytes);
      EXPECT_EQ(there.k.bytes, back.k.bytes);
    }
}

// A magnitude of 2 comes back as 4 from the adjoint, exactly so in every type.
TEST(RotaryInverse, AdjointIsNotTheInverse) {
  const Rope rope{
      .dim = 8, .layout = Layout::half, .scaling = Yarn{.factor = 4, .attention_factor = 2}};
  const RotaryPlan plan = prepare(rope);
  for (const DType dtype : float_types) {
    const Array x = make_array(dtype, {1, 1, 8});
    for (int64_t f = 0; f < 8; ++f) set(x.view(), f, static_cast<double>(f));
    const Array adjoint = x, inverse = x;
    rotate(plan, {.q = x.view()});
    rotate_adjoint(plan, {.q = x.view()}, {.q = adjoint.view()});
    rotate_inverse(plan, {.q = x.view()}, {.q = inverse.view()});
    for (int64_t f = 0; f < 8; ++f) {
      EXPECT_EQ(get(adjoint.view(), f), 4 * static_cast<double>(f));
      EXPECT_EQ(get(inverse.view(), f), static_cast<double>(f));
    }
  }
}

}  // namespace
}  // namespace posenc::inverse_test
