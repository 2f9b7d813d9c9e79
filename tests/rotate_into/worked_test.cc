// worked_test.cc: Qwen3's and Gemma 3's heads, normalised and rotated in 100 digits.
#include "reference/oracle.h"
#include "tests/support/rotation.h"

namespace posenc::worked_test {
namespace {

using reference::Real;

struct Model {
  Rope rope;
  HeadNorm norm;
};

// A head as the models' formulas read: the norm over all of it, then pairs (k, k + dim / 2).
std::vector<Real> plain_head(const Model& m, const std::vector<double>& x,
                             const std::vector<double>& w, int64_t position) {
  const size_t n = x.size();
  Real squares = 0;
  for (const double f : x) squares += Real(f) * f;
  const Real root = sqrt(squares / n + m.norm.epsilon);
  std::vector<Real> normed, out(n);
  for (size_t f = 0; f < n; ++f)
    normed.push_back(x[f] / root * (m.norm.one_plus ? 1 + Real(w[f]) : Real(w[f])));
  for (size_t k = 0; k < n / 2; ++k) {
    const Real angle = position * reference::frequency(m.rope, static_cast<int64_t>(k));
    out[k] = normed[k] * cos(angle) - normed[k + n / 2] * sin(angle);
    out[k + n / 2] = normed[k] * sin(angle) + normed[k + n / 2] * cos(angle);
  }
  return out;
}

// The norm is off by 1.01 (132 / 2 + 6) roundings of a pair's size at most, as in cases.h, the
// turn by 3 more. The size is below 6: numbers below 1, over a root above 1/2, times up to 2, and
// two of them.
constexpr double size = 6, allowed_f32 = (1.01 * 72 + 3) * 0x1p-24 * size;

TEST(RotateIntoWorked, QwenAndGemma) {
  Random random(1);
  const Model models[] = {{{.dim = 128, .layout = Layout::half, .base = 1e6}, {.epsilon = 1e-6}},
                          {{.dim = 128, .layout = Layout::half, .base = 1e6, .scaling = Linear{8}},
                           {.epsilon = 1e-6, .one_plus = true}}};
  for (Model m : models)
    for (const int64_t position : {0, 1, 4095, 131071})
      for (const DType dtype : {DType::f32, DType::bf16}) {
        const Guarded k(dtype, {1, 2, 128}), w(DType::bf16, {128}),
            cache(DType::f32, {3, 1, 2, 128});
        randomize(k.view(), random), randomize(w.view(), random, 0.5, 1);
        m.norm.k = w.view();
        const int32_t slot = 2;
        rotate_into(prepare(m.rope), {.k = k.view()}, {},
                    {.norm = m.norm, .cache = {.k = cache.view(), .slots = tensor(&slot, {1})}},
                    range(position));
        const auto in = numbers(k.view()), out = numbers(cache.view());
        for (int64_t head = 0; head < 2; ++head) {
          const auto truth = plain_head(m, head_of(in, head, 128), numbers(w.view()), position);
          const auto found = head_of(out, 4 + head, 128);
          for (size_t f = 0; f < 128; ++f) {
            ASSERT_LT(abs(truth[f]), size);
            EXPECT_LE(reference::error(found[f], truth[f]), allowed_f32) << f;
          }
        }
      }
}

}  // namespace
}  // namespace posenc::worked_test
