// Transformer-XL's term against its formula and against the shifts of the usual code.
#include <gtest/gtest.h>

#include "tests/content/formulas.h"
#include "tests/content/transformer_xl.h"

namespace posenc::transformer_xl_test {
namespace {

using Matrix = std::vector<std::vector<double>>;

// Pads a column of zeros on the left, reads the numbers as [columns + 1, rows], drops the first row
// and reads what is left as [rows, columns].
Matrix shifted(const Matrix& in) {
  const size_t rows = in.size(), columns = in[0].size();
  std::vector<double> flat;
  for (const auto& row : in) {
    flat.push_back(0);
    flat.insert(flat.end(), row.begin(), row.end());
  }
  Matrix out(rows, std::vector<double>(columns));
  for (size_t n = 0; n < rows * columns; ++n) out[n / columns][n % columns] = flat[rows + n];
  return out;
}

TEST(TransformerXl, WorkedShift) {
  Matrix in(3);
  for (int i = 0; i < 3; ++i)
    for (int r = 2; r >= -2; --r) in[static_cast<size_t>(i)].push_back(10 * i + r);
  const Matrix out = shifted(in), worked{{0, -1, -2}, {11, 10, 9}, {22, 21, 20}};
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(out[i][j], worked[i][j]);
      EXPECT_EQ(out[i][j],
                10 * static_cast<double>(i) + static_cast<double>(i) - static_cast<double>(j));
    }
}

// (q + v) . W R(distance) for the distances from `from` down to `to`: what the usual code shifts.
Matrix columns(const TransformerXl& s, const Stand& t, int64_t row, int64_t head, int64_t from,
               int64_t to) {
  Matrix out(static_cast<size_t>(t.sizes.queries));
  for (int64_t i = 0; i < t.sizes.queries; ++i)
    for (int64_t d = from; d >= to; --d)
      out[static_cast<size_t>(i)].push_back(
          query_times_sinusoids(s, t, {row, head, i, 0, 0, 0, head}, i, d).value);
  return out;
}

// The term alone, for scores of 0 and no biases, is the shifted matrix.
void expect_shifted(const TransformerXl& s, const Sizes& n, int64_t from, int64_t to,
                    int64_t first_query) {
  Random random(71);
  const Stand t(s, DType::f64, n, random);
  for (int64_t i = 0; i < t.scores.view().elements(); ++i) set(t.scores.view(), i, 0);
  add(t.plan, t.inputs(), t.scores.view(), t.out.view(), {.queries = range(first_query)});
  for (int64_t row = 0; row < n.rows; ++row)
    for (int64_t head = 0; head < n.heads; ++head) {
      const Matrix wanted = shifted(columns(s, t, row, head, from, to));
      for (int64_t i = 0; i < n.queries; ++i)
        for (int64_t j = 0; j < n.keys; ++j) {
          // q, W and R are at most 1.
          const Sum bound{.size = static_cast<double>(s.dim * s.sinusoids.dim),
                          .length = static_cast<double>(s.dim + s.sinusoids.dim)};
          EXPECT_NEAR(get(t.out.view(), t.score(row, head, i, j)),
                      wanted[static_cast<size_t>(i)][static_cast<size_t>(j)],
                      allowed(DType::f64, bound))
              << i << " " << j;
        }
    }
}

TEST(TransformerXl, IsTheShiftOfAllDistances) {
  const TransformerXl s{.dim = 5, .heads = 2, .sinusoids = {.dim = 6}, .biases = false};
  expect_shifted(s, {2, 2, 9, 9}, 8, -8, 0);  // conformer: T - 1 .. -(T - 1)
}

TEST(TransformerXl, LegacyIsTheShiftOfDistancesBack) {
  const TransformerXl s{
      .dim = 5, .heads = 2, .sinusoids = {.dim = 6}, .biases = false, .legacy = true};
  expect_shifted(s, {2, 2, 9, 9}, 8, 0, 0);
  expect_shifted(s, {1, 2, 67, 67}, 66, 0, 0);  // a query's successor in the next block
  expect_shifted(s, {2, 2, 4, 11}, 10, 0, 7);   // a memory before the queries
  expect_shifted(s, {2, 2, 1, 1}, 0, 0, 0);
}

TEST(TransformerXl, IsItsFormula) {
  Random random(72);
  const Sinusoidal halves{.dim = 8, .order = Order::halves}, interleaved{.dim = 10};
  const Sinusoidal gemma{.dim = 8, .rule = TimescalesRule{}, .order = Order::halves};
  const TransformerXl schemes[] = {{.dim = 12, .heads = 5, .sinusoids = halves},
                                   {.dim = 7, .heads = 5, .sinusoids = interleaved, .clamp_len = 6},
                                   {.dim = 12, .heads = 5, .sinusoids = gemma, .biases = false}};
  for (const DType dtype : {DType::f32, DType::f64})
    for (const TransformerXl& s : schemes)
      for (const ScoreOptions& o :
           {ScoreOptions{.scale = 0.25, .scale_on = ScaleOn::sum},
            ScoreOptions{
                .queries = range(31), .keys = range(5), .first_head = 2, .causal = true}}) {
        const Stand t(s, dtype, {2, 3, 66, 19}, random);
        expect_term(s, t, o);
      }
  const TransformerXl legacy{.dim = 7, .heads = 3, .sinusoids = interleaved, .legacy = true};
  for (const DType dtype : {DType::f32, DType::f64})
    expect_term(legacy, Stand(legacy, dtype, {2, 3, 66, 70}, random), {.queries = range(4)});
}

}  // namespace
}  // namespace posenc::transformer_xl_test
