// temporal_test.cc: the temporal encoding, from its formula.
#include <gtest/gtest.h>

#include "tests/support/places.h"
#include "tests/support/weights.h"

namespace posenc::temporal_test {
namespace {

using Row = std::vector<double>;

// cos(t / sqrt(d)^x) with x in d equal steps from 0 to sqrt(d)
Row temporal(int64_t dim, double t) {
  Row row;
  const double root = std::sqrt(static_cast<double>(dim));
  for (int64_t k = 0; k < dim; ++k) {
    const double x = dim > 1 ? root * static_cast<double>(k) / static_cast<double>(dim - 1) : 0;
    row.push_back(std::cos(t / std::pow(root, x)));
  }
  return row;
}

TEST(Temporal, MatchesItsFormula) {
  for (int64_t dim : {1, 2, 5, 64, 101})
    for (DType dtype : float_types) {
      Random random(5);
      const TestPlaces at(DType::f64, {2, 40}, random, 0, 1000);
      Guarded out(dtype, {2, 40, dim});
      fill(Temporal{.dim = dim}, out.view(), at.at());
      for (int64_t r = 0; r < 2 * 40; ++r) {
        const Row row = temporal(dim, at.place(1, r / 40, r % 40)[0]);
        // The exponent times ln(root) is below 24 and off by three roundings: so is the angle.
        const double error = 3 * 24 * 0x1p-53 * 1001;
        for (int64_t c = 0; c < dim; ++c) {
          const double truth = row[static_cast<size_t>(c)];
          ASSERT_NEAR(get(out.view(), r * dim + c), truth, row_error(dtype, truth) + error);
        }
      }
    }
}

TEST(Temporal, WorkedNumbers) {
  const Row row = row_at(prepare(Temporal{.dim = 4}), {3});
  const double printed[] = {-.989992, -.313698, .371148, .731689};
  for (size_t c = 0; c < 4; ++c) EXPECT_NEAR(row[c], printed[c], 5.1e-7);
}

}  // namespace
}  // namespace posenc::temporal_test
