// bias_profile_test.cc: profiles that a device makes, and those it is given.
#include "tests/cuda/bias_cases.h"

namespace posenc::bias_profile_test {
namespace {

using CudaBiasProfile = Cuda;

TEST_F(CudaBiasProfile, ProfilesOfEveryScheme) {
  for_every_bias([](const Plans& p) {
    if (p.host.plan.reads() == Reads::both) return;
    const int64_t first = p.host.is_window() ? 2 : -31;
    const int64_t count = p.host.is_window() ? 9 : 70;
    for (DType dtype : float_types)
      for (Placement placement : all_placements) {
        Guarded found(dtype, {4, count}, placement), truth(DType::f64, {4, count});
        const OnDevice there(found.view());
        fill_profile(p.plan, there.view(), first, 1);
        fill_profile(p.host.plan, truth.view(), first, 1);
        there.fetch();
        ASSERT_TRUE(found.intact());
        for (int64_t n = 0; n < 4 * count; ++n) {
          const double b = get(truth.view(), n), off = bias_error(dtype, b, 70);
          ASSERT_NEAR(get(found.view(), n), b,
                      off + (dtype == compute_type(dtype) ? 0 : half_ulp(dtype, b) + off))
              << p.host.text() << " " << n;
        }
      }
  });
}

// The caller's profile is used as it lies; both devices do the same sums, in the same types.
TEST_F(CudaBiasProfile, AddsAGivenProfile) {
  Random random(6);
  for (DType dtype : float_types)
    for (Placement placement : all_placements)
      for (const ScaleOn on : {ScaleOn::scores, ScaleOn::sum}) {
        Guarded profile(compute_type(dtype), {5, 60}, placement), x(dtype, {2, 3, 11, 16});
        Guarded truth(dtype, {2, 3, 11, 16}), out(dtype, {2, 3, 11, 16});
        const TestPlaces ids(DType::i32, {2, 11}, random, 0, 10);
        randomize(profile.view(), random), randomize(x.view(), random);
        const OnDevice dprofile(profile.view()), dx(x.view()), dout(out.view());
        for (const TestPlaces& at : {TestPlaces(12), ids}) {
          const ScoreCase c{
              .queries = at, .first_head = 1, .causal = true, .scale = 0.5, .scale_on = on};
          const OptionsOnDevice there(c.options());
          add_profile(profile.view(), -30, x.view(), truth.view(), c.options());
          add_profile(dprofile.view(), -30, dx.view(), dout.view(), there.options);
          dout.fetch();
          ASSERT_EQ(numbers(out.view()), numbers(truth.view())) << to_string(dtype);
        }
      }
}

TEST_F(CudaBiasProfile, OutsideAGivenProfileIsNotANumber) {
  Random random(7);
  Guarded profile(DType::f32, {1, 3}), x(DType::f32, {1, 1, 3});
  const std::vector<int32_t> ids{-1, 0, 3};
  const PlacesOnDevice keys(positions(tensor(ids.data(), {3})));
  randomize(profile.view(), random), randomize(x.view(), random);
  const OnDevice dprofile(profile.view()), dx(x.view());
  add_profile(dprofile.view(), 0, dx.view(), dx.view(), {.keys = keys.at()});
  dx.fetch();
  EXPECT_TRUE(std::isnan(get(x.view(), 0)) && std::isnan(get(x.view(), 2)));
  EXPECT_FALSE(std::isnan(get(x.view(), 1)));
}

}  // namespace
}  // namespace posenc::bias_profile_test
