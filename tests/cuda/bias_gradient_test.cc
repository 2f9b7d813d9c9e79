// bias_gradient_test.cc: gradients of what biases learn, on a device against the CPU.
#include "tests/cuda/bias_cases.h"

namespace posenc::bias_gradient_test {
namespace {

using CudaBiasGradient = Cuda;

// Gradients that begin with some numbers, as views of any placement.
struct Sums {
  std::vector<std::unique_ptr<Guarded>> arrays;
  std::vector<OnDevice> there;
  std::vector<Tensor> views;

  Sums(const Bias& scheme, DType dtype, Placement placement) {
    for (const Weight& w : weights(scheme)) {
      arrays.push_back(std::make_unique<Guarded>(dtype, w.shape, placement));
      for (int64_t n = 0; n < arrays.back()->view().elements(); ++n)
        set(arrays.back()->view(), n, 3);
      there.emplace_back(arrays.back()->view());
    }
    for (const OnDevice& t : there) views.push_back(t.view());
  }
  std::vector<double> fetch() const {
    std::vector<double> out;
    for (size_t i = 0; i < arrays.size(); ++i) {
      there[i].fetch();
      EXPECT_TRUE(arrays[i]->intact());
      for (const double g : numbers(arrays[i]->view())) out.push_back(g);
    }
    return out;
  }
};

struct Given {
  DType dtype = DType::f64;
  Placement placement = Placement::dense;
  std::vector<int64_t> shape{2, case_heads, 7, 13};
  double far = 64;             // above all distances
  bool learns_biases = false;  // each weight is a bias: a slope of 1
};

// Both add up n terms in f64, in orders of their own, so they are within n 2^-52 of the sum of the
// terms' sizes. A term is an element of dout times the slope of a bias, which is below four times
// the farthest distance in all of these. Eight of 16 bits may be added up in f32 before, by seven
// additions that are within 2^-24 of the sizes each.
void expect_alike(const Plans& p, const ScoreCase& c, const Given& given) {
  Random random(3);
  SCOPED_TRACE(p.host.text() + "; queries " + c.queries.name() + ", keys " + c.keys.name());
  const OptionsOnDevice there(c.options());
  Guarded dout(given.dtype, given.shape, given.placement), wide(DType::f64, given.shape);
  randomize(dout.view(), random);
  double size = 0;
  for (int64_t n = 0; n < dout.view().elements(); ++n) {
    set(wide.view(), n, get(dout.view(), n));
    size += std::abs(get(dout.view(), n));
  }
  const Weights truth = zero_weights(weights(p.host.scheme), DType::f64);
  backward(p.host.plan, wide.view(), truth.views(), c.options());
  const OnDevice ddout(dout.view());
  const DType compute = compute_type(given.dtype);
  const Sums once(p.host.scheme, compute, given.placement),
      again(p.host.scheme, compute, Placement::dense);
  backward(p.plan, ddout.view(), once.views, there.options);
  backward(p.plan, ddout.view(), again.views, there.options);
  const auto found = once.fetch();
  ASSERT_EQ(found, again.fetch());
  const auto n = static_cast<double>(dout.view().elements());
  const double eights = given.learns_biases && size_of(given.dtype) == 2 ? 7 * 0x1p-24 : 0;
  const double rounding = (n * 0x1p-52 + eights) * size * (given.learns_biases ? 1 : 4 * given.far);
  size_t i = 0;
  for (const Tensor& t : truth.views())
    for (const double g : numbers(t)) {
      ASSERT_NEAR(found[i], g + 3,
                  rounding + half_ulp(compute, g) + half_ulp(compute, std::abs(g) + 4))
          << i;
      ++i;
    }
}

template <class Body>
void for_everything_learned(const Body& body) {
  for_every_bias([&](const Plans& p) {
    if (!p.host.weights.arrays.empty()) body(p);
  });
}

TEST_F(CudaBiasGradient, OfRanges) {
  for_everything_learned([](const Plans& p) {
    expect_alike(p, {}, {});
    expect_alike(p, {.queries = TestPlaces(6), .causal = true}, {});
    expect_alike(p, {.scale = 0.3, .scale_on = ScaleOn::sum}, {});
    expect_alike(p, {.first_head = 3}, {.shape = {2, 7, 13}});
  });
}

TEST_F(CudaBiasGradient, OfAnyPositions) {
  Random random(4);
  for_everything_learned([&](const Plans& p) {
    const int64_t low = p.host.is_window() ? 0 : -12,
                  high = p.host.is_window() ? window_tokens - 1 : 40;
    const auto ids = [&](DType dtype, const std::vector<int64_t>& shape) {
      return TestPlaces(dtype, shape, random, low, high);
    };
    for (const bool causal : {false, true})
      expect_alike(
          p,
          {.queries = ids(DType::i64, {2, 7}), .keys = ids(DType::i32, {2, 13}), .causal = causal},
          {});
    expect_alike(p, {.queries = ids(DType::i32, {7})}, {.dtype = DType::bf16});
    if (!p.host.whole()) expect_alike(p, {.keys = ids(DType::f64, {13})}, {.dtype = DType::f32});
  });
}

TEST_F(CudaBiasGradient, EveryTypeAndPlacement) {
  for_everything_learned([](const Plans& p) {
    for (DType dtype : float_types)
      expect_alike(p, {.queries = TestPlaces(2)}, {.dtype = dtype, .shape = {6, 5, 9}});
    for (Placement placement : all_placements)
      expect_alike(p, {}, {.dtype = DType::f16, .placement = placement, .shape = {6, 5, 9}});
  });
}

// Several stretches, tiles and groups of batch rows.
TEST_F(CudaBiasGradient, ManyQueriesAndKeys) {
  Random random(2);
  const Bias all[] = {T5Bias{.heads = 2, .buckets = 12, .max_distance = 20},
                      Alibi{.heads = 2, .form = AlibiForm::keys, .learned_slopes = true}};
  for (const Bias& scheme : all) {
    const Plans p = plans_of(scheme, random);
    for (const bool causal : {false, true})
      expect_alike(p, {.queries = TestPlaces(10), .causal = causal},
                   {.dtype = DType::bf16, .shape = {3, 2, 70, 530}, .far = 600});
    expect_alike(p, {}, {.dtype = DType::f32, .shape = {1, 2, 600, 9}, .far = 600});
  }
}

// Rows that are whole packs of 16 bytes: several stretches, tiles and batch rows, and stretches
// that are no whole number of packs. Views of them that are not aligned give the same sums.
TEST_F(CudaBiasGradient, WholePacks) {
  for_everything_learned([](const Plans& p) {
    expect_alike(p, {}, {.dtype = DType::f64, .shape = {2, case_heads, 7, 12}});
    expect_alike(p, {.queries = TestPlaces(3), .causal = true},
                 {.dtype = DType::f32, .shape = {2, case_heads, 11, 12}});
  });
  Random random(2);
  const Plans p = plans_of(T5Bias{.heads = 2, .buckets = 12, .max_distance = 20}, random);
  for (const bool causal : {false, true})
    for (const DType dtype : float_types)
      for (const std::vector<int64_t>& shape : std::vector<std::vector<int64_t>>{
               {3, 2, 70, 1040}, {1, 2, 300, 8}, {2, 2, 1, 64}, {2, 37, 24}}) {
        expect_alike(p, {.queries = TestPlaces(10), .keys = TestPlaces(3), .causal = causal},
                     {.dtype = dtype, .shape = shape, .learns_biases = true});
        expect_alike(p, {.causal = causal},
                     {.dtype = dtype, .shape = shape, .learns_biases = true});
      }
  for (const Placement placement : all_placements)
    expect_alike(p, {},
                 {.dtype = DType::bf16,
                  .placement = placement,
                  .shape = {2, 2, 9, 16},
                  .learns_biases = true});
}

// What a mask hides counts nothing, be it NaN.
void expect_hidden_to_count_nothing(int64_t size, DType dtype) {
  for_everything_learned([=](const Plans& p) {
    Random random(5);
    Guarded dout(dtype, {case_heads, size, size});
    randomize(dout.view(), random);
    const ScoreOptions causal{.causal = true};
    OnDevice there(dout.view());
    const Sums before(p.host.scheme, DType::f32, Placement::dense),
        after(p.host.scheme, DType::f32, Placement::dense);
    backward(p.plan, there.view(), before.views, causal);
    for (int64_t n = 0; n < dout.view().elements(); ++n)
      if (n % size > n / size % size) set(dout.view(), n, NAN);
    there.put();
    backward(p.plan, there.view(), after.views, causal);
    EXPECT_EQ(before.fetch(), after.fetch()) << p.host.text();
  });
}

TEST_F(CudaBiasGradient, HiddenKeysCountNothing) {
  expect_hidden_to_count_nothing(6, DType::f32);
  expect_hidden_to_count_nothing(8, DType::bf16);
}

}  // namespace
}  // namespace posenc::bias_gradient_test
