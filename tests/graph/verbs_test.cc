// verbs_test.cc: tables of graphs in every type, beside dense references.
#include <gtest/gtest.h>

#include "posenc/threads.h"
#include "tests/graph/reference.h"
#include "tests/support/elements.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"

namespace posenc::graph::verbs_test {
namespace {

std::vector<double> table_of(const Scheme& scheme, const Graph& g, DType dtype = DType::f64,
                             Placement placement = Placement::dense) {
  Guarded out(dtype, {g.nodes, columns(scheme, g)}, placement);
  fill(scheme, g, out.view());
  EXPECT_TRUE(out.intact());
  return numbers(out.view());
}

// Every number is a sum of at most nodes^2 products of chances, each rounded about three times a
// step, and never larger than 1.
TEST(GraphTables, RandomWalksOfAnyGraph) {
  Random random(11);
  for (int round = 0; round < 80; ++round) {
    const int64_t n = random.integer(1, 40), steps = random.integer(1, 11);
    Graph g = plain::any_graph(random, n, random.integer(0, 3 * n), round % 2 == 1);
    g.directed = round % 4 > 1;
    const auto truth = plain::random_walk(g, steps);
    const DType dtype = float_types[round / 4 % 4];
    const auto got = table_of(RandomWalk{steps}, g, dtype, all_placements[round % 5]);
    for (size_t i = 0; i < got.size(); ++i) {
      const auto want = static_cast<double>(truth[i / size_t(steps)][i % size_t(steps)]);
      ASSERT_NEAR(got[i], want, half_ulp(dtype, want) + 60 * 0x1p-53 * double(steps));
    }
  }
}

TEST(GraphTables, RandomWalksWorkedNumbers) {
  const auto got = table_of(RandomWalk{4}, plain::path(3));
  EXPECT_EQ(got, (std::vector<double>{0, .5, 0, .5, 0, 1, 0, 1, 0, .5, 0, .5}));
}

// On a cycle, a walk of 2 k steps is back when k of them went left: binomial(2 k, k) / 4^k.
TEST(GraphTables, RandomWalksOfALargeCycle) {
  const auto got = table_of(RandomWalk{20}, plain::cycle(3001));
  double chance = 1;
  for (size_t k = 1; k <= 10; ++k) {
    chance *= (2.0 * double(k) - 1) / (2 * double(k));
    for (const size_t node : {0, 7, 3000}) {
      EXPECT_NEAR(got[20 * node + 2 * k - 1], chance, 1e-14);
      EXPECT_EQ(got[20 * node + 2 * k - 2], 0);
    }
  }
}

TEST(GraphTables, DoNotDependOnThreads) {
  Random random(12);
  const Graph g = plain::any_graph(random, 3000, 9000, true);
  const auto many = table_of(RandomWalk{6}, g), far = table_of(ShortestPaths{{0, 5, 9}}, g);
  const auto spectrum = table_of(Laplacian{3}, g);
  const int before = threads();
  set_threads(1);
  EXPECT_EQ(many, table_of(RandomWalk{6}, g));
  EXPECT_EQ(far, table_of(ShortestPaths{{0, 5, 9}}, g));
  EXPECT_EQ(spectrum, table_of(Laplacian{3}, g));
  set_threads(before);
}

TEST(GraphTables, ShortestPathsOfAnyGraph) {
  Random random(13);
  for (int round = 0; round < 80; ++round) {
    const int64_t n = random.integer(1, 30);
    Graph g = plain::any_graph(random, n, random.integer(0, 2 * n), round % 2 == 1);
    g.directed = round % 4 > 1;
    g = plain::merged(g);
    ShortestPaths scheme{.weighted = round % 2 == 1};
    if (round % 3 == 0) scheme.cutoff = 2.5;
    if (round % 5 == 0) scheme.anchors = {double(n - 1), 0}, scheme.unreachable = 99;
    const auto truth = plain::distances(g, scheme.weighted);
    const auto got = table_of(scheme, g);
    const auto width = static_cast<size_t>(columns(scheme, g));
    for (size_t i = 0; i < got.size(); ++i) {
      const size_t to = scheme.anchors.empty() ? i % width : size_t(scheme.anchors[i % width]);
      const auto want = static_cast<double>(truth[i / width][to]);
      const bool reached = want <= scheme.cutoff.value_or(1e300);
      ASSERT_NEAR(got[i], reached ? want : scheme.unreachable, 1e-13 * 30);
    }
  }
}

TEST(GraphTables, Degrees) {
  Random random(14);
  for (int round = 0; round < 20; ++round) {
    Graph g = plain::any_graph(random, 12, 30, true);
    g.directed = round % 2 == 1;
    g = plain::merged(g);
    const auto a = plain::adjacency(g);
    for (const bool weighted : {false, true}) {
      const auto got = table_of(Degrees{.direction = Degree::both, .weighted = weighted}, g);
      for (size_t i = 0; i < 12; ++i) {
        plain::Real in = 0, out = 0;
        for (size_t j = 0; j < 12; ++j) {
          in += weighted ? a[j][i] : a[j][i] != 0;
          out += weighted ? a[i][j] : a[i][j] != 0;
        }
        ASSERT_NEAR(got[2 * i], double(in), 1e-13);
        ASSERT_NEAR(got[2 * i + 1], double(out), 1e-13);
      }
    }
  }
  EXPECT_EQ(table_of(Degrees{.most = 2}, plain::star(5), DType::i64),
            (std::vector<double>{2, 1, 1, 1, 1}));
  EXPECT_EQ(table_of(Degrees{.most = 1e300}, plain::star(5), DType::i64),
            table_of(Degrees{}, plain::star(5)));
}

TEST(GraphTables, AreRoundedOnceToEachType) {
  Random random(15);
  const Graph g = plain::any_graph(random, 40, 120, false);
  const Scheme schemes[] = {Laplacian{5}, Laplacian{.dim = 3, .sign = Sign::both}, RandomWalk{7},
                            ShortestPaths{}, Degrees{}};
  for (const Scheme& scheme : schemes) {
    const auto exact = table_of(scheme, g);
    for (const DType dtype : float_types)
      for (const Placement placement : all_placements) {
        const auto got = table_of(scheme, g, dtype, placement);
        for (size_t i = 0; i < got.size(); ++i)
          ASSERT_LE(std::abs(got[i] - exact[i]), half_ulp(dtype, exact[i]));
      }
  }
}

TEST(GraphTables, BothSigns) {
  const auto got = table_of(Laplacian{.dim = 2, .sign = Sign::both}, plain::path(4));
  for (size_t i = 0; i < 4; ++i)
    for (size_t c = 0; c < 2; ++c) EXPECT_EQ(got[4 * i + c], -got[4 * i + c + 2]);
}

TEST(GraphTables, OfNothing) {
  for (const Scheme& scheme :
       {Scheme(Laplacian{}), Scheme(RandomWalk{}), Scheme(ShortestPaths{}), Scheme(Degrees{})}) {
    EXPECT_TRUE(table_of(scheme, Graph{}).empty());
    EXPECT_EQ(table_of(scheme, Graph{1}).size(), size_t(columns(scheme, Graph{1})));
  }
}

}  // namespace
}  // namespace posenc::graph::verbs_test
