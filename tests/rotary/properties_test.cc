// properties_test.cc: what makes a rotation a rotation.
#include "reference/oracle.h"
#include "reference/rotary_rules.h"
#include "tests/rotary/turns.h"

namespace posenc::properties_test {
namespace {

// The score of one query and one key at a distance, from the frequencies alone.
double plain_score(const Rope& rope, const std::vector<double>& q, const std::vector<double>& k,
                   int64_t distance) {
  std::vector<bool> turns(q.size());
  double sum = 0;
  const double m = reference::nearest_f64(reference::cos_sin_factor(rope.scaling, 0));
  for (int64_t i = 0; i < rope.pairs(); ++i) {
    const PairPlace at = pair_in(rope, i);
    const auto a = static_cast<size_t>(at.a), b = static_cast<size_t>(at.b);
    const reference::Real angle = reference::frequency(rope, i) * distance;
    const double c = reference::nearest_f64(cos(angle)), s = reference::nearest_f64(sin(angle));
    const double sine = rope.sign == Sign::positive ? s : -s;
    sum += m * m * ((q[a] * k[a] + q[b] * k[b]) * c + (q[b] * k[a] - q[a] * k[b]) * sine);
    turns[a] = turns[b] = true;
  }
  for (size_t f = 0; f < q.size(); ++f) sum += turns[f] ? 0 : q[f] * k[f];
  return sum;
}

// Both turned heads are off by their error, times the norm of the other; the sums of 2 dim products
// round once each, here and in the plain score.
TEST(RotaryProperties, ScoresDependOnTheDistanceOnly) {
  Random random(1);
  for (const Rope& rope : ropes()) {
    if (rope.decay.index() || rope.temperature.index()) continue;
    SCOPED_TRACE(options_text(rope));
    const RotaryPlan plan = prepare(rope);
    const double m = std::max(1.0, plan.cos_sin_factor());
    for (const DType dtype : {DType::f32, DType::f64})
      for (const int64_t first : {int64_t{0}, int64_t{12345}, int64_t{1} << 31}) {
        const int64_t distance = random.integer(-5000, 5000);
        const Heads x = random_heads(dtype, {1, 1, rope.dim}, 1, random);
        const auto q = numbers(x.q.view()), k = numbers(x.k.view());
        rotate(plan, {.q = x.q.view()}, range(first));
        rotate(plan, {.k = x.k.view()}, range(first + distance));
        const double size = norm(q) * norm(k) * m;
        const double allowed =
            size * (2.01 * turn_error(dtype, m) + 4 * static_cast<double>(rope.dim) * 0x1p-53 * m);
        EXPECT_NEAR(product(numbers(x.q.view()), numbers(x.k.view())),
                    plain_score(rope, q, k, distance), allowed)
            << first << " " << distance;
      }
  }
}

TEST(RotaryProperties, NormsAreKeptTimesTheMagnitude) {
  Random random(2);
  for (const Rope& rope : ropes()) {
    if (rope.decay.index() || rope.temperature.index() || rope.turning() < rope.dim) continue;
    const RotaryPlan plan = prepare(rope);
    const double m = plan.cos_sin_factor();
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Heads x = random_heads(dtype, {1, 1, rope.dim}, 1, random);
      const double before = norm(numbers(x.q.view()));
      rotate(plan, x.view(), range(987'654'321));
      // The square root of a sum of dim squares is off by less than dim roundings.
      const double sums = static_cast<double>(rope.dim) * 0x1p-53 * m;
      EXPECT_NEAR(norm(numbers(x.q.view())), m * before, before * (turn_error(dtype, m) + sums))
          << options_text(rope);
    }
  }
}

}  // namespace
}  // namespace posenc::properties_test
