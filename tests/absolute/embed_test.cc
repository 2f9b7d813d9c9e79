// embed_test.cc: the gradient of the token embedding.
#include <gtest/gtest.h>

#include "posenc/absolute.h"
#include "tests/support/elements.h"
#include "tests/support/guarded.h"
#include "tests/support/threads.h"

namespace posenc::embed_test {
namespace {

struct Case {
  std::vector<int64_t> batch{2, 3};
  int64_t dim = 7;
  DType ids = DType::i64;
  double scale = 1;
  Placement dout = Placement::dense, dembedding = Placement::dense;
};

const Case cases[] = {{},
                      {.batch = {}},
                      {.dim = 1},
                      {.dim = 300},
                      {.ids = DType::i32},
                      {.scale = -22.5},
                      {.dout = Placement::spaced},
                      {.dout = Placement::reversed, .dembedding = Placement::padded},
                      {.dout = Placement::swapped, .dembedding = Placement::swapped},
                      {.dembedding = Placement::spaced}};

// dembedding[id] += scale * dout, in the order of the tokens.
void expect_gradient(const Case& c, DType dtype) {
  Random random(1);
  const int64_t tokens = 140, vocabulary = 5;  // more tokens than two blocks have
  auto shape = c.batch;
  shape.push_back(tokens);
  Guarded ids(c.ids, shape, c.dout);
  shape.push_back(c.dim);
  Guarded dout(dtype, shape, c.dout);
  Guarded sum(compute_type(dtype), {vocabulary, c.dim}, c.dembedding);
  randomize_ids(ids.view(), random, 0, vocabulary - 2);  // the last id never comes
  randomize(dout.view(), random), randomize(sum.view(), random);
  auto truth = numbers(sum.view());
  for (int64_t n = 0; n < dout.view().elements(); ++n) {
    const auto id = static_cast<int64_t>(get(ids.view(), n / c.dim));
    truth[static_cast<size_t>(id * c.dim + n % c.dim)] += c.scale * get(dout.view(), n);
  }
  embed_backward(ids.view(), dout.view(), sum.view(), c.scale);
  ASSERT_TRUE(sum.intact());
  // At most 840 terms below |scale|, each a product and a sum that are rounded.
  const double most = 841 * std::max(std::abs(c.scale), 1.0);
  for (size_t n = 0; n < truth.size(); ++n)
    ASSERT_NEAR(get(sum.view(), static_cast<int64_t>(n)), truth[n],
                2 * 840 * half_ulp(compute_type(dtype), most))
        << to_string(dtype);
}

TEST(Embed, ScattersTheGradient) {
  for (const Case& c : cases)
    for (DType dtype : float_types) expect_gradient(c, dtype);
}

// Threads share the columns, here 19 lines of 16 of which the last is short.
TEST(Embed, GradientHasTheSameBitsForAnyNumberOfThreads) {
  const Case wide{.batch = {3}, .dim = 300, .scale = 0.5};
  for (DType dtype : float_types) {
    for (const int count : {1, 2, 3, 5}) {
      const Threads use(count);
      expect_gradient(wide, dtype);
    }
    Random random(3);
    Guarded ids(DType::i32, {3, 140}), dout(dtype, {3, 140, 300});
    randomize_ids(ids.view(), random, 0, 4), randomize(dout.view(), random);
    std::vector<std::vector<double>> results;
    for (const int count : {1, 2, 3, 5}) {
      const Threads use(count);
      const Guarded sum(compute_type(dtype), {5, 300}, Placement::padded);
      for (int64_t n = 0; n < 1500; ++n) set(sum.view(), n, 0);
      embed_backward(ids.view(), dout.view(), sum.view(), 0.5);
      results.push_back(numbers(sum.view()));
    }
    for (const auto& result : results) EXPECT_EQ(result, results[0]);
  }
}

// <embed(E) - rows, dout> = <E, embed_backward(dout)>
TEST(Embed, GradientIsTheAdjoint) {
  Random random(2);
  Guarded embedding(DType::f64, {6, 5}), gradient(DType::f64, {6, 5});
  Guarded ids(DType::i64, {2, 9}), dout(DType::f64, {2, 9, 5});
  Guarded out(DType::f64, {2, 9, 5}), rows(DType::f64, {2, 9, 5});
  randomize(embedding.view(), random), randomize(dout.view(), random);
  randomize_ids(ids.view(), random, 0, 5);
  randomize(gradient.view(), random, 0, 0);
  const auto plan = prepare(Sinusoidal{.dim = 5});
  embed(plan, ids.view(), embedding.view(), out.view(), {1.5, range(3)});
  fill(plan, rows.view(), range(3));
  embed_backward(ids.view(), dout.view(), gradient.view(), 1.5);
  double forward = 0, back = 0;
  for (int64_t n = 0; n < 90; ++n)
    forward += (get(out.view(), n) - get(rows.view(), n)) * get(dout.view(), n);
  for (int64_t n = 0; n < 30; ++n) back += get(embedding.view(), n) * get(gradient.view(), n);
  EXPECT_NEAR(forward, back, 90 * 2.5 * 90 * 0x1p-53);  // 90 terms below 2.5, as many roundings
}

}  // namespace
}  // namespace posenc::embed_test
