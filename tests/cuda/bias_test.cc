// bias_test.cc: biases on a device against the same on the CPU, whatever the scheme, type, view and
// positions.
#include "tests/cuda/device.h"
#include "tests/relative/cases.h"

namespace posenc {
namespace {

using CudaBias = Cuda;

// The options of a case with positions on the device.
struct OptionsOnDevice {
  PlacesOnDevice queries, keys;
  ScoreOptions options;

  explicit OptionsOnDevice(const ScoreCase& c)
      : queries(c.queries.at()), keys(c.keys.at()), options(c.options()) {
    options.queries = queries.at(), options.keys = keys.at();
  }
};

struct Shape {
  std::vector<int64_t> batch{2};
  int64_t heads = case_heads, queries = 5, keys = 9;
  Placement in = Placement::dense, out = Placement::dense;

  std::vector<int64_t> sizes() const {
    auto s = batch;
    s.insert(s.end(), {heads, queries, keys});
    return s;
  }
};

// Plans of the host and of weights on the device.
struct Plans {
  PreparedBias host;
  BiasPlan plan;
};
Plans plans_of(const Bias& scheme, Random& random) {
  PreparedBias host = prepare_random(scheme, random);
  const WeightsOnDevice weights(host.weights);
  BiasPlan plan = prepare(scheme, {.weights = weights.views()});
  return {std::move(host), std::move(plan)};
}

// How far apart two biases, each a formula of f64 functions rounded once, may be: functions of a
// device are within 2 ulp, those of the host within 1, networks add up fewer than 2^6 of them.
double bias_error(DType dtype, double truth) {
  return 0x1p-46 * (1 + std::abs(truth)) + half_ulp(compute_type(dtype), truth);
}

// Element by element against f64 on the CPU: see expect_scores().
void expect_near(const ScoreCase& c, const std::vector<double>& x, const Tensor& biases,
                 const Tensor& out) {
  const DType compute = compute_type(out.dtype);
  for (int64_t n = 0; n < out.elements(); ++n) {
    const double b = get(biases, n), scaled = c.scale * x[static_cast<size_t>(n)];
    if (std::isinf(b)) {
      ASSERT_EQ(get(out, n), b) << n;
      continue;
    }
    double off = bias_error(out.dtype, b) + 2 * half_ulp(compute, 2 * scaled);
    off += half_ulp(compute, std::abs(scaled + b) + off);
    if (compute == DType::f64) off *= 2;
    if (out.dtype != compute) off += half_ulp(out.dtype, std::abs(scaled + b) + off);
    ASSERT_NEAR(get(out, n), scaled + b, off) << describe(out) << " element " << n;
  }
}

// fill, add apart from the scores, add in place.
void expect_alike(const Plans& p, const ScoreCase& c, const Shape& shape, DType dtype) {
  Random random(3);
  SCOPED_TRACE(p.host.text() + "; queries " + c.queries.name() + ", keys " + c.keys.name());
  const OptionsOnDevice there(c);
  Guarded x(dtype, shape.sizes(), shape.in), out(dtype, shape.sizes(), shape.out);
  Guarded filled(dtype, shape.sizes(), shape.out), biases(DType::f64, shape.sizes());
  randomize(x.view(), random, -4, 4);
  const auto before = numbers(x.view());
  ScoreOptions alone = c.options();  // fill takes the scale of a sum alone
  fill(p.host.plan, biases.view(), alone);
  const OnDevice dx(x.view()), dout(out.view()), dfilled(filled.view());
  fill(p.plan, dfilled.view(), there.options);
  add(p.plan, dx.view(), dout.view(), there.options);
  dx.fetch(), dout.fetch(), dfilled.fetch();
  ASSERT_EQ(numbers(x.view()), before);
  expect_near(c, std::vector<double>(before.size()), biases.view(), filled.view());
  expect_near(c, before, biases.view(), out.view());
  add(p.plan, dx.view(), dx.view(), there.options);
  dx.fetch();
  ASSERT_EQ(numbers(x.view()), numbers(out.view()));
  ASSERT_TRUE(x.intact() && out.intact() && filled.intact());
}

template <class Body>
void for_every_bias(const Body& body) {
  Random random(1);
  for (const Bias& scheme : every_bias()) {
    body(plans_of(scheme, random));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(CudaBias, AnyShapeAndPlacementInEveryType) {
  const Shape shapes[] = {{.keys = 8},
                          {.batch = {3, 2}, .queries = 1},
                          {.batch = {}, .queries = 9, .keys = 1},
                          {.in = Placement::padded, .out = Placement::spaced},
                          {.batch = {2, 2}, .in = Placement::reversed, .out = Placement::swapped}};
  for_every_bias([&](const Plans& p) {
    for (const Shape& shape : shapes)
      for (DType dtype : float_types) expect_alike(p, {}, shape, dtype);
  });
}

// Several tiles, with keys that are packs and that are none.
TEST_F(CudaBias, ManyQueriesAndKeys) {
  Random random(2);
  const Bias all[] = {T5Bias{.heads = case_heads, .buckets = 12, .max_distance = 20},
                      Alibi{.heads = case_heads, .form = AlibiForm::keys}};
  for (const Bias& scheme : all) {
    const Plans p = plans_of(scheme, random);
    for (const bool causal : {false, true})
      for (DType dtype : float_types) {
        const ScoreCase c{.queries = TestPlaces(causal ? 1000 : -20), .causal = causal, .scale = 2};
        expect_alike(p, c, {.batch = {3}, .heads = 2, .queries = 37, .keys = 1064}, dtype);
        expect_alike(p, c, {.batch = {}, .heads = 1, .queries = 300, .keys = 24}, dtype);
        expect_alike(p, c, {.batch = {}, .heads = 2, .queries = 70, .keys = 143}, dtype);
      }
  }
}

TEST_F(CudaBias, OneQueryAndManyKeys) {
  for_every_bias([](const Plans& p) {
    if (p.host.is_window()) return;
    for (int64_t past : {200, 203, 600})  // the profile grows
      expect_alike(p, {.queries = TestPlaces(past), .causal = true},
                   {.batch = {2}, .queries = 1, .keys = past + 1}, DType::bf16);
  });
}

TEST_F(CudaBias, SomeHeadsCausalAndScaled) {
  for_every_bias([](const Plans& p) {
    expect_alike(p, {.first_head = 4}, {.heads = 2}, DType::f32);
    for (const bool causal : {false, true})
      for (const ScaleOn on : {ScaleOn::scores, ScaleOn::sum})
        for (DType dtype : float_types)
          expect_alike(p,
                       {.queries = TestPlaces(4), .causal = causal, .scale = 0.3, .scale_on = on},
                       {.queries = 7, .keys = 8}, dtype);
  });
}

TEST_F(CudaBias, AnyPositions) {
  Random random(4);
  for_every_bias([&](const Plans& p) {
    const int64_t high = p.host.is_window() ? window_tokens - 1 : 12,
                  low = p.host.is_window() ? 0 : -12;
    for (DType ids : {DType::i32, DType::i64, DType::f64}) {
      if (ids == DType::f64 && p.host.whole()) continue;
      for (const std::vector<int64_t>& rows : {std::vector<int64_t>{}, {4}})
        for (const bool causal : {false, true}) {
          auto q = rows, k = rows;
          q.push_back(5), k.push_back(9);
          const ScoreCase c{.queries = TestPlaces(ids, q, random, low, high),
                            .keys = TestPlaces(ids, k, random, low, high, Placement::spaced),
                            .causal = causal};
          for (DType dtype : {DType::f64, DType::f16}) expect_alike(p, c, {.batch = {2, 2}}, dtype);
          expect_alike(p, {.queries = c.queries}, {.batch = {4}}, DType::f32);
          expect_alike(p, {.keys = c.keys}, {.batch = {4}}, DType::f32);
        }
    }
    if (!p.host.is_window())  // beyond any profile
      expect_alike(p, {.keys = TestPlaces(DType::i64, {9}, random, -100'000, 100'000)}, {},
                   DType::f64);
  });
}

TEST_F(CudaBias, OutsideAWindowIsNotANumber) {
  Random random(5);
  const Plans p = plans_of(WindowBias{.heads = 2, .height = 3, .width = 5}, random);
  const std::vector<int64_t> ids{-1, 0, 14, 15};
  const PlacesOnDevice at(positions(tensor(ids.data(), {4})));
  Guarded out(DType::f32, {2, 4, 4});
  const OnDevice dout(out.view());
  fill(p.plan, dout.view(), {.queries = at.at(), .keys = at.at()});
  dout.fetch();
  const auto inside = [](int64_t i) { return i == 1 || i == 2; };
  for (int64_t n = 0; n < 32; ++n)
    EXPECT_EQ(std::isnan(get(out.view(), n)), !inside(n % 4) || !inside(n / 4 % 4)) << n;
}

TEST_F(CudaBias, ProfilesOfEveryScheme) {
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
          const double b = get(truth.view(), n), off = bias_error(dtype, b);
          ASSERT_NEAR(get(found.view(), n), b,
                      off + (dtype == compute_type(dtype) ? 0 : half_ulp(dtype, b) + off))
              << p.host.text() << " " << n;
        }
      }
  });
}

// The caller's profile is used as it lies; both devices do the same sums, in the same types.
TEST_F(CudaBias, AddsAGivenProfile) {
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
          const OptionsOnDevice there(c);
          add_profile(profile.view(), -30, x.view(), truth.view(), c.options());
          add_profile(dprofile.view(), -30, dx.view(), dout.view(), there.options);
          dout.fetch();
          ASSERT_EQ(numbers(out.view()), numbers(truth.view())) << to_string(dtype);
        }
      }
}

TEST_F(CudaBias, OutsideAGivenProfileIsNotANumber) {
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

TEST_F(CudaBias, NothingToDo) {
  const BiasPlan plan = prepare(Alibi{});
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{0, 8, 3, 3}, {8, 0, 3}, {8, 3, 0}, {0, 3, 3}}) {
    Guarded x(DType::f32, shape);
    const OnDevice dx(x.view());
    add(plan, dx.view(), dx.view());
    fill(plan, dx.view());
  }
}

}  // namespace
}  // namespace posenc
