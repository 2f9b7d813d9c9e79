// forgetting_rows_test.cc: decay by gates that each query sets for itself.
#include <gtest/gtest.h>

#include "tests/content/gradients.h"
#include "tests/support/message.h"

namespace posenc::forgetting_rows_test {
namespace {

// Gates of products (0, 2, -1) / sqrt(4) of the last query: ln sigmoid of 0, 1 and -0.5.
TEST(ForgettingRows, WorkedNumbers) {
  const double q[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0};
  const double k[] = {0, 0, 5, 5, 2, 0, 5, 5, -2, 1, 5, 5, 9, 9, 9, 9};
  const double f[] = {-0.6931471805599453, -0.3132616875182229, -0.9740769841801067};
  double out[16] = {};
  const Tensor scores = tensor(out, {1, 4, 4});
  add(prepare(ForgettingRows{.dim = 4}), {tensor(q, {4, 1, 4}), tensor(k, {4, 1, 4})}, scores,
      scores);
  const double last[] = {f[0] + f[1] + f[2], f[1] + f[2], f[2], 0};
  for (size_t j = 0; j < 4; ++j) EXPECT_NEAR(out[12 + j], last[j], 1e-15) << j;
  for (size_t i = 0; i < 3; ++i)  // queries of 0: every gate is a half
    for (size_t j = 0; j < 4; ++j)
      EXPECT_NEAR(out[4 * i + j], j < i ? static_cast<double>(i - j) * f[0] : 0, 1e-15);
}

TEST(ForgettingRows, IsItsFormula) {
  Random random(41);
  const ScoreOptions options[] = {
      {}, {.queries = range(9), .keys = range(3), .causal = true, .scale = 0.3}};
  for (const DType dtype : float_types)
    for (const ForgettingRows& s : {ForgettingRows{}, ForgettingRows{.dim = 7, .gate_scale = 0.25},
                                    ForgettingRows{.dim = 96}})
      for (const ScoreOptions& o : options)
        expect_term(s, Stand(s, dtype, {2, 3, 14, 17}, random, Placement::spaced), o);
}

// <gradient, direction> against a central difference of step h = 1e-4. Along a direction below 1/8
// products move at most by 2 (5) / 8 a step, of the root of 5 still less, and the third derivative
// of ln sigmoid is below 1/8, so that of a score of up to 9 gates is below 9 (1/8 + 3/4) < 8; the
// 270 scores are off by h^2 / 6 (8) 270 < 4e-6, and by 2^-52 (10) 270 / h < 6e-9 from rounding.
TEST(ForgettingRows, GradientIsThatOfTheForward) {
  Random random(42);
  const TestPlaces queries(DType::i32, {2, 5}, random, 0, 9), keys = rising_keys(2, 9);
  for (const ScoreOptions& o :
       {ScoreOptions{.scale = 0.5},
        {.queries = queries.at(), .keys = keys.at(), .causal = true, .scale_on = ScaleOn::sum}}) {
    const Stand t(ForgettingRows{.dim = 5, .gate_scale = 0.9}, DType::f64, {2, 3, 5, 9}, random);
    const AllGradients g(t, DType::f64);
    expect_difference(t, g, o, random, 1.0 / 8, 1e-4, 4.1e-6);
  }
}

TEST(ForgettingRows, OptionsAreChecked) {
  EXPECT_THROW((ForgettingRows{.dim = 0}).check(), Error);
  expect_message([] { ForgettingRows{.gate_scale = NAN}.check(); },
                 "[forgetting-rows] expected gate_scale");
  for (const auto& preset : ForgettingRows::presets()) EXPECT_NO_THROW(preset.value.check());
}

}  // namespace
}  // namespace posenc::forgetting_rows_test
