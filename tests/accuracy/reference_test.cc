// The reference itself, against numbers worked out elsewhere, six digits each.
#include "tests/accuracy/contract.h"

namespace posenc {
namespace {

void expect_row(const Absolute& scheme, const reference::Weights& weights, const Point& at,
                const std::vector<double>& row) {
  const auto columns = reference::columns(scheme, weights);
  ASSERT_EQ(columns.size(), row.size());
  for (size_t c = 0; c < row.size(); ++c)
    EXPECT_LE(reference::error(row[c], columns[c].value(at)), 5.1e-7) << "column " << c;
}

TEST(Reference, Sinusoidal) {
  const std::vector<double> paper{.141120, -.989992, .295520, .955336,
                                  .029996, .999550,  .003000, .999996};
  expect_row(Sinusoidal{.dim = 8}, {}, {3}, paper);
  expect_row(Sinusoidal{.dim = 8, .offset = 2}, {}, {1}, paper);
  expect_row(Sinusoidal{.dim = 8, .order = Order::halves}, {}, {3},
             {.141120, .295520, .029996, .003000, -.989992, .955336, .999550, .999996});
  expect_row(
      Sinusoidal{.dim = 9, .rule = TimescalesRule{}, .order = Order::halves, .odd = Odd::zero}, {},
      {3}, {.141120, .138798, .006463, .000300, -.989992, .990321, .999979, 1, 0});
  expect_row(Sinusoidal{.dim = 2, .rule = ExplicitRule{{1}, Unit::degrees}, .first = First::cosine},
             {}, {3}, {.998630, .052336});
}

TEST(Reference, FourierFeatures) {
  expect_row(Nerf{.coordinates = 1, .bands = 2}, {}, {0.5},
             {.5, .479426, .877583, .841471, .540302});
  expect_row(Perceiver{.max_resolution = {4}, .bands = 2}, {}, {0.5}, {.5, 1, 0, 0, -1});
  expect_row(Gaussian{.features = 2}, {{.1, .2, .3, -.4}}, {0.25, 0.75},
             {.587785, -.951057, .809017, -.309017});
}

TEST(Reference, Times) {
  expect_row(Time2Vec{.dim = 3}, {{.1, 1, 2}, {0, 0, .5}}, {3}, {.3, .141120, .215120});
  expect_row(Temporal{.dim = 4}, {}, {3}, {-.989992, -.313698, .371148, .731689});
}

TEST(Reference, MeasuresErrors) {
  EXPECT_EQ(reference::error(1, Real(1)), 0);
  EXPECT_EQ(reference::error(1, Real(1) + Real(0x1p-80)), 0x1p-80);
  EXPECT_GT(reference::error(std::bit_cast<double>(uint64_t{0x7ff8} << 48), Real(1)), 1e300);
  EXPECT_EQ(reference::nearest_f32(Real(1) + Real(0x1p-24)), 1);  // a tie
  EXPECT_EQ(reference::nearest_f32(Real(1) + Real(0x1p-24) + Real(0x1p-90)), 1 + 0x1p-23f);
}

}  // namespace
}  // namespace posenc
