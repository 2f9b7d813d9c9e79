// weights_test.cc: bad weights, gradients and tables get one sentence, and nothing is written.
#include <gtest/gtest.h>

#include <limits>

#include "posenc/posenc.h"
#include "tests/support/elements.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"

namespace posenc::weights_test {
namespace {

const Learned scheme{.dim = 4, .rows = 6, .learned_scale = true};

TEST(Weights, AreCheckedWhenAPlanIsMade) {
  Guarded memory(DType::f32, {6, 4}), one(DType::f32, {1});
  const Tensor table = memory.view(), alpha = one.view();
  const auto expect = [&](std::vector<Tensor> weights, const char* part) {
    expect_message([&] { prepare(scheme, {.weights = weights}); }, part);
  };
  const auto spoilt = [&](auto change) {
    Tensor t = table;
    change(t);
    return std::vector{t, alpha};
  };
  expect({}, "[learned] expected 2 weights, got 0");
  expect({table}, "[learned] expected 2 weights, got 1");
  expect({alpha, table}, "expected weight 'table' as f32 [6, 4] (or f64, f16, bf16), got f32 [1]");
  expect({table, table}, "expected weight 'alpha' as f32 [1] (or f64, f16, bf16), got f32 [6, 4]");
  expect(spoilt([](Tensor& t) { t.shape[0] = 5; }), "got f32 [5, 4]");
  expect(spoilt([](Tensor& t) { t.dtype = DType::i32; }), "got i32 [6, 4]");
  expect(spoilt([](Tensor& t) { t.data = nullptr; }), "expected weight 'table' with data");
  expect(spoilt([](Tensor& t) { t.device = static_cast<Device>(7); }),
         "expected weight 'table' on the CPU");
  expect_message([] { prepare(Time2Vec{}); }, "[time2vec] expected 2 weights, got 0");
  expect_message([&] { prepare(Sinusoidal{}, {.weights = std::span(&alpha, 1)}); },
                 "expected 0 weights, got 1");
}

TEST(Weights, MustBeNumbersWhereTheyAreFrequencies) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), huge = 1e300;
  for (double bad : {nan, huge}) {
    const Tensor weight = tensor(&bad, {1, 1});
    const Gaussian one{.coordinates = 1, .features = 1};
    expect_message([&] { prepare(one, {.weights = std::span(&weight, 1)}); },
                   "[frequency] expected ");
  }
}

TEST(Weights, GradientsAreCheckedBeforeAnythingIsAdded) {
  Random random(1);
  Guarded memory(DType::f32, {6, 4}), one(DType::f32, {1}), dout(DType::f32, {2, 3, 4});
  Guarded dtable(DType::f32, {6, 4}), dalpha(DType::f32, {1});
  for (const Guarded* g : {&memory, &one, &dout, &dtable, &dalpha}) randomize(g->view(), random);
  const Tensor weights[] = {memory.view(), one.view()};
  const auto plan = prepare(scheme, {.weights = weights});
  const auto before = dtable.bytes();
  const auto expect = [&](const std::vector<Tensor>& sums, const char* part,
                          const Positions& at = range()) {
    expect_message([&] { backward(plan, dout.view(), sums, at); }, part);
    EXPECT_EQ(dtable.bytes(), before);
  };
  const Tensor table = dtable.view(), alpha = dalpha.view();
  const auto spoilt = [&](auto change) {
    Tensor t = table;
    change(t);
    return std::vector{t, alpha};
  };
  expect({table}, "[backward] expected 2 gradients, got 1");
  expect({table, alpha, alpha}, "[backward] expected 2 gradients, got 3");
  expect({alpha, table}, "[backward] expected the gradient of a weight as f32 [6, 4]");
  expect({table, table}, "[backward] expected the gradient of a weight as f32 [1]");
  expect(spoilt([](Tensor& t) { t.dtype = DType::f64; }), "got f64 [6, 4]");
  expect(spoilt([](Tensor& t) { t.dtype = DType::f16; }), "got f16 [6, 4]");
  expect(spoilt([](Tensor& t) { t.data = nullptr; }), "with data");
  expect(spoilt([](Tensor& t) { t.stride[0] = 0; }), "got strides [0, ");
  expect({table, alpha}, "expected positions from 0 to 5, got 4 to 6", range(4));
}

TEST(Weights, SchemesCheckTheirOptions) {
  const auto expect = [](const Absolute& s, const char* part) {
    expect_message([&] { prepare(s); }, part);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect(Sinusoidal{.dim = 0}, "[sinusoidal] expected dim from 1 to 1048576, got 0");
  expect(Sinusoidal{.dim = -3}, "got -3");
  expect(Sinusoidal{.dim = max_size + 1}, "got 1048577");
  expect(Sinusoidal{.base = 0}, "expected base to be above 0 and finite, got 0");
  expect(Sinusoidal{.base = nan}, "expected base to be above 0 and finite, got nan");
  expect(Sinusoidal{.position_scale = nan}, "expected position_scale to be finite");
  expect(Sinusoidal{.position_scale = 1e300}, "expected fewer than 2^62 turns per position");
  expect(Sinusoidal{.scale = nan}, "expected scale to be finite");
  expect(Sinusoidal{.offset = INT64_MAX}, "expected offset within 2^53");
  expect(Sinusoidal{.dim = 4, .rule = ExplicitRule{{1}}},
         "expected 2 explicit frequencies, one for each pair of dim 4, got 1");
  expect(Sinusoidal{.dim = 2, .rule = ExplicitRule{{nan}}},
         "expected rule.frequencies to be finite");
  expect(Sinusoidal{.dim = 2, .base = 7, .rule = ExplicitRule{{1}}}, "expected no base with");
  expect(Sinusoidal{.rule = TimescalesRule{-1}}, "expected rule.min_timescale to be above 0");
  expect(Sinusoidal{.rule = TimescalesRule{1, 0}}, "expected rule.max_timescale to be above 0");
  expect(Learned{.rows = 0}, "expected rows of at least 1");
  expect(Learned{.rows = INT64_MAX}, "expected rows of at least 1 that fit 64 bits");
  expect(Learned{.rows = 5, .padding = 5}, "expected padding to be a row from 0 to 4, got 5");
  expect(Nerf{.coordinates = 9}, "[nerf] expected coordinates from 1 to 8, got 9");
  expect(Nerf{.bands = 61}, "expected bands from 1 to 60, got 61");
  expect(Perceiver{{}, 3}, "expected max_resolution for 1 to 8 axes, got 0");
  expect(Perceiver{{4, -1}, 3}, "expected max_resolution to be above 0 and finite, got -1");
  expect(Perceiver{{4, 4}, max_size}, "expected columns from 1 to 1048576, got 4194306");
  expect(Gaussian{.coordinates = 0}, "expected coordinates from 1 to 8, got 0");
  expect(Gaussian{.features = max_size}, "expected columns from 1 to 1048576, got 2097152");
  expect(Gaussian{.deviation = -1}, "expected deviation to be above 0");
  expect(Time2Vec{.dim = 0}, "[time2vec] expected dim from 1");
  expect(Temporal{.dim = 0}, "[temporal] expected dim from 1");
}

TEST(Weights, ResizeIsCheckedToo) {
  Guarded memory(DType::f32, {8, 4}), other(DType::f32, {9, 4});
  const Tensor table = memory.view();
  const auto before = other.bytes();
  const auto expect = [&](auto change, const char* part, int64_t keep = 0) {
    Tensor out = other.view();
    change(out);
    expect_message([&] { resize(table, out, Resize::linear, keep); }, part);
    EXPECT_EQ(other.bytes(), before);
  };
  const auto nothing = [](Tensor&) {};
  expect(nothing, "[resize] expected keep from 0 to 7, got 8", 8);
  expect(nothing, "[resize] expected keep from 0 to 7, got -1", -1);
  expect(nothing, "[resize] expected keep from 0 to 7", INT64_MIN);
  expect([](Tensor& t) { t.shape[0] = 2; }, "expected keep from 0 to 2, got 3", 3);
  expect([](Tensor& t) { t.rank = 1; }, "expected [rows, dim] and [other rows, dim]");
  expect([](Tensor& t) { t.shape[1] = 3; }, "expected [rows, dim] and [other rows, dim]");
  expect([](Tensor& t) { t.dtype = DType::bf16; }, "of one type, got f32 [8, 4] and bf16 [9, 4]");
  expect([](Tensor& t) { t.data = nullptr; }, "expected out with data");
  expect([](Tensor& t) { t.stride[0] = 0; }, "got strides [0, ");
  expect([&](Tensor& t) { t = table; }, "expected out apart from table, got memory that overlaps");
  expect([&](Tensor& t) { t.data = static_cast<float*>(table.data) + 1; }, "overlaps");
}

}  // namespace
}  // namespace posenc::weights_test
