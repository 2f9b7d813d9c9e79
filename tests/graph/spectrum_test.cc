// spectrum_test.cc: eigenvectors of Laplacians.
#include <gtest/gtest.h>

#include <numbers>

#include "tests/graph/reference.h"
#include "tests/support/message.h"

namespace posenc::graph::spectrum_test {
namespace {

using N = Normalization;
constexpr N all_kinds[] = {N::symmetric, N::unnormalised, N::random_walk};

std::vector<double> column(const Spectrum& s, int64_t c) {
  std::vector<double> out;
  for (size_t at = static_cast<size_t>(c); at < s.vectors.size(); at += size_t(s.columns))
    out.push_back(s.vectors[at]);
  return out;
}

double length(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

// The length of L v - value v.
double residual(const plain::Matrix& l, const std::vector<double>& v, double value) {
  plain::Real sum = 0;
  for (size_t i = 0; i < l.size(); ++i) {
    plain::Real row = -static_cast<plain::Real>(value) * v[i];
    for (size_t j = 0; j < l.size(); ++j) row += l[i][j] * v[j];
    sum += row * row;
  }
  return static_cast<double>(std::sqrt(sum));
}

// Solvers stop at 1e-11 of the largest eigenvalue, at most twice the largest entry of L (a row has
// as much beside its diagonal as on it); a residual of 1e-9 of that is an Error.
double tolerance(const plain::Matrix& l) {
  plain::Real most = 1;
  for (size_t i = 0; i < l.size(); ++i) most = std::max(most, l[i][i]);
  return static_cast<double>(2 * most) * 1e-10;
}

void expect_spectrum(const Graph& g, N kind, int64_t dim) {
  const Spectrum s = spectrum({.dim = dim, .normalization = kind, .skip = Skip::none}, g);
  const auto truth =
      plain::eigenvalues(plain::laplacian(g, kind == N::unnormalised ? kind : N::symmetric));
  const auto l = plain::laplacian(g, kind);
  for (int64_t c = 0; c < std::min(dim, g.nodes); ++c) {
    const auto v = column(s, c);
    const double value = s.values[static_cast<size_t>(c)];
    ASSERT_NEAR(value, truth[static_cast<size_t>(c)], tolerance(l));
    ASSERT_NEAR(length(v), 1, 1e-12);
    ASSERT_LE(residual(l, v, value), tolerance(l) * (kind == N::random_walk ? 10 : 1));
  }
}

TEST(Spectrum, SolvesItsEquationForAnyGraph) {
  Random random(3);
  for (int round = 0; round < 60; ++round) {
    const int64_t n = random.integer(1, 24);
    const Graph g = plain::any_graph(random, n, random.integer(0, 3 * n), round % 2 == 1);
    for (const N kind : all_kinds) expect_spectrum(g, kind, random.integer(1, 12));
  }
}

// Beyond 128 nodes: iterations, by a polynomial where the graph is wide, by a factor where narrow.
TEST(Spectrum, IsTheSameForLargerGraphs) {
  Random random(4);
  for (const N kind : all_kinds) {
    expect_spectrum(plain::any_graph(random, 150, 700, false), kind, 6);
    expect_spectrum(plain::any_graph(random, 150, 700, true), kind, 6);
    expect_spectrum(plain::path(150), kind, 5);
    expect_spectrum(plain::grid(3, 60), kind, 5);
  }
}

// A hub and a rim, every value of which comes twice; and a tree whose nodes have as many children,
// whose values lie at both ends of the spectrum.
TEST(Spectrum, OfWheelsAndTrees) {
  for (const int64_t n : {151, 200, 331}) {
    Graph wheel{n, {}}, tree{n, {}};
    for (int64_t i = 1; i < n; ++i) {
      wheel.edges.push_back({0, i}), wheel.edges.push_back({i, i % (n - 1) + 1});
      tree.edges.push_back({(i - 1) / 7, i});
    }
    for (const N kind : all_kinds) expect_spectrum(wheel, kind, 9), expect_spectrum(tree, kind, 9);
  }
}

// Skip::first leaves out the first column alone: of a connected graph the trivial vector, of a
// graph of two components one of its two vectors of eigenvalue 0.
TEST(Spectrum, SkipsTheFirstColumn) {
  Graph two = plain::path(5);
  two.nodes = 9;
  for (int64_t i = 5; i < 8; ++i) two.edges.push_back({i, i + 1});
  for (const Graph& g : {plain::path(9), two})
    for (const N kind : all_kinds) {
      Laplacian s{.dim = 5, .normalization = kind, .skip = Skip::none};
      const Spectrum all = spectrum(s, g);
      s.dim = 4, s.skip = Skip::first;
      const Spectrum rest = spectrum(s, g);
      for (int64_t c = 0; c < 4; ++c) {
        EXPECT_EQ(rest.values[static_cast<size_t>(c)], all.values[static_cast<size_t>(c + 1)]) << c;
        EXPECT_EQ(column(rest, c), column(all, c + 1)) << c;
      }
      EXPECT_EQ(rest.values[0] > 1e-9, g.edges.size() == 8);
    }
  // PyTorch Geometric's: the vectors after the first, whatever their signs.
  const auto preset = Laplacian::presets()[1];
  ASSERT_EQ(preset.name, "pyg");
  const Spectrum pyg = spectrum(preset.value, plain::cycle(11));
  const auto truth = plain::eigenvalues(plain::laplacian(plain::cycle(11), N::symmetric));
  for (size_t c = 0; c < 8; ++c) EXPECT_NEAR(pyg.values[c], truth[c + 1], 1e-9) << c;
}

// Every column is orthogonal to the others, also among equal eigenvalues.
void expect_values(const Graph& g, N kind, const std::vector<double>& truth) {
  const auto dim = std::ssize(truth);
  const Spectrum s = spectrum({.dim = dim, .normalization = kind}, g);
  for (int64_t c = 0; c < dim; ++c) {
    const double value = truth[static_cast<size_t>(c)];
    EXPECT_NEAR(s.values[static_cast<size_t>(c)], value, 1e-9 * std::max(1.0, value)) << c;
    for (int64_t d = 0; d < c && kind != N::random_walk; ++d) {
      double dot = 0;
      const auto v = column(s, c), w = column(s, d);
      for (size_t i = 0; i < v.size(); ++i) dot += v[i] * w[i];
      EXPECT_NEAR(dot, 0, 1e-8) << c << " " << d;
    }
  }
}

TEST(Spectrum, OfGraphsThatAreKnown) {
  constexpr double pi = std::numbers::pi;
  for (const int64_t n : {5, 40, 300}) {
    const auto size = static_cast<double>(n);
    const auto one_minus = [](double angle) { return 2 * std::pow(std::sin(angle / 2), 2); };
    expect_values(
        plain::path(n), N::unnormalised,
        {2 * one_minus(pi / size), 2 * one_minus(2 * pi / size), 2 * one_minus(3 * pi / size)});
    expect_values(plain::path(n), N::symmetric,
                  {one_minus(pi / (size - 1)), one_minus(2 * pi / (size - 1))});
    expect_values(plain::cycle(n), N::random_walk,
                  {one_minus(2 * pi / size), one_minus(2 * pi / size), one_minus(4 * pi / size),
                   one_minus(4 * pi / size)});
    expect_values(plain::star(n), N::symmetric, {1, 1, 1});
    expect_values(plain::star(n), N::unnormalised, {1, 1, 1});
    const double share = size / (size - 1);
    expect_values(plain::complete(n), N::symmetric, {share, share, share, share});
    expect_values(plain::complete(n), N::unnormalised, {size, size, size, size});
  }
  expect_values(plain::star(5000), N::symmetric, {1, 1, 1, 1, 1});
  expect_values(plain::path(5000), N::unnormalised, {std::pow(2 * std::sin(pi / 10000), 2)});
  const auto value = [](int64_t i, int64_t j) {
    const auto part = [](int64_t k) { return 4 * std::pow(std::sin(pi * double(k) / 60), 2); };
    return part(i) + part(j);
  };
  expect_values(plain::grid(30, 30), N::unnormalised,
                {value(0, 1), value(0, 1), value(1, 1), value(0, 2), value(0, 2), value(1, 2),
                 value(1, 2), value(2, 2)});
}

// A hub beside eigenvalues that lie close together.
TEST(Spectrum, OfALargeWheel) {
  Graph wheel{1001, {}};
  for (int64_t i = 1; i <= 1000; ++i)
    wheel.edges.push_back({0, i}), wheel.edges.push_back({i, i % 1000 + 1});
  std::vector<double> truth;
  for (int64_t i = 2; i < 11; ++i)
    truth.push_back(1 + std::pow(2 * std::sin(std::numbers::pi * double(i / 2) / 1000), 2));
  expect_values(wheel, N::unnormalised, truth);
}

// Nodes beyond the first thousands, of uneven degrees: rows belong to the nodes they are named by.
TEST(Spectrum, OfManyNodesAtRandom) {
  Random random(8);
  constexpr int64_t nodes = 6000, dim = 4;
  Graph g{nodes, {}};
  for (int64_t i = 1; i < nodes; ++i) g.edges.push_back({random.integer(0, i - 1), i});
  for (int64_t i = 0; i < 6 * nodes; ++i) {
    const int64_t a = random.integer(0, nodes - 1), b = random.integer(0, nodes - 1);
    if (a != b) g.edges.push_back({std::min(a, b), std::max(a, b)});
  }
  const auto before = [](const Edge& x, const Edge& y) {
    return std::pair(x.from, x.to) < std::pair(y.from, y.to);
  };
  const auto same = [](const Edge& x, const Edge& y) { return x.from == y.from && x.to == y.to; };
  std::sort(g.edges.begin(), g.edges.end(), before);
  g.edges.erase(std::unique(g.edges.begin(), g.edges.end(), same), g.edges.end());
  std::vector<double> degree(nodes);
  for (const Edge& e : g.edges) ++degree[size_t(e.from)], ++degree[size_t(e.to)];
  for (const N kind : {N::symmetric, N::unnormalised}) {
    const bool scaled = kind == N::symmetric;
    const Spectrum s = spectrum({.dim = dim, .normalization = kind}, g);
    for (int64_t c = 0; c < dim; ++c) {
      const auto v = column(s, c);
      std::vector<double> rest;
      for (size_t i = 0; i < v.size(); ++i)
        rest.push_back(((scaled ? 1 : degree[i]) - s.values[size_t(c)]) * v[i]);
      for (const Edge& e : g.edges) {
        const auto a = size_t(e.from), b = size_t(e.to);
        const double weight = scaled ? 1 / std::sqrt(degree[a] * degree[b]) : 1;
        rest[a] -= weight * v[b], rest[b] -= weight * v[a];
      }
      EXPECT_NEAR(length(v), 1, 1e-12);
      EXPECT_LE(length(rest), 1e-9) << c;
      EXPECT_TRUE(c == 0 || s.values[size_t(c)] >= s.values[size_t(c - 1)]);
    }
  }
}

TEST(Spectrum, WorkedNumbers) {
  const Spectrum s = spectrum({.dim = 2}, plain::path(3));
  EXPECT_NEAR(s.values[0], 1, 1e-14);
  EXPECT_NEAR(s.values[1], 2, 1e-14);
  const double root = std::sqrt(.5), first[] = {root, 0, -root}, second[] = {-.5, root, -.5};
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(s.vectors[static_cast<size_t>(2 * i)], first[i], 1e-14);
    EXPECT_NEAR(s.vectors[static_cast<size_t>(2 * i + 1)], second[i], 1e-14);
  }
}

// Nodes in another order: the same rows in that order, where no eigenvalue comes twice.
TEST(Spectrum, FollowsItsNodes) {
  Random random(6);
  for (const int64_t n : {20, 200}) {
    const Graph g = plain::any_graph(random, n, 4 * n, false);
    std::vector<int64_t> to(static_cast<size_t>(n));
    std::iota(to.begin(), to.end(), 0);
    for (size_t i = to.size() - 1; i > 0; --i)
      std::swap(to[i], to[static_cast<size_t>(random.integer(0, static_cast<int64_t>(i)))]);
    Graph moved = g;
    for (Edge& e : moved.edges) e = {to[size_t(e.from)], to[size_t(e.to)]};
    const Spectrum a = spectrum({.dim = 3}, g), b = spectrum({.dim = 3}, moved);
    for (size_t c = 0; c < 3; ++c) {
      ASSERT_NEAR(a.values[c], b.values[c], 1e-10);
      for (size_t i = 0; i < to.size(); ++i)
        ASSERT_NEAR(a.vectors[3 * i + c], b.vectors[3 * size_t(to[i]) + c], 1e-6);
    }
  }
}

}  // namespace
}  // namespace posenc::graph::spectrum_test
