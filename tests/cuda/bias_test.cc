// bias_test.cc: biases on a device against the same on the CPU, whatever the scheme, type, view and
// positions.
#include "tests/cuda/bias_cases.h"

namespace posenc::bias_test {
namespace {

using CudaBias = Cuda;

int64_t rows_of(const TestPlaces& at) { return at.at().is_shared() ? 1 : at.at().ids.size(1); }

// The farthest that any query is from any key, or more.
double farthest(const ScoreCase& c, const Tensor& scores) {
  double q = 0, k = 0;
  for (int64_t row = 0; row < scores.elements() / scores.size(-1) / scores.size(-2); ++row) {
    for (int64_t t = 0; t < scores.size(-2); ++t)
      q = std::max(q, std::abs(c.queries.place(1, row % rows_of(c.queries), t)[0]));
    for (int64_t t = 0; t < scores.size(-1); ++t)
      k = std::max(k, std::abs(c.keys.place(1, row % rows_of(c.keys), t)[0]));
  }
  return q + k;
}

// Element by element against f64 on the CPU: see expect_scores().
void expect_near(const ScoreCase& c, const std::vector<double>& x, const Tensor& biases,
                 const Tensor& out) {
  const DType compute = compute_type(out.dtype);
  const double far = farthest(c, out);
  for (int64_t n = 0; n < out.elements(); ++n) {
    const double b = get(biases, n), scaled = c.scale * x[static_cast<size_t>(n)];
    if (std::isinf(b)) {
      ASSERT_EQ(get(out, n), b) << n;
      continue;
    }
    double off = bias_error(out.dtype, b, far) + 2 * half_ulp(compute, 2 * scaled);
    off += half_ulp(compute, std::abs(scaled + b) + off);
    if (compute == DType::f64) off *= 2;
    if (out.dtype != compute) off += half_ulp(out.dtype, std::abs(scaled + b) + off);
    ASSERT_NEAR(get(out, n), scaled + b, off) << describe(out) << " element " << n;
  }
}

// fill, add apart from the scores, add in place.
void expect_alike(const Plans& p, const ScoreCase& c, const ScoreShape& shape, DType dtype) {
  Random random(3);
  SCOPED_TRACE(p.host.text() + "; queries " + c.queries.name() + ", keys " + c.keys.name());
  const OptionsOnDevice there(c.options());
  Guarded x(dtype, shape.sizes(), shape.in), out(dtype, shape.sizes(), shape.out);
  Guarded filled(dtype, shape.sizes(), shape.out), biases(DType::f64, shape.sizes());
  randomize(x.view(), random, -4, 4);
  const auto before = numbers(x.view());
  fill(p.host.plan, biases.view(), c.options());
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

TEST_F(CudaBias, AnyShapeAndPlacementInEveryType) {
  const ScoreShape shapes[] = {
      {.batch = {3, 2}, .queries = 1},
      {.batch = {}, .queries = 9, .keys = 1},
      {.in = Placement::padded, .out = Placement::spaced},
      {.batch = {2, 2}, .in = Placement::reversed, .out = Placement::swapped}};
  for_every_bias([&](const Plans& p) {
    for (DType dtype : float_types) expect_alike(p, {}, {.keys = 8}, dtype);
    for (const ScoreShape& shape : shapes)
      for (DType dtype : {DType::f32, DType::bf16}) expect_alike(p, {}, shape, dtype);
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
        expect_alike(p, c, {.heads = 1, .queries = 37, .keys = 1064}, dtype);
        expect_alike(p, c, {.batch = {}, .heads = 1, .queries = 300, .keys = 24}, dtype);
        expect_alike(p, c, {.batch = {3}, .heads = 1, .queries = 70, .keys = 143}, dtype);
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
        for (DType dtype : {DType::f64, DType::bf16})
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

// What prepare() kept on the device serves some heads as well as all.
TEST_F(CudaBias, KeptFromTheStart) {
  Random random(8);
  for (const Bias& scheme : every_bias()) {
    PreparedBias host = prepare_random(scheme, random);
    BiasPlan plan =
        prepare(scheme, {.weights = host.weights.views(), .keep = 10, .cuda_device = 0});
    const Plans p{std::move(host), std::move(plan)};
    for (DType dtype : {DType::f32, DType::f64}) {
      expect_alike(p, {}, {.batch = {}}, dtype);
      expect_alike(p, {.first_head = 4}, {.batch = {}, .heads = 2, .keys = 15}, dtype);
    }
  }
  EXPECT_THROW(prepare(Alibi{}, {.cuda_device = 1000}), Error);
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

TEST_F(CudaBias, NothingToDo) {
  const BiasPlan plan = prepare(Alibi{});
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{0, 8, 3, 3}, {8, 0, 3}, {8, 3, 0}, {0, 3, 3}}) {
    Guarded x(DType::f32, shape);
    const OnDevice dx(x.view());
    add(plan, dx.view(), dx.view(), {.first_head = 0});
    fill(plan, dx.view(), {.first_head = 0});
  }
}

}  // namespace
}  // namespace posenc::bias_test
