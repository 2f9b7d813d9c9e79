// profile_test.cc: profiles that someone else made, and profiles that plans keep.
#include <thread>

#include "tests/relative/cases.h"
#include "tests/support/message.h"

namespace posenc::profile_test {
namespace {

constexpr int64_t far = 1200;  // distances of a profile, to both sides

struct Given {
  PreparedBias p;
  Guarded f32, f64;

  Given(const Bias& scheme, Random& random, Placement placement)
      : p(prepare_random(scheme, random)),
        f32(DType::f32, {case_heads, 2 * far + 1}, placement),
        f64(DType::f64, {case_heads, 2 * far + 1}, placement) {
    for (const Guarded* g : {&f32, &f64}) fill_profile(p.plan, g->view(), -far);
  }
  const Tensor& profile(DType dtype) const { return (dtype == DType::f64 ? f64 : f32).view(); }
};

// Bit for bit what the plan adds, except where a factor is applied to rounded numbers.
void expect_same(const Given& g, const ScoreOptions& options, DType dtype, Placement placement,
                 const std::vector<int64_t>& shape) {
  Random random(5);
  const Guarded x(dtype, shape, placement), by_plan(dtype, shape), by_profile(dtype, shape);
  randomize(x.view(), random, -4, 4);
  add(g.p.plan, x.view(), by_plan.view(), options);
  add_profile(g.profile(dtype), -far, x.view(), by_profile.view(), options);
  const auto a = numbers(by_plan.view()), b = numbers(by_profile.view());
  const bool rounds_twice = options.scale_on == ScaleOn::sum && options.scale != 1;
  for (size_t n = 0; n < a.size(); ++n) {
    const double off =
        !rounds_twice || std::isinf(a[n]) ? 0 : 4 * half_ulp(dtype, std::abs(a[n]) + 4);
    ASSERT_TRUE(a[n] == b[n] || std::abs(a[n] - b[n]) <= off) << g.p.text();
  }
}

TEST(AddProfile, IsWhatThePlanAdds) {
  Random random(1);
  for (const Bias& scheme : every_bias())
    for (const Placement placement : {Placement::dense, Placement::padded, Placement::spaced}) {
      if (prepare_random(scheme, random).plan.reads() != Reads::distance) continue;
      const Given g(scheme, random, placement);
      const TestPlaces queries(DType::i32, {2, 5}, random, -500, 500);
      const TestPlaces keys(DType::i64, {9}, random, -500, 500, Placement::spaced);
      for (const DType dtype : float_types)
        for (const bool causal : {false, true}) {
          const std::vector<int64_t> all{2, case_heads, 5, 9}, some{2, 3, 5, 9};
          expect_same(g, {.queries = range(3), .causal = causal}, dtype, placement, all);
          expect_same(g, {.first_head = 2, .causal = causal, .scale = 0.25}, dtype, placement,
                      some);
          expect_same(g, {.keys = keys.at(), .scale = 0.3, .scale_on = ScaleOn::sum}, dtype,
                      placement, all);
          expect_same(g, {.queries = queries.at(), .keys = keys.at(), .causal = causal}, dtype,
                      placement, all);
        }
    }
}

// A step of decoding, and the same query as one of two.
TEST(KeptProfiles, OneQueryOverManyKeys) {
  Random random(2);
  constexpr int64_t keys = 3500;
  for (const Bias& scheme : every_bias()) {
    const PreparedBias p = prepare_random(scheme, random);
    if (p.plan.reads() != Reads::distance) continue;
    for (const DType dtype : float_types)
      for (const int64_t query : {int64_t{0}, int64_t{1700}, int64_t{3499}}) {
        const Guarded two(dtype, {case_heads, 2, keys}, Placement::padded),
            one(dtype, {case_heads, 1, keys}, Placement::spaced);
        randomize(two.view(), random, -4, 4);
        for (int64_t h = 0; h < case_heads; ++h)
          for (int64_t k = 0; k < keys; ++k)
            set(one.view(), h * keys + k, get(two.view(), 2 * h * keys + k));
        add(p.plan, two.view(), {.queries = range(query)});
        add(p.plan, one.view(), {.queries = range(query)});
        for (int64_t h = 0; h < case_heads; ++h)
          for (int64_t k = 0; k < keys; ++k)
            ASSERT_EQ(get(one.view(), h * keys + k), get(two.view(), 2 * h * keys + k))
                << p.text() << " head " << h << " key " << k;
      }
  }
}

TEST(AddProfile, Sentences) {
  const Guarded scores(DType::bf16, {2, 4, 3, 5}), right(DType::f32, {4, 7});
  const Guarded typed(DType::bf16, {4, 7}), heads(DType::f32, {3, 7});
  const auto adding = [&](const Tensor& profile, int64_t first, const ScoreOptions& o = {}) {
    const auto before = scores.bytes();
    const auto text =
        message([&] { add_profile(profile, first, scores.view(), scores.view(), o); });
    EXPECT_TRUE(text == "no error" || scores.bytes() == before);
    return text;
  };
  EXPECT_EQ(adding(right.view(), -2), "no error");
  EXPECT_EQ(adding(right.view(), -1),
            "[add_profile] expected distances from -1 to 5, as the profile has, got -2 to 4");
  EXPECT_EQ(adding(right.view(), -3),
            "[add_profile] expected distances from -3 to 3, as the profile has, got -2 to 4");
  EXPECT_EQ(adding(right.view(), INT64_MAX),
            "[add_profile] expected a profile that begins within 2^53, got 9223372036854775807");
  EXPECT_EQ(adding(typed.view(), -2),
            "[add_profile] expected a profile as f32 [heads, any], got bf16 [4, 7]");
  EXPECT_EQ(adding(heads.view(), -2),
            "[add_profile] expected scores of up to 3 heads, got bf16 [2, 4, 3, 5]");
  const std::vector<double> real{0, 1.5, 2};
  EXPECT_EQ(adding(right.view(), -2, {.queries = positions(tensor(real.data(), {3}))}),
            "[add_profile] expected whole positions (i32 or i64) for this scheme, got f64");
  Tensor same = scores.view();
  same.dtype = DType::f32, same.rank = 2, same.shape = {4, 7}, same.stride = {7, 1};
  EXPECT_EQ(adding(same, -2),
            "[add_profile] expected out apart from the profile, got memory that overlaps");
}

// Whatever calls came before, and however many threads call, a call gives the same bits.
TEST(KeptProfiles, DoNotChangeResults) {
  Random random(2);
  for (const Bias& scheme : every_bias()) {
    const PreparedBias p = prepare_random(scheme, random);
    const auto views = p.weights.views();
    const auto added = [&](const BiasPlan& plan, int64_t keys, double scale) {
      const Guarded x(DType::f32, {case_heads, 2, keys});
      fill(plan, x.view(), {.queries = range(keys - 2), .scale = scale, .scale_on = ScaleOn::sum});
      return numbers(x.view());
    };
    const int64_t most = p.is_window() ? window_tokens : 300;
    const auto work = [&] {
      for (const int64_t keys : {int64_t{2}, int64_t{7}, most, int64_t{9}})
        for (const double scale : {1.0, 0.5, 0.1}) {
          const auto fresh = added(prepare(scheme, {.weights = views}), keys, scale);
          EXPECT_EQ(added(p.plan, keys, scale), fresh) << p.text();
          EXPECT_EQ(added(prepare(scheme, {.weights = views, .keep = 8}), keys, scale), fresh);
        }
    };
    std::thread other(work);
    work();
    other.join();
  }
}

TEST(KeptProfiles, WhatToKeepIsChecked) {
  EXPECT_EQ(message([] { prepare(Alibi{.heads = 4}, {.keep = -1}); }),
            "[prepare] expected positions to keep of at least 0 that fit 64 bits, got -1");
  EXPECT_NE(message([] { prepare(Alibi{.heads = 4}, {.keep = INT64_MAX}); }), "no error");
}

}  // namespace
}  // namespace posenc::profile_test
