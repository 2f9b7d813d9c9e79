// components_test.cc: eigenvectors of graphs that fall apart, and their signs.
#include <gtest/gtest.h>

#include "tests/graph/reference.h"
#include "tests/support/message.h"

namespace posenc::graph::components_test {
namespace {

// Two paths of three nodes, an isolated node, and one with a loop alone.
Graph several() { return {8, {{5, 3}, {3, 0}, {1, 2}, {2, 4}, {7, 7}}}; }

TEST(GraphComponents, Together) {
  const Spectrum all = spectrum({.dim = 6, .skip = Skip::none}, several());
  const double values[] = {0, 0, 0, 0, 1, 1};
  for (size_t c = 0; c < 6; ++c) EXPECT_NEAR(all.values[c], values[c], 1e-14);
  EXPECT_EQ(all.component, (std::vector<int64_t>{0, 1, 1, 0, 1, 0, 2, 3}));
  EXPECT_EQ(all.vectors[6 * 6 + 2], 1);  // the isolated node, in the third column alone
  EXPECT_EQ(all.vectors[6 * 7 + 3], 1);
  const Spectrum rest = spectrum({.dim = 6}, several());
  const double beyond[] = {1, 1, 2, 2};
  for (size_t c = 0; c < 4; ++c) EXPECT_NEAR(rest.values[c], beyond[c], 1e-14);
  EXPECT_TRUE(std::isnan(rest.values[4]) && std::isnan(rest.values[5]));
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(rest.vectors[6 * i + 5], 0);
  const Spectrum one = spectrum({.dim = 3, .skip = Skip::first}, several());
  EXPECT_NEAR(one.values[2], 0, 1e-14);
}

TEST(GraphComponents, Apart) {
  const Spectrum s = spectrum({.dim = 2, .components = Components::apart}, several());
  const Spectrum alone = spectrum({.dim = 2}, plain::path(3));
  EXPECT_EQ(s.values.size(), 8u);
  const size_t nodes[] = {0, 3, 5};
  for (size_t i = 0; i < 3; ++i)
    for (size_t c = 0; c < 2; ++c)
      EXPECT_NEAR(s.vectors[2 * nodes[i] + c], alone.vectors[2 * i + c], 1e-14);
  EXPECT_TRUE(std::isnan(s.values[4]));
}

TEST(GraphComponents, Signs) {
  Random random(7);
  const Graph g = plain::any_graph(random, 30, 90, false);
  const auto with = [&](Sign sign, int64_t seed = 0) {
    return spectrum({.dim = 6, .sign = sign, .seed = seed}, g).vectors;
  };
  const auto fixed = with(Sign::fixed), free = with(Sign::free), size = with(Sign::absolute);
  bool differs = false;
  for (int64_t seed = 0; seed < 4; ++seed) {
    const auto drawn = with(Sign::random, seed);
    EXPECT_EQ(drawn, with(Sign::random, seed));
    differs |= drawn != with(Sign::random, seed + 1);
    for (size_t i = 0; i < drawn.size(); ++i) EXPECT_EQ(std::abs(drawn[i]), std::abs(free[i]));
  }
  EXPECT_TRUE(differs);
  for (size_t c = 0; c < 6; ++c) {
    double most = 0;
    for (size_t i = c; i < fixed.size(); i += 6)
      if (std::abs(fixed[i]) > std::abs(most)) most = fixed[i];
    EXPECT_GT(most, 0);
  }
  for (size_t i = 0; i < size.size(); ++i) EXPECT_EQ(size[i], std::abs(fixed[i]));
}

// Vectors of paths have their largest entries at both ends, the same but for rounding.
TEST(GraphComponents, TheFirstOfTheLargestEntriesIsPositive) {
  for (int64_t n = 2; n < 24; ++n)
    for (const Normalization kind : {Normalization::symmetric, Normalization::unnormalised}) {
      const auto dim = static_cast<size_t>(n - 1);
      const auto v = spectrum({.dim = n - 1, .normalization = kind}, plain::path(n)).vectors;
      for (size_t c = 0; c < dim; ++c) {
        double most = 0;
        for (size_t i = c; i < v.size(); i += dim) most = std::max(most, std::abs(v[i]));
        size_t first = c;
        while (std::abs(v[first]) < most - 1e-12) first += dim;
        EXPECT_GT(v[first], 0) << n << " nodes, column " << c;
      }
    }
}

// Two paths that are the same have the same vectors, with signs drawn for each.
TEST(GraphComponents, SignsAreDrawnForEach) {
  Laplacian scheme{.dim = 2, .components = Components::apart, .sign = Sign::random};
  int same = 0, other = 0;
  for (scheme.seed = 0; scheme.seed < 20; ++scheme.seed) {
    const auto v = spectrum(scheme, several()).vectors;
    for (size_t c = 0; c < 2; ++c) {
      EXPECT_NEAR(std::abs(v[c]), std::abs(v[2 + c]), 1e-14);  // nodes 0 and 1 begin them
      ++(v[c] * v[2 + c] > 0 ? same : other);
    }
  }
  EXPECT_GT(same, 0);
  EXPECT_GT(other, 0);
}

TEST(GraphComponents, AreNotDirected) {
  Graph g = plain::path(3);
  g.directed = true;
  expect_message([&] { spectrum({}, g); }, "[laplacian] expected an undirected graph, got");
}

}  // namespace
}  // namespace posenc::graph::components_test
