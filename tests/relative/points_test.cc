// points_test.cc: layout, segment-buckets and box-relation, whose tokens stand on several axes.
#include <gtest/gtest.h>

#include "posenc/attend.h"
#include "posenc/scheme.h"
#include "tests/relative/cases.h"
#include "tests/relative/plain_points.h"
#include "tests/support/message.h"

namespace posenc::points_test {
namespace {

// Each of them, small; f(scheme, axes, type of positions, least and most of them).
template <class F>
void for_each_scheme(const F& f) {
  const LayoutBias layout{
      .heads = 5, .buckets = 12, .max_distance = 40, .box_buckets = 20, .box_max_distance = 60};
  f(layout, 3, DType::i64, -100, 100);
  f(layout, 3, DType::i32, 0, 1000);
  const LayoutBias real{.heads = 5, .box_buckets = 8, .box_max_distance = 90, .box_scale = 1.75};
  f(real, 3, DType::f64, -50, 50);
  f(LayoutBias{.heads = 5, .buckets = 0, .box_buckets = 10, .scale = -0.3}, 3, DType::i32, 0, 1000);
  const SegmentBuckets segments{.heads = 5, .buckets = 8, .max_distance = 9, .segments = 7};
  f(segments, 2, DType::i32, 0, 6);
  f(segments, 2, DType::i64, 0, 6);
  const BoxRelation boxes{.heads = 5, .dim = 6, .base = 100, .scale = 2};
  f(boxes, 4, DType::f64, 0, 20);
  f(boxes, 4, DType::i32, -3, 20);
}

// Queries and keys of three batch rows, or of one that serves all.
struct Call {
  TestPlaces queries, keys;
  bool causal;

  ScoreOptions options() const {
    return {.queries = queries.at(), .keys = keys.at(), .first_head = 1, .causal = causal};
  }
};
Call make_call(int64_t axes, DType ids, int64_t low, int64_t high, Random& random, int round) {
  const int64_t rows = round % 2 == 0 ? 1 : 3;
  return {TestPlaces(ids, {axes, rows, 7}, random, low, high, all_placements[round % 5]),
          TestPlaces(ids, {axes, 3, 11}, random, low, high), round > 2};
}

// The token's own axis holds whole numbers, which TestPlaces do not where they are real.
void cut_tokens(const TestPlaces& places) {
  const Tensor& ids = places.at().ids;
  for (int64_t n = 0; n < ids.size(1) * ids.size(2); ++n) set(ids, n, std::floor(get(ids, n)));
}

// The plan's numbers are sums of up to 25 f64 products of a few roundings each; then each verb
// rounds as expect_scores() in cases.h says.
template <class S>
void expect_plain(const S& scheme, const Weights& w, const Call& c, const Tensor& out, double x) {
  const DType compute = compute_type(out.dtype);
  for (int64_t n = 0; n < out.elements(); ++n) {
    const int64_t k = n % 11, q = n / 11 % 7, h = n / 77 % 4, row = n / 77 / 4;
    const auto from = c.queries.place(4, row, q), to = c.keys.place(4, row, k);
    if (c.causal && to[0] > from[0]) {
      ASSERT_EQ(get(out, n), -HUGE_VAL) << n;
      continue;
    }
    const double b = plain::bias(scheme, w, h + 1, from, to);
    double off = 0x1p-44 * (1 + std::abs(b)) + half_ulp(compute, b);
    off += half_ulp(compute, std::abs(b + x) + off);
    if (out.dtype != compute) off += half_ulp(out.dtype, std::abs(b + x) + off);
    ASSERT_NEAR(get(out, n), b + x, off) << scheme.name << " " << n;
  }
}

template <class S>
void expect_verbs(const S& scheme, int64_t axes, DType ids, int64_t low, int64_t high) {
  Random random(7);
  for (int round = 0; round < 5; ++round)
    for (DType dtype : float_types) {
      const PreparedBias p = prepare_random(scheme, random);
      EXPECT_EQ(p.plan.axes(), axes);
      const Call c = make_call(axes, ids, low, high, random, round);
      if (ids == DType::f64 && axes == 3) cut_tokens(c.queries), cut_tokens(c.keys);
      Guarded out(dtype, {3, 4, 7, 11}, all_placements[round]);
      for (int64_t n = 0; n < out.view().elements(); ++n) set(out.view(), n, 0.5);
      add(p.plan, out.view(), c.options());
      expect_plain(scheme, p.weights, c, out.view(), 0.5);
      fill(p.plan, out.view(), c.options());
      expect_plain(scheme, p.weights, c, out.view(), 0);
      ASSERT_TRUE(out.intact());
    }
}

TEST(Points, FillAndAdd) {
  for_each_scheme([](const auto& scheme, int64_t axes, DType ids, int64_t low, int64_t high) {
    expect_verbs(scheme, axes, ids, low, high);
  });
}

// Hundredths of a page, which f32 and f64 cut to other whole numbers: 0.29 * 100 is 29 or below.
TEST(Points, ScaledDistancesAreCutInF32) {
  Random random(10);
  LayoutBias s{.heads = 1, .buckets = 0, .box_buckets = 256, .box_max_distance = 400};
  s.box_scale = 100;
  const PreparedBias p = prepare_random(s, random);
  const int64_t tokens = 61;
  std::vector<double> places(3 * tokens), out(tokens * tokens);
  const auto place = [&](int64_t axis, int64_t t) -> double& {
    return places[static_cast<size_t>(axis * tokens + t)];
  };
  for (int64_t t = 0; t < tokens; ++t)
    place(1, t) = static_cast<double>(t) / 100, place(2, t) = static_cast<double>(tokens - t) / 100;
  const auto at = positions(tensor(places.data(), {3, 1, tokens}));
  fill(p.plan, tensor(out.data(), {1, tokens, tokens}), {.queries = at, .keys = at});
  for (int64_t n = 0; n < tokens * tokens; ++n) {
    const auto point = [&](int64_t t) { return plain::Point{0, place(1, t), place(2, t)}; };
    const double b = plain::bias(s, p.weights, 0, point(n / tokens), point(n % tokens));
    ASSERT_NEAR(out[static_cast<size_t>(n)], b, 0x1p-50 * (1 + std::abs(b))) << n;
  }
}

// Biases are linear in what is learned, so <dout, biases of w> = <gradient, w> for any w.
TEST(Points, Gradients) {
  Random random(8);
  for_each_scheme([&](const auto& scheme, int64_t axes, DType ids, int64_t low, int64_t high) {
    for (int round = 0; round < 3; ++round) {
      const PreparedBias p = prepare_random(scheme, random), other = prepare_random(scheme, random);
      const Call c = make_call(axes, ids, low, high, random, round);
      Guarded dout(DType::f64, {3, 4, 7, 11}), out(DType::f64, {3, 4, 7, 11});
      randomize(dout.view(), random);
      const Weights sums = zero_weights(scheme.weights(), DType::f64);
      backward(p.plan, dout.view(), sums.views(), c.options());
      fill(other.plan, out.view(), c.options());
      double there = 0, here = 0, size = 0;
      for (int64_t n = 0; n < 3 * 4 * 7 * 11; ++n) {
        there += get(dout.view(), n) * get(out.view(), n);
        size += std::abs(get(dout.view(), n)) * 64;
      }
      for (size_t w = 0; w < sums.arrays.size(); ++w)
        for (int64_t n = 0; n < sums.arrays[w].view().elements(); ++n)
          here += get(sums.arrays[w].view(), n) * get(other.weights.arrays[w].view(), n);
      EXPECT_NEAR(here, there, 0x1p-42 * size) << scheme.name;
    }
  });
}

// Ranges, and ids of one axis, stand at the same place on every axis.
TEST(Points, OneAxisServesAll) {
  Random random(9);
  const std::vector<int64_t> line{3, 1, 4, 1, 5};
  std::vector<int64_t> all;
  for (int axis = 0; axis < 4; ++axis) all.insert(all.end(), line.begin(), line.end());
  for_each_scheme([&](const auto& scheme, int64_t axes, DType, int64_t, int64_t) {
    const PreparedBias p = prepare_random(scheme, random);
    std::vector<double> one(5 * 25), each(5 * 25);
    const auto lone = positions(tensor(line.data(), {5}));
    fill(p.plan, tensor(one.data(), {5, 5, 5}), {.queries = lone, .keys = lone});
    const auto full = positions(tensor(all.data(), {axes, 1, 5}));
    fill(p.plan, tensor(each.data(), {5, 5, 5}), {.queries = full, .keys = full});
    EXPECT_EQ(one, each) << scheme.name;
    EXPECT_EQ(one[7], bias(p.plan, 0, 1, 4)) << scheme.name;
  });
}

// Queries of 0: softmax of the biases alone, times v, [tokens, heads, dim]. All numbers are
// below 4.
TEST(Points, Attend) {
  Random random(10);
  for_each_scheme([&](const auto& scheme, int64_t axes, DType ids, int64_t low, int64_t high) {
    const PreparedBias p = prepare_random(scheme, random);
    const TestPlaces at(ids, {axes, 1, 6}, random, low, high);
    Guarded q(DType::f64, {6, 5, 2}), v(DType::f64, {6, 5, 2}), out(DType::f64, {6, 5, 2});
    randomize(v.view(), random);
    for (int64_t n = 0; n < 60; ++n) set(q.view(), n, 0);
    attend(p.plan, {q.view(), v.view(), v.view()}, out.view(),
           {.queries = at.at(), .keys = at.at()});
    std::vector<double> biases(5 * 36);
    fill(p.plan, tensor(biases.data(), {5, 6, 6}), {.queries = at.at(), .keys = at.at()});
    for (int64_t n = 0; n < 60; ++n) {
      const int64_t query = n / 10, head = n / 2 % 5;
      double above = 0, below = 0;
      for (int64_t k = 0; k < 6; ++k) {
        const double weight = std::exp(biases[static_cast<size_t>((head * 6 + query) * 6 + k)]);
        above += weight * get(v.view(), k * 10 + n % 10), below += weight;
      }
      EXPECT_NEAR(get(out.view(), n), above / below, 0x1p-40) << scheme.name;
    }
  });
}

TEST(Points, Sentences) {
  Random random(11);
  const auto plan =
      prepare_random(SegmentBuckets{.heads = 1, .buckets = 8, .segments = 3}, random).plan;
  std::vector<float> out(9);
  std::vector<int64_t> ids{0, 1, 2, 0, 1, 3, 0, 0, 0};
  const auto filled = [&](int64_t axes) {
    return [&, axes] {
      fill(plan, tensor(out.data(), {1, 3, 3}),
           {.keys = positions(tensor(ids.data(), {axes, 1, 3}))});
    };
  };
  expect_message(filled(2), "[fill] expected segments of keys from 0 to 2, got 3");
  expect_message(
      filled(3),
      "[fill] expected positions of keys as i32, i64 or f64 [1 or 2, 1 or 1, 3], got i64");
  expect_message([&] { bias(plan, 0, 0, 3); },
                 "[bias] expected positions from 0 to 2, got 0 and 3");
  expect_message([] { LayoutBias{.box_buckets = 3}.check(); },
                 "[layout] expected box_buckets from 4 to 1024, even, got 3");
  expect_message([] { LayoutBias{.box_scale = 0}.check(); }, "[layout] expected box_scale");
  expect_message([] { LayoutBias{.box_scale = 0x1p21}.check(); }, "expected box_scale up to 1048");
  expect_message([] { BoxRelation{.eps = 1e-31}.check(); }, "expected eps of at least 1e-30");
  expect_message([] { LayoutBias{.max_distance = 8}.check(); },
                 "[layout] expected max_distance above 8 and up to 2^31, got 8");
  expect_message([] { SegmentBuckets{.segments = 0}.check(); },
                 "[segment-buckets] expected segments from 1 to 1024, got 0");
  expect_message([] { BoxRelation{.dim = 3}.check(); },
                 "[box-relation] expected dim to be even, got 3");
  EXPECT_EQ(alternative_name(make_scheme("udop")), "layout");
  EXPECT_EQ(alternative_name(make_scheme("cpm-ant")), "segment-buckets");
  EXPECT_EQ(alternative_name(make_scheme("pp-doclayout-v2")), "box-relation");
}

}  // namespace
}  // namespace posenc::points_test
