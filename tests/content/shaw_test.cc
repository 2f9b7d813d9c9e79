// Shaw's vectors, on keys and on values.
#include <gtest/gtest.h>

#include "tests/content/formulas.h"
#include "tests/content/shaw.h"

namespace posenc::shaw_test {
namespace {

TEST(Shaw, RowsOfDistances) {
  const Shaw s{.left = 2, .right = 2};
  EXPECT_EQ(s.row(-5), 0);
  EXPECT_EQ(s.row(1), 3);
  EXPECT_EQ(s.row(7), 4);
  const Shaw zero{.left = 2, .right = 2, .beyond = Beyond::zero};
  EXPECT_EQ(zero.row(-3), -1);
  EXPECT_EQ(zero.row(-2), 0);
  EXPECT_EQ(zero.row(3), -1);
  // SpeechT5: query - key from -160 to 159, row 0 first.
  const Shaw speech{.left = 159, .right = 160, .order = RowOrder::query_minus_key};
  EXPECT_EQ(speech.rows(), 320);
  EXPECT_EQ(speech.row(160), 0);
  EXPECT_EQ(speech.row(0), 160);
  EXPECT_EQ(speech.row(-159), 319);
  EXPECT_EQ(speech.row(-1000), 319);
}

TEST(Shaw, IsItsFormula) {
  Random random(41);
  const Shaw schemes[] = {
      {.dim = 12, .left = 2, .right = 3},
      {.dim = 12, .heads = 5, .left = 2, .right = 3},
      {.dim = 12, .left = 3, .right = 0, .beyond = Beyond::zero},
      {.dim = 9, .heads = 5, .left = 4, .right = 5, .order = RowOrder::query_minus_key},
      {.dim = 1, .left = 0, .right = 0}};
  const ScoreOptions options[] = {
      {},
      {.queries = range(9), .keys = range(3), .first_head = 2},
      {.queries = range(70), .causal = true, .scale = 0.3, .scale_on = ScaleOn::sum},
      {.queries = range(-4), .scale = -1.5}};
  for (const DType dtype : {DType::f32, DType::f64})
    for (const Shaw& s : schemes)
      for (const ScoreOptions& o : options) {
        const Stand t(s, dtype, {2, 3, 67, 70}, random);
        expect_term(s, t, o);
      }
}

// Which row of the table a query reads for a key; or -1.
int64_t row_of(const Shaw& s, int64_t distance) {
  if (s.beyond == Beyond::zero && (distance < -s.left || distance > s.right)) return -1;
  return clipped(distance, -s.left, s.right) + s.left;
}

struct Outputs {
  Guarded p, out, before;
  Outputs(const Shaw& s, DType dtype, const Sizes& n, Random& random, Placement placement)
      : p(dtype, {n.rows, n.heads, n.queries, n.keys}, placement),
        out(dtype, {n.rows, n.queries, n.heads, s.dim}, placement),
        before(dtype, {n.rows, n.queries, n.heads, s.dim}, placement) {
    randomize(p.view(), random, 0, 1);
    randomize(out.view(), random);
    for (int64_t i = 0; i < out.view().elements(); ++i) set(before.view(), i, get(out.view(), i));
  }
};

TEST(Shaw, OutputsAreTheirFormula) {
  Random random(42);
  const Sizes n{2, 3, 67, 70};
  for (const DType dtype : float_types)
    for (const Placement placement : all_placements)
      for (const Beyond beyond : {Beyond::clip, Beyond::zero}) {
        const Shaw s{.dim = 7, .heads = 4, .left = 2, .right = 5, .beyond = beyond};
        const Stand t(s, dtype, n, random);
        const Outputs o(s, dtype, n, random, placement);
        add_to_outputs(t.plan, o.p.view(), o.out.view(), {.queries = range(3), .first_head = 1});
        for (int64_t i = 0; i < o.out.view().elements(); ++i) {
          const int64_t c = i % s.dim, h = i / s.dim % n.heads, q = i / s.dim / n.heads % n.queries;
          const int64_t row = i / s.dim / n.heads / n.queries;
          Sum sum{.length = static_cast<double>(n.keys)};
          for (int64_t key = 0; key < n.keys; ++key)
            if (const int64_t r = row_of(s, key - (q + 3)); r >= 0)
              sum.add(get(o.p.view(), t.score(row, h, q, key)) *
                      t.weight(0, ((h + 1) * s.rows() + r) * s.dim + c));
          const double start = get(o.before.view(), i);
          EXPECT_NEAR(get(o.out.view(), i), start + sum.value, allowed(dtype, sum, start));
        }
        EXPECT_TRUE(o.out.intact());
      }
}

// <dout, outputs(p, table)> is linear in p and in the table, so both gradients give it back.
void expect_output_gradients(const Shaw& s, DType dtype, const ScoreOptions& given,
                             Random& random) {
  const ScoreOptions at = from_first_head(given);
  const Sizes n{2, 3, 67, 70};
  const Stand t(s, dtype, n, random);
  const Outputs o(s, dtype, n, random, Placement::padded);
  const DType compute = compute_type(dtype);
  const Guarded dp(compute, {n.rows, n.heads, n.queries, n.keys}, Placement::spaced);
  const Guarded outputs(DType::f64, {n.rows, n.queries, n.heads, s.dim});
  const Weights dw = zero_weights(s.weights(), compute);
  for (int64_t i = 0; i < dp.view().elements(); ++i) set(dp.view(), i, 0);
  outputs_backward(t.plan, o.p.view(), o.out.view(), dp.view(), dw.views(), at);

  // The same sum from the forward pass, in f64 on the same numbers.
  const Guarded p64(DType::f64, {n.rows, n.heads, n.queries, n.keys});
  for (int64_t i = 0; i < p64.view().elements(); ++i) set(p64.view(), i, get(o.p.view(), i));
  for (int64_t i = 0; i < outputs.view().elements(); ++i) set(outputs.view(), i, 0);
  add_to_outputs(t.plan, p64.view(), outputs.view(), at);
  Sum forward, by_p, by_table;
  for (int64_t i = 0; i < outputs.view().elements(); ++i)
    forward.add(get(o.out.view(), i) * get(outputs.view(), i));
  for (int64_t i = 0; i < dp.view().elements(); ++i)
    by_p.add(get(dp.view(), i) * get(p64.view(), i));
  for (int64_t i = 0; i < dw.arrays[0].view().elements(); ++i)
    by_table.add(get(dw.arrays[0].view(), i) * t.weight(0, i));
  // p, table and dout are at most 1: rows * heads * queries * keys * dim products of sizes up
  // to 1, each in sums of at most rows * heads * queries + keys + dim numbers before f64.
  const double products = static_cast<double>(p64.view().elements() * s.dim);
  Sum all{.size = products};
  all.length = static_cast<double>(n.rows * n.heads * n.queries + n.keys + s.dim);
  EXPECT_NEAR(by_p.value, forward.value, allowed(compute, all));
  EXPECT_NEAR(by_table.value, forward.value, allowed(compute, all));
  EXPECT_NE(forward.value, 0);
}

TEST(Shaw, OutputGradientsAreAdjoints) {
  Random random(43);
  for (const int64_t heads : {0, 4})
    for (const DType dtype : float_types) {
      const Shaw s{.dim = 7, .heads = heads, .left = 2, .right = 5};
      expect_output_gradients(s, dtype, {.queries = range(4), .first_head = 1}, random);
      expect_output_gradients(s, dtype, {.keys = range(65)},
                              random);  // the first rows are not read
    }
}

}  // namespace
}  // namespace posenc::shaw_test
