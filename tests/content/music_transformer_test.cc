// Music Transformer's table of distances back, against the skewing of its code.
#include <gtest/gtest.h>

#include "tests/content/formulas.h"
#include "tests/content/music_transformer.h"

namespace posenc::music_transformer_test {
namespace {

using Matrix = std::vector<std::vector<double>>;

// Pads a column of zeros on the left, reads the numbers as [L + 1, L] and drops the first row.
Matrix skew(const Matrix& in) {
  const size_t n = in.size();
  std::vector<double> flat;
  for (const auto& row : in) {
    flat.push_back(0);
    flat.insert(flat.end(), row.begin(), row.end());
  }
  Matrix out;
  for (size_t i = 1; i <= n; ++i) {
    const auto at = flat.begin() + static_cast<int64_t>(i * n);
    out.emplace_back(at, at + static_cast<int64_t>(n));
  }
  return out;
}

TEST(MusicTransformer, WorkedNumber) {
  const Matrix products{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  const Matrix skewed = skew(products);
  EXPECT_EQ(skewed, (Matrix{{3, 0, 4}, {5, 6, 0}, {7, 8, 9}}));

  // Queries that are rows of the identity make q . table[r] the transpose of the table.
  std::vector<double> q{1, 0, 0, 0, 1, 0, 0, 0, 1}, table, scores(9);
  for (size_t r = 0; r < 3; ++r)
    for (size_t i = 0; i < 3; ++i) table.push_back(products[i][r]);
  const MusicTransformer s{.dim = 3, .length = 3};
  const Tensor weights[] = {tensor(table.data(), {3, 3})}, all = tensor(scores.data(), {1, 3, 3});
  add(prepare(s, {.weights = weights}), {.q = tensor(q.data(), {3, 1, 3})}, all, all);
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) EXPECT_EQ(scores[3 * i + j], j <= i ? skewed[i][j] : 0);
}

TEST(MusicTransformer, IsItsFormula) {
  Random random(51);
  for (const DType dtype : {DType::f32, DType::f64})
    for (const MusicTransformer& s : {MusicTransformer{.dim = 12, .length = 100},
                                      MusicTransformer{.dim = 5, .heads = 4, .length = 9}})
      for (const ScoreOptions& o :
           {ScoreOptions{.causal = true}, ScoreOptions{},
            ScoreOptions{.queries = range(13), .first_head = 1, .scale = 0.25}}) {
        const Stand t(s, dtype, {2, 3, 67, 70}, random);
        expect_term(s, t, o);
      }
}

}  // namespace
}  // namespace posenc::music_transformer_test
