// gated_t5_test.cc: T5's bias behind WavLM's gate.
#include <gtest/gtest.h>

#include "tests/content/gradients.h"
#include "tests/support/message.h"

namespace posenc::gated_t5_test {
namespace {

// Gates of weights 0 and scale 1 are .5 (.5 - 1) + 2; a table of its own row numbers tells buckets.
TEST(GatedT5, WorkedBuckets) {
  const GatedT5 s{.dim = 2, .heads = 1, .buckets = 32, .max_distance = 128};
  const Weights w = zero_weights(s.weights(), DType::f64);
  for (int64_t n = 0; n < 32; ++n) set(w.views()[0], n, static_cast<double>(n));
  set(w.views()[3], 0, 1);
  const Array x = make_array(DType::f64, {1, 1, 2}), out = make_array(DType::f64, {1, 1, 401});
  add(prepare(s, {.weights = w.views()}), {.q = x.view()}, out.view(), {.queries = range(200)});
  const int64_t ends[] = {11, 15, 22, 31, 45, 63, 90, 200};  // the last distance of buckets 8 to 15
  for (int64_t d = -200; d <= 200; ++d) {
    const int64_t size = std::abs(d);
    int64_t bucket = size;
    if (size > 7)
      for (bucket = 8; size > ends[bucket - 8];) ++bucket;
    EXPECT_EQ(get(out.view(), d + 200), 1.75 * static_cast<double>(bucket + (d > 0 ? 16 : 0)));
  }
}

TEST(GatedT5, IsItsFormula) {
  Random random(31);
  const ScoreOptions options[] = {
      {}, {.queries = range(30), .keys = range(3), .first_head = 2, .scale = 0.3}};
  for (const DType dtype : float_types)
    for (const GatedT5& s : {GatedT5{.dim = 12, .heads = 5, .buckets = 12, .max_distance = 20},
                             GatedT5{.dim = 7, .heads = 5, .buckets = 64, .max_distance = 900}})
      for (const ScoreOptions& o : options)
        expect_term(s, Stand(s, dtype, {2, 3, 67, 70}, random, Placement::spaced), o);
}

// <gradient, direction> against a central difference of step h = 1e-5. Along a direction below 1/16
// the sums before the sigmoids move at most by 4 (2 dim + 1) / 16 < 4 a step, so the third
// derivative of a score, a product of four factors of which two are sigmoids (whose derivatives are
// below 1/4, 1/8 and 1/8), is below 200; the 270 scores are off by h^2 / 6 (200) 270 < 1e-6, and
// by 2^-52 (4) 270 / h < 3e-8 from rounding.
TEST(GatedT5, GradientIsThatOfTheForward) {
  Random random(32);
  const TestPlaces queries(DType::i32, {2, 5}, random, 0, 9);
  const GatedT5 s{.dim = 6, .heads = 4, .buckets = 8, .max_distance = 6};
  for (const ScoreOptions& o :
       {ScoreOptions{.scale = 0.5},
        {.queries = queries.at(), .first_head = 1, .causal = true, .scale_on = ScaleOn::sum}}) {
    const Stand t(s, DType::f64, {2, 3, 5, 9}, random);
    const AllGradients g(t, DType::f64);
    expect_difference(t, g, o, random, 1.0 / 16, 1e-5, 1.1e-6);
  }
}

TEST(GatedT5, OptionsAreChecked) {
  EXPECT_THROW((GatedT5{.dim = 0}).check(), Error);
  EXPECT_THROW((GatedT5{.heads = 0}).check(), Error);
  expect_message([] { GatedT5{.buckets = 7}.check(); }, "[gated-t5] expected buckets");
  EXPECT_THROW((GatedT5{.max_distance = 80}).check(), Error);
  for (const auto& preset : GatedT5::presets()) EXPECT_NO_THROW(preset.value.check());
}

}  // namespace
}  // namespace posenc::gated_t5_test
