// reference.h: encodings of small graphs again, dense and as plain as their definitions.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "posenc/graph.h"
#include "tests/support/random.h"

namespace posenc::graph::plain {

using Real = long double;
using Vector = std::vector<Real>;
using Matrix = std::vector<Vector>;

inline Matrix square(int64_t n) {
  return Matrix(static_cast<size_t>(n), Vector(static_cast<size_t>(n)));
}

// The adjacency matrix; an edge that is listed again counts once, or is summed.
inline Matrix adjacency(const Graph& g) {
  Matrix a = square(g.nodes);
  const auto add = [&](int64_t from, int64_t to, Real w) {
    Real& entry = a[static_cast<size_t>(from)][static_cast<size_t>(to)];
    entry = g.duplicates == Duplicates::sum ? entry + w : w;
  };
  for (size_t e = 0; e < g.edges.size(); ++e) {
    const auto [from, to] = g.edges[e];
    const Real w = g.weights.empty() ? 1 : g.weights[e];
    if (w == 0) continue;
    add(from, to, w);
    if (!g.directed && from != to) add(to, from, w);
  }
  return a;
}

inline Vector sums(const Matrix& a) {
  Vector out;
  for (const Vector& row : a) out.push_back(std::accumulate(row.begin(), row.end(), Real{0}));
  return out;
}

inline Matrix without_loops(Matrix a) {
  for (size_t i = 0; i < a.size(); ++i) a[i][i] = 0;
  return a;
}

inline Matrix laplacian(const Graph& g, Normalization how) {
  const Matrix a = without_loops(adjacency(g));
  const Vector d = sums(a);
  Matrix out = square(g.nodes);
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < a.size(); ++j) {
      Real below = 1;
      if (how == Normalization::symmetric) below = std::sqrt(d[i] * d[j]);
      if (how == Normalization::random_walk) below = d[i];
      const Real diagonal = how == Normalization::unnormalised ? d[i] : d[i] > 0 ? 1 : 0;
      out[i][j] = (i == j ? diagonal : 0) - (a[i][j] == 0 ? 0 : a[i][j] / below);
    }
  return out;
}

// All eigenvalues of a symmetric matrix, ascending: Jacobi's rotations, until nothing is left to
// turn. They are off by some 1e-16 of the largest for each of the few sweeps.
inline std::vector<double> eigenvalues(const Matrix& matrix) {
  const size_t n = matrix.size();
  std::vector<std::vector<double>> a;
  for (const Vector& row : matrix) a.emplace_back(row.begin(), row.end());
  for (bool turned = true; turned;) {
    turned = false;
    for (size_t p = 0; p < n; ++p)
      for (size_t q = p + 1; q < n; ++q) {
        if (std::abs(a[p][q]) < 1e-15) continue;
        turned = true;
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (size_t k = 0; k < n; ++k) {
          const double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
        }
        for (size_t k = 0; k < n; ++k) {
          const double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
        }
      }
  }
  std::vector<double> out;
  for (size_t i = 0; i < n; ++i) out.push_back(a[i][i]);
  std::sort(out.begin(), out.end());
  return out;
}

inline Matrix times(const Matrix& a, const Matrix& b) {
  Matrix out = square(std::ssize(a));
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t k = 0; k < a.size(); ++k)
      for (size_t j = 0; j < a.size(); ++j) out[i][j] += a[i][k] * b[k][j];
  return out;
}

// [nodes][steps]
inline Matrix random_walk(const Graph& g, int64_t steps) {
  Matrix p = adjacency(g);
  for (Vector& row : p) {
    const Real sum = std::accumulate(row.begin(), row.end(), Real{0});
    for (Real& x : row) x = sum == 0 ? 0 : x / sum;
  }
  Matrix out(p.size()), power = p;
  for (int64_t t = 0; t < steps; ++t) {
    if (t > 0) power = times(power, p);
    for (size_t i = 0; i < p.size(); ++i) out[i].push_back(power[i][i]);
  }
  return out;
}

// Floyd and Warshall: [from][to], infinite without a path.
inline Matrix distances(const Graph& g, bool weighted) {
  Matrix d = adjacency(g);
  for (size_t i = 0; i < d.size(); ++i)
    for (size_t j = 0; j < d.size(); ++j) {
      if (d[i][j] != 0 && !weighted) d[i][j] = 1;
      if (d[i][j] == 0) d[i][j] = INFINITY;
      if (i == j) d[i][j] = 0;
    }
  for (size_t k = 0; k < d.size(); ++k)
    for (size_t i = 0; i < d.size(); ++i)
      for (size_t j = 0; j < d.size(); ++j) d[i][j] = std::min(d[i][j], d[i][k] + d[k][j]);
  return d;
}

// The same graph with each edge once, of the sum of its weights.
inline Graph merged(const Graph& g) {
  const Matrix a = adjacency(g);
  Graph out{g.nodes, {}, {}, g.directed};
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = g.directed ? 0 : i; j < a.size(); ++j) {
      if (a[i][j] == 0) continue;
      out.edges.push_back({static_cast<int64_t>(i), static_cast<int64_t>(j)});
      out.weights.push_back(static_cast<double>(a[i][j]));
    }
  return out;
}

// A graph of anything: loops, duplicates, isolated nodes, several components.
inline Graph any_graph(Random& random, int64_t nodes, int64_t edges, bool weighted) {
  Graph g{nodes};
  for (int64_t e = 0; e < edges; ++e) {
    g.edges.push_back({random.integer(0, nodes - 1), random.integer(0, nodes - 1)});
    if (weighted) g.weights.push_back(random.real(0.1, 3));
  }
  if (weighted) g.duplicates = Duplicates::sum;
  return g;
}

// 0 - 1 - 2 - ... - (n - 1)
inline Graph path(int64_t n) {
  Graph g{n};
  for (int64_t i = 0; i + 1 < n; ++i) g.edges.push_back({i, i + 1});
  return g;
}
inline Graph cycle(int64_t n) {
  Graph g = path(n);
  g.edges.push_back({n - 1, 0});
  return g;
}
inline Graph star(int64_t n) {
  Graph g{n};
  for (int64_t i = 1; i < n; ++i) g.edges.push_back({0, i});
  return g;
}
inline Graph complete(int64_t n) {
  Graph g{n};
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j) g.edges.push_back({i, j});
  return g;
}
inline Graph grid(int64_t rows, int64_t columns) {
  Graph g{rows * columns};
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      if (j + 1 < columns) g.edges.push_back({i * columns + j, i * columns + j + 1});
      if (i + 1 < rows) g.edges.push_back({i * columns + j, (i + 1) * columns + j});
    }
  return g;
}

}  // namespace posenc::graph::plain
