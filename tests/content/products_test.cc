// The product kernels against plain sums.
#include "cpu/kernels/products.h"

#include <gtest/gtest.h>

#include "tests/content/stand.h"
#include "tests/support/every_target.h"

namespace posenc::products_test {
namespace {

template <class C>
std::vector<C> random_numbers(int64_t n, Random& random) {
  std::vector<C> out;
  for (int64_t i = 0; i < n; ++i) out.push_back(static_cast<C>(random.real()));
  return out;
}

struct Sizes3 {
  int64_t rows, columns, inner;
};
constexpr Sizes3 sizes[] = {{1, 1, 1},   {4, 4, 64}, {5, 3, 7},   {64, 33, 96},
                            {3, 130, 5}, {9, 18, 0}, {7, 65, 17}, {70, 9, 600}};

template <class C>
void expect_dots(const Sizes3& n, Random& random) {
  const int64_t lda = n.inner + 2, ldb = n.inner + 3, ldc = n.columns + 1;
  const auto a = random_numbers<C>(n.rows * lda, random);
  const auto b = random_numbers<C>(n.columns * ldb, random);
  auto c = random_numbers<C>(n.rows * ldc, random);
  const auto before = c;
  cpu::dot_rows<C>(n.rows, n.columns, n.inner, {a.data(), lda}, {b.data(), ldb}, {c.data(), ldc});
  for (int64_t i = 0; i < n.rows; ++i) {
    for (int64_t j = 0; j < n.columns; ++j) {
      Sum sum{.length = static_cast<double>(n.inner)};
      for (int64_t t = 0; t < n.inner; ++t)
        sum.add(static_cast<double>(a[static_cast<size_t>(i * lda + t)]) *
                b[static_cast<size_t>(j * ldb + t)]);
      EXPECT_NEAR(c[static_cast<size_t>(i * ldc + j)], sum.value, allowed(dtype_of<C>, sum));
    }
    const auto gap = static_cast<size_t>(i * ldc + n.columns);
    EXPECT_EQ(c[gap], before[gap]);
    // Alone, a row gives the same bits.
    std::vector<C> alone(static_cast<size_t>(n.columns));
    cpu::dot_rows<C>(1, n.columns, n.inner, {a.data() + i * lda, lda}, {b.data(), ldb},
                     {alone.data(), n.columns});
    for (int64_t j = 0; j < n.columns; ++j)
      EXPECT_EQ(alone[static_cast<size_t>(j)], c[static_cast<size_t>(i * ldc + j)]);
  }
}

template <class C>
void expect_mixes(const Sizes3& n, bool transposed, Random& random) {
  const int64_t ldb = n.columns + 3, ldc = n.columns + 1;
  const int64_t row = transposed ? 1 : n.inner + 2, column = transposed ? n.rows + 1 : 1;
  const auto a = random_numbers<C>((n.rows + 2) * (n.inner + 2), random);
  const auto b = random_numbers<C>(n.inner * ldb, random);
  auto c = random_numbers<C>(n.rows * ldc, random);
  const auto before = c;
  cpu::mix_rows<C>(n.rows, n.columns, n.inner, {a.data(), row, column}, {b.data(), ldb},
                   {c.data(), ldc});
  for (int64_t i = 0; i < n.rows; ++i) {
    for (int64_t j = 0; j < n.columns; ++j) {
      const auto at = static_cast<size_t>(i * ldc + j);
      Sum sum{.length = static_cast<double>(n.inner)};
      for (int64_t t = 0; t < n.inner; ++t)
        sum.add(static_cast<double>(a[static_cast<size_t>(i * row + t * column)]) *
                b[static_cast<size_t>(t * ldb + j)]);
      EXPECT_NEAR(c[at], before[at] + sum.value, allowed(dtype_of<C>, sum, before[at]));
    }
    const auto gap = static_cast<size_t>(i * ldc + n.columns);
    EXPECT_EQ(c[gap], before[gap]);
    std::vector<C> alone(before.begin() + i * ldc, before.begin() + i * ldc + n.columns);
    cpu::mix_rows<C>(1, n.columns, n.inner, {a.data() + i * row, row, column}, {b.data(), ldb},
                     {alone.data(), n.columns});
    for (int64_t j = 0; j < n.columns; ++j)
      EXPECT_EQ(alone[static_cast<size_t>(j)], c[static_cast<size_t>(i * ldc + j)]);
  }
}

TEST(Products, DotRows) {
  Random random(31);
  for_every_target([&] {
    for (const Sizes3& n : sizes) expect_dots<float>(n, random), expect_dots<double>(n, random);
  });
}

TEST(Products, MixRows) {
  Random random(32);
  for_every_target([&] {
    for (const Sizes3& n : sizes)
      for (const bool transposed : {false, true}) {
        expect_mixes<float>(n, transposed, random);
        expect_mixes<double>(n, transposed, random);
      }
  });
}

}  // namespace
}  // namespace posenc::products_test
