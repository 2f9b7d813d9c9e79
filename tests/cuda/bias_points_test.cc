// bias_points_test.cc: biases of tokens that stand on several axes, on a device against the CPU.
#include "tests/cuda/bias_cases.h"

namespace posenc::bias_points_test {
namespace {

using CudaBiasPoints = Cuda;

struct PointCase {
  Bias scheme;
  int64_t axes;
  DType ids;
  int64_t low, high;
};
std::vector<PointCase> cases() {
  const LayoutBias real{.heads = case_heads, .box_buckets = 8, .box_scale = 2.5};
  std::vector<PointCase> out{{real, 3, DType::f64, -20, 40}};
  for (const DType ids : {DType::i32, DType::i64}) {
    out.push_back({small(LayoutBias{})[0], 3, ids, -20, 300});
    out.push_back({small(SegmentBuckets{})[0], 2, ids, 0, window_tokens - 1});
  }
  out.push_back({small(BoxRelation{})[0], 4, DType::f64, -2, 20});
  return out;
}

ScoreCase call_of(const PointCase& c, Random& random, int64_t rows, bool causal) {
  return {.queries = TestPlaces(c.ids, {c.axes, rows, 7}, random, c.low, c.high),
          .keys = TestPlaces(c.ids, {c.axes, 2, 13}, random, c.low, c.high),
          .first_head = 2,
          .causal = causal,
          .scale = 0.5};
}

TEST_F(CudaBiasPoints, FillAndAddInEveryType) {
  Random random(1);
  for (const PointCase& c : cases())
    for (const DType dtype : float_types)
      for (const int64_t rows : {1, 2}) {
        const Plans p = plans_of(c.scheme, random);
        const ScoreCase call = call_of(c, random, rows, rows == 2);
        const OptionsOnDevice there(call.options());
        const std::vector<int64_t> shape{2, 4, 7, 13};
        Guarded scores(dtype, shape), truth(dtype, shape);
        randomize(scores.view(), random);
        const OnDevice found(scores.view());
        add(p.host.plan, scores.view(), truth.view(), call.options());
        add(p.plan, found.view(), there.options);
        found.fetch();
        for (int64_t n = 0; n < truth.view().elements(); ++n) {
          const double t = get(truth.view(), n);
          if (std::isinf(t)) {
            ASSERT_EQ(get(scores.view(), n), t);
          } else {
            ASSERT_NEAR(get(scores.view(), n), t,
                        2 * bias_error(dtype, t, 70) + 2 * half_ulp(dtype, t))
                << p.host.text() << " " << n;
          }
        }
      }
}

// Both add up fewer than 2^8 terms of up to 4, in orders of their own.
TEST_F(CudaBiasPoints, Gradients) {
  Random random(2);
  for (const PointCase& c : cases())
    for (const int64_t rows : {1, 2}) {
      const Plans p = plans_of(c.scheme, random);
      const ScoreCase call = call_of(c, random, rows, rows == 1);
      const OptionsOnDevice there(call.options());
      Guarded dout(DType::f64, {2, 4, 7, 13});
      randomize(dout.view(), random);
      const Weights truth = zero_weights(weights(c.scheme), DType::f64), found = truth;
      backward(p.host.plan, dout.view(), truth.views(), call.options());
      const OnDevice ddout(dout.view());
      const WeightsOnDevice sums(found);
      backward(p.plan, ddout.view(), sums.views(), there.options);
      sums.fetch();
      for (size_t w = 0; w < truth.arrays.size(); ++w)
        for (int64_t n = 0; n < truth.arrays[w].view().elements(); ++n)
          ASSERT_NEAR(get(found.arrays[w].view(), n), get(truth.arrays[w].view(), n), 0x1p-40)
              << p.host.text() << " " << w << " " << n;
    }
}

// Segments that the host cannot read are not checked: those that no row serves give NaN.
TEST_F(CudaBiasPoints, UnknownSegments) {
  Random random(3);
  const Plans p = plans_of(small(SegmentBuckets{})[0], random);
  std::vector<int64_t> ids{0, 1, 2, 0, window_tokens, -1};
  const PlacesOnDevice keys(positions(tensor(ids.data(), {2, 1, 3})));
  std::vector<float> out(3);
  const Tensor host = tensor(out.data(), {1, 1, 3});
  const OnDevice there(host);
  fill(p.plan, there.view(), {.keys = keys.at(), .first_head = 0});
  there.fetch();
  EXPECT_FALSE(std::isnan(out[0]));
  EXPECT_TRUE(std::isnan(out[1]) && std::isnan(out[2]));
}

}  // namespace
}  // namespace posenc::bias_points_test
