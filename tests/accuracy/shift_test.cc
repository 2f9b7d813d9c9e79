// M_k: PE(p + k) = M_k PE(p) for every position, and what follows from it.
#include "posenc/shift.h"

#include "tests/accuracy/contract.h"

namespace posenc::shift_test {
namespace {

constexpr int64_t far = int64_t{1} << 31;
constexpr int64_t steps[] = {0, 1, -1, 7, 1000, 999'983, far, -far, -far - 12345};

// The cases that have an M_k.
std::vector<std::pair<std::string, Sinusoidal>> shiftable() {
  std::vector<std::pair<std::string, Sinusoidal>> out;
  for (const Case& c : all_cases()) {
    const auto* s = std::get_if<Sinusoidal>(&c.scheme);
    if (!s || is_per_column(s->rule) || s->numerics == Numerics::torch_f32 || s->learned_scale)
      continue;
    if (s->dim % 2 == 0 || s->odd == Odd::zero) out.push_back({c.name, *s});
  }
  return out;
}

// Each row is within e of the truth (e = 3.1e-8 or 4e-16). M_k turns the error of a pair, so a
// number gets at most sqrt(2) e of it, and its own rounding: 2.98e-8 in f32. In f64 sine and cosine
// of M_k are off by 2.5e-16 each, and two products and a sum round. With the row it is compared to:
//   f32  sqrt(2) 3.1e-8 + 2.98e-8 + 3.1e-8                        = 1.05e-7
//   f64  sqrt(2) 4e-16 + sqrt(2) 2.5e-16 + 3 * 2^-54 + 4e-16      = 1.49e-15
// times the amplitude, for the rounding as if it were the next power of two.
template <class T>
double moved_error(double amplitude) {
  return (std::is_same_v<T, float> ? 1.2e-7 : 1.5e-15) *
         std::exp2(std::ceil(std::log2(std::abs(amplitude))));
}

template <class T>
void expect_moved(const Sinusoidal& s, int64_t p, int64_t k) {
  const int64_t tokens = 3;
  Sinusoidal waves = s;
  waves.padding.reset();  // a row of zeros stays one wherever it is moved
  const AbsolutePlan plan = prepare(waves);
  Array here = make_array(dtype_of<T>, {tokens, s.dim}), there = here;
  fill(plan, here.view(), range(p));
  fill(plan, there.view(), range(p + k));
  shift(s, k).apply(here.view(), here.view());
  const auto moved = here.values<T>(), wanted = there.values<T>();
  double worst = 0;
  for (size_t i = 0; i < moved.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(moved[i]) - wanted[i]));
  EXPECT_LE(worst, moved_error<T>(s.amplitude())) << "from " << p << " by " << k;
}

TEST(Shift, MovesRowsAnywhere) {
  Random random(1);
  for (const auto& [name, s] : shiftable()) {
    SCOPED_TRACE(name);
    for_every_target([&, &scheme = s] {
      for (const int64_t k : steps)
        for (const int64_t p : {int64_t{0}, random.integer(-far, far)}) {
          expect_moved<float>(scheme, p, k);
          expect_moved<double>(scheme, p, k);
        }
    });
  }
}

// Sine and cosine of k w where they belong, 1 for a column that stays, nothing elsewhere.
TEST(Shift, MatrixIsTheTruth) {
  for (const auto& [name, s] : shiftable()) {
    if (s.dim > 70) continue;
    SCOPED_TRACE(name);
    for (const int64_t k : steps) {
      const Shift m = shift(s, k);
      const auto n = static_cast<size_t>(s.dim);
      std::vector<Real> truth(n * n);
      for (size_t c = 0; c < n; ++c) truth[c * n + c] = 1;
      for (const Shift::Pair& pair : m.pairs()) {
        const auto sine = static_cast<size_t>(pair.sine), cosine = static_cast<size_t>(pair.cosine);
        const Real angle = reference::frequency(s, pair.sine) * k;
        truth[sine * n + sine] = truth[cosine * n + cosine] = cos(angle);
        truth[sine * n + cosine] = sin(angle), truth[cosine * n + sine] = -sin(angle);
      }
      const auto found = m.matrix();
      for (size_t i = 0; i < found.size(); ++i)
        ASSERT_LE(reference::error(found[i], truth[i]), row_error(DType::f64, 1)) << "by " << k;
    }
  }
}

// Angles are cut to 2^-64 turns, so a sum of two may miss the angle of the sum by one such unit.
void expect_same_angles(const Shift& a, const Shift& b) {
  ASSERT_EQ(a.pairs().size(), b.pairs().size());
  for (size_t i = 0; i < a.pairs().size(); ++i) {
    const auto distance = static_cast<int64_t>(a.pairs()[i].angle - b.pairs()[i].angle);
    EXPECT_LE(std::abs(distance), 1) << "pair " << i;
  }
}

TEST(Shift, IsAGroup) {
  Random random(2);
  for (const auto& [name, s] : shiftable()) {
    SCOPED_TRACE(name);
    for (int i = 0; i < 10; ++i) {
      const int64_t j = random.integer(-far, far), k = random.integer(-far, far);
      const Shift a = shift(s, j), b = shift(s, k);
      expect_same_angles(a * b, shift(s, j + k));
      expect_same_angles(a * b, b * a);
      expect_same_angles(a.inverse(), shift(s, -j));
      const Shift nothing = a * a.inverse();
      for (const Shift::Pair& pair : nothing.pairs()) EXPECT_EQ(pair.angle, 0u);
    }
  }
}

}  // namespace
}  // namespace posenc::shift_test
