// verbs_test.cc: fill, add and embed against the plain composition of their parts.
#include <gtest/gtest.h>

#include "tests/support/every_target.h"
#include "tests/support/places.h"
#include "tests/support/weights.h"

namespace posenc::verbs_test {
namespace {

struct Case {
  std::vector<int64_t> batch{2};
  int64_t tokens = 5, dim = 7;
  Placement in = Placement::dense, out = Placement::dense;

  std::vector<int64_t> shape() const {
    auto s = batch;
    s.insert(s.end(), {tokens, dim});
    return s;
  }
  std::vector<int64_t> ids_shape() const {
    auto s = shape();
    s.pop_back();
    return s;
  }
  int64_t rows() const {
    int64_t n = 1;
    for (int64_t b : batch) n *= b;
    return n;
  }
};

// One change at a time around the first.
const Case cases[] = {
    {},
    {.batch = {}},
    {.batch = {1}, .tokens = 1, .dim = 1},
    {.batch = {3, 2}},
    {.batch = {2, 1, 3}},
    {.tokens = 15},
    {.tokens = 16},              // the shortest run
    {.tokens = 67, .dim = 18},   // past a block of rows
    {.tokens = 1030, .dim = 3},  // past two runs
    {.tokens = 20, .dim = 301},
    {.tokens = 20, .dim = 1100},  // past a chunk of columns
    {.batch = {}, .tokens = 20, .dim = 1100, .out = Placement::spaced},
    {.tokens = 66, .dim = 512},
    {.out = Placement::padded},
    {.out = Placement::spaced},
    {.tokens = 20, .in = Placement::spaced, .out = Placement::spaced},
    {.tokens = 20, .in = Placement::padded},
    {.tokens = 20, .in = Placement::swapped},
    {.batch = {2, 3}, .tokens = 20, .in = Placement::reversed, .out = Placement::swapped},
    {.batch = {2, 3}, .tokens = 70, .dim = 65, .out = Placement::reversed}};

// Every element is base(n) + the row at its place, within error(n, truth).
template <class Base, class Allowed>
void expect_sums(const AbsolutePlan& plan, const TestPlaces& at, const Guarded& out,
                 const Base& base, const Allowed& error) {
  ASSERT_TRUE(out.intact());
  const Tensor& t = out.view();
  const int64_t tokens = t.size(-2), dim = t.size(-1);
  for (int64_t r = 0; r < t.elements() / dim; ++r) {
    const auto row = row_at(plan, at.place(plan.axes(), r / tokens, r % tokens));
    for (int64_t c = 0; c < dim; ++c) {
      const int64_t n = r * dim + c;
      const double truth = base(n) + row[static_cast<size_t>(c)];
      ASSERT_NEAR(get(t, n), truth, error(n, truth))
          << describe(t) << " token " << r << " column " << c << ", " << at.name();
    }
  }
}

// A straight line may be far from 0: the error of a row grows with its size.
double size_of_rows(const TestPlaces& at, const AbsolutePlan& plan, const Case& c) {
  double size = 1;
  for (int64_t r = 0; r < c.rows() * c.tokens; ++r)
    for (double v : row_at(plan, at.place(plan.axes(), r / c.tokens, r % c.tokens)))
      size = std::max(size, std::abs(v));
  return size;
}

void expect_fill(const AbsolutePlan& plan, const TestPlaces& at, const Case& c, DType dtype) {
  Guarded out(dtype, c.shape(), c.out);
  fill(plan, out.view(), at.at());
  const double size = size_of_rows(at, plan, c);
  expect_sums(
      plan, at, out, [](int64_t) { return 0.0; },
      [&](int64_t, double truth) { return row_error(dtype, truth, size); });
}

void expect_add(const AbsolutePlan& plan, const TestPlaces& at, const Case& c, DType dtype) {
  Random random(11);
  Guarded x(dtype, c.shape(), c.in), out(dtype, c.shape(), c.out);
  randomize(x.view(), random, -4, 4);
  const auto before = numbers(x.view());
  const double size = size_of_rows(at, plan, c);
  const auto base = [&](int64_t n) { return before[static_cast<size_t>(n)]; };
  const auto error = [&](int64_t, double truth) { return sum_error(dtype, truth, size); };
  add(plan, x.view(), out.view(), at.at());
  expect_sums(plan, at, out, base, error);
  ASSERT_EQ(numbers(x.view()), before);
  add(plan, x.view(), x.view(), at.at());
  expect_sums(plan, at, x, base, error);
}

void expect_embed(const AbsolutePlan& plan, const TestPlaces& at, const Case& c, DType dtype,
                  DType id_type, double scale) {
  Random random(12);
  const int64_t vocabulary = 9;
  Guarded embedding(dtype, {vocabulary, c.dim}, c.in), out(dtype, c.shape(), c.out);
  Guarded ids(id_type, c.ids_shape(), c.in);
  randomize(embedding.view(), random);
  randomize_ids(ids.view(), random, 0, vocabulary - 1);
  embed(plan, ids.view(), embedding.view(), out.view(), {scale, at.at()});
  const auto base = [&](int64_t n) {
    const auto id = static_cast<int64_t>(get(ids.view(), n / c.dim));
    return scale * get(embedding.view(), id * c.dim + n % c.dim);
  };
  const double size = size_of_rows(at, plan, c);
  expect_sums(plan, at, out, base, [&](int64_t n, double truth) {
    // The scale is rounded to the compute type, and so is the product without fused instructions.
    const double product = 2 * 2 * half_ulp(compute_type(dtype), base(n));
    return product + sum_error(dtype, std::abs(truth) + product, size);
  });
}

TEST(Verbs, AnyShapeAndLayoutInEveryType) {
  for_every_target([] {
    for (const Case& c : cases)
      for (DType dtype : float_types) {
        const auto plan = prepare(Sinusoidal{.dim = c.dim, .offset = 3});
        expect_fill(plan, TestPlaces(0), c, dtype);
        expect_add(plan, TestPlaces(100), c, dtype);
        expect_embed(plan, TestPlaces(0), c, dtype, DType::i64,
                     std::sqrt(static_cast<double>(c.dim)));
        expect_embed(plan, TestPlaces(-2), c, dtype, DType::i32, 1);
      }
  });
}

void expect_all(const AbsolutePlan& plan, const TestPlaces& at, Case c, DType dtype) {
  c.dim = plan.dim();
  expect_fill(plan, at, c, dtype);
  expect_add(plan, at, c, dtype);
  expect_embed(plan, at, c, dtype, DType::i64, -0.75);
}

TEST(Verbs, AnyPositions) {
  Random random(1);
  const auto plan = prepare(Sinusoidal{.dim = 19, .order = Order::halves});
  const Case c{.batch = {2, 3}, .tokens = 21};
  for (DType dtype : float_types) {
    for (int64_t first : {int64_t{0}, int64_t{-10}, (int64_t{1} << 31) - 5, int64_t{1} << 52})
      expect_all(plan, TestPlaces(first), c, dtype);
    for (DType ids : {DType::i32, DType::i64, DType::f64})
      for (const auto& shape :
           std::vector<std::vector<int64_t>>{{21}, {6, 21}, {1, 21}, {1, 6, 21}, {1, 1, 21}})
        expect_all(plan, TestPlaces(ids, shape, random, -1000, 1'000'000), c, dtype);
    for (Placement placement : all_placements)
      expect_all(plan, TestPlaces(DType::i64, {6, 21}, random, 0, 99, placement), c, dtype);
  }
}

TEST(Verbs, SeveralAxes) {
  Random random(2);
  const Case c{.batch = {2, 3}, .tokens = 21};
  for (DType dtype : float_types)
    for (DType ids : {DType::i32, DType::i64, DType::f64})
      for (const auto& shape : std::vector<std::vector<int64_t>>{{3, 6, 21}, {3, 1, 21}})
        expect_all(prepare(Nerf{.bands = 2}), TestPlaces(ids, shape, random, -9, 9), c, dtype);
}

TEST(Verbs, EveryKindOfSource) {
  Random random(3);
  const Case c{.tokens = 21};
  for (const Absolute& s : std::vector<Absolute>{
           Learned{.dim = 9, .rows = 30, .offset = 2, .scale = 1.5}, Time2Vec{.dim = 9},
           Sinusoidal{.dim = 9, .learned_scale = true}, Gaussian{.coordinates = 1, .features = 5},
           Temporal{.dim = 9}, Perceiver{{16}, 3}}) {
    const Prepared p = prepare_random(s, random);
    for (DType dtype : float_types)
      for (const TestPlaces& at : {TestPlaces(4), TestPlaces(DType::i32, {2, 21}, random, -2, 27)})
        expect_all(p.plan, at, c, dtype);
  }
}

}  // namespace
}  // namespace posenc::verbs_test
