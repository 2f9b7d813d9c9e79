// lookups_test.cc: tables read between their rows, on a device against the CPU.
#include "tests/cuda/device.h"

namespace posenc::lookups_test {
namespace {

using CudaLookups = Cuda;

struct Bound {
  double size = 0, terms = 0, weighed = 0;
};

// For each number of the gradient: the sum of the sizes of what is added to it, how much that is,
// and the sum of the sizes of what was weighed.
std::vector<Bound> bounds(const AbsolutePlan& plan, const TestPlaces& at, const Tensor& dout) {
  const Lookups& lookups = plan.parts().lookups;
  const int64_t dim = plan.dim(), tokens = dout.size(-2);
  std::vector<Bound> out(static_cast<size_t>(lookups.tables[0].elements()));
  for (int64_t n = 0; n < dout.elements(); ++n) {
    const auto p = at.place(2, n / dim / tokens, n / dim % tokens);
    for (const Lookup& lookup : lookups.list) {
      const Tap tap = lookup.on_sides(p[0], p[1]);
      Bound& to = out[static_cast<size_t>(tap.row * dim + n % dim)];
      to.size += std::abs(tap.weight * get(dout, n)), to.terms += 1;
      to.weighed += std::abs(get(dout, n));
    }
  }
  return out;
}

void expect_alike(const LearnedGrid& s, DType dtype, const TestPlaces& at) {
  Random random(1);
  const Prepared host = prepare_random(s, random, DType::f32);
  const WeightsOnDevice weights(host.weights);
  const AbsolutePlan plan = prepare(s, {.weights = weights.views()});
  const PlacesOnDevice there(at.at());
  Guarded rows(dtype, {3, 19, s.dim}), dout(dtype, {3, 19, s.dim}),
      truth(DType::f64, {3, 19, s.dim});
  randomize(dout.view(), random);
  const OnDevice device_rows(rows.view()), device_dout(dout.view());
  fill(plan, device_rows.view(), there.at()), fill(host.plan, truth.view(), at.at());
  device_rows.fetch();
  ASSERT_TRUE(rows.intact());
  for (int64_t n = 0; n < truth.view().elements(); ++n) {  // sums in f64, then rounded
    const double row = get(truth.view(), n), sums = 64 * 0x1p-53;
    ASSERT_NEAR(get(rows.view(), n), row,
                2 * sums + half_ulp(compute_type(dtype), std::abs(row) + sums) +
                    half_ulp(dtype, row * 1.01));
  }
  const DType c = compute_type(dtype);
  const Weights wanted = zero_weights(s, c), got = zero_weights(s, c);
  const WeightsOnDevice sums(got);
  backward(host.plan, dout.view(), wanted.views(), at.at());
  backward(plan, device_dout.view(), sums.views(), there.at());
  sums.fetch();
  const auto bound = bounds(host.plan, at, dout.view());
  // Each term is rounded, and each sum on the way. A weight is the product of two cubics of numbers
  // up to 2, with terms up to 10 that cancel: a GPU, which fuses products and sums, may be 64 half
  // units of 1 off.
  for (size_t n = 0; n < bound.size(); ++n)
    ASSERT_NEAR(get(got.arrays[0].view(), static_cast<int64_t>(n)),
                get(wanted.arrays[0].view(), static_cast<int64_t>(n)),
                2 * (bound[n].terms + 2) * bound[n].size * 2 * half_ulp(c, 1) +
                    64 * 0x1p-53 * bound[n].weighed)
        << n;
}

TEST_F(CudaLookups, BetweenRowsAsOnTheCpu) {
  Random random(2);
  for (const Between between : {Between::linear, Between::cubic})
    for (const int64_t dim : {5, 16})
      for (const int64_t rows : {1, 3})
        for (const DType dtype : float_types) {
          SCOPED_TRACE(std::string(enum_name(between)) + " " + std::string(to_string(dtype)));
          const LearnedGrid s{.dim = dim, .height = 6, .width = 5, .prefix = 1, .between = between};
          expect_alike(s, dtype, TestPlaces(DType::f64, {2, rows, 19}, random, 0, 3));
        }
}

TEST_F(CudaLookups, PlacesThatAreNone) {
  Random random(3);
  const Axial s{.dim = 4, .rows = {3, 5}};
  const Prepared host = prepare_random(s, random, DType::f32);
  const WeightsOnDevice weights(host.weights);
  const AbsolutePlan plan = prepare(s, {.weights = weights.views()});
  Guarded ids(DType::i32, {2, 1, 2}), out(DType::f32, {2, 4});
  const int32_t places[] = {1, 3, 4, 2};  // (1, 4) and (3, 2); 3 is none
  for (int64_t n = 0; n < 4; ++n) set(ids.view(), n, places[n]);
  const OnDevice there(out.view()), where(ids.view());
  fill(plan, there.view(), positions(where.view()));
  there.fetch();
  for (int64_t n = 0; n < 8; ++n) EXPECT_EQ(std::isnan(get(out.view(), n)), n == 4 || n == 5) << n;
}

}  // namespace
}  // namespace posenc::lookups_test
