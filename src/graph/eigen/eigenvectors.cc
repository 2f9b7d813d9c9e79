// eigenvectors.cc: small matrices whole; large ones by Lanczos's iteration.
//
// It finds large eigenvalues, here of one of two operators:
//   a polynomial of L    that is large for small eigenvalues, where a search reaches most nodes in
//                        a few steps
//   (L + shift)^-1       by a sparse LDL^T, where levels are narrow (paths, meshes, trees): small
//                        eigenvalues lie close together, and the factor has few entries
#include "graph/eigenvectors.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "graph/components.h"
#include "graph/eigen/lanczos.h"
#include "graph/eigen/symmetric.h"

namespace posenc::graph {
namespace {

using Eigen::VectorXd;

constexpr int64_t dense_below = 128, dense_most = 8192;  // nodes
constexpr double residual_limit = 1e-9;
constexpr int64_t most_in_factor = int64_t{1} << 28;

Eigen::SparseMatrix<double> sparse(const LaplacianMatrix& m, double shift) {
  std::vector<Eigen::Triplet<double>> all;
  for (int64_t i = 0; i < m.size(); ++i) {
    all.emplace_back(i, i, m.diagonal(i) + shift);
    for (int64_t e = m.links().first(i); e < m.links().last(i); ++e)
      all.emplace_back(i, m.links().target(e), m.beside(i, e));
  }
  Eigen::SparseMatrix<double> out(m.size(), m.size());
  out.setFromTriplets(all.begin(), all.end());
  return out;
}

// From the equation's vectors to pairs, with eigenvalues of full accuracy.
Eigenpair pair_of(const LaplacianMatrix& m, const VectorXd& v) {
  const double value = m.energy(v.data());
  VectorXd product(m.size());
  m.apply(v.data(), product.data());
  const double residual = (product - value * v).norm();
  if (!(residual <= residual_limit * m.bound()))
    fail("laplacian", "expected eigenvectors that solve L v = value v to ", residual_limit,
         ", got one that is ", residual / m.bound(), " off");
  return {value, std::vector<double>(v.begin(), v.end())};
}

VectorXd trivial_of(const LaplacianMatrix& m) {
  const auto v = m.trivial();
  return Eigen::Map<const VectorXd>(v.data(), m.size());
}

// The trivial vector is given the largest eigenvalue: nothing mixes with it.
std::vector<VectorXd> dense(const LaplacianMatrix& m, int64_t count) {
  const VectorXd trivial = trivial_of(m);
  Eigen::MatrixXd matrix(sparse(m, 0));
  matrix += 2 * m.bound() * trivial * trivial.transpose();
  const AllEigenvectors all = eigenvectors_of(std::move(matrix));
  std::vector<VectorXd> out;
  for (int64_t i = 0; i < count; ++i) out.emplace_back(all.vectors.col(i));
  return out;
}

std::vector<VectorXd> by_lanczos(const LaplacianMatrix& m, const Product& product, int64_t count) {
  std::vector<VectorXd> out;
  for (Large& l : largest(product, m.size(), count, trivial_of(m)))
    out.push_back(std::move(l.vector));
  return out;
}

// Chebyshev's polynomial of an odd degree in 1 - L / bound: between -1 and 1 where that lies
// between `low` and `cut`, larger beyond, and below -1 before.
struct Polynomial {
  const LaplacianMatrix& m;
  double low, cut;
  int degree;

  // y = a (2 (1 - M / bound) - cut - low) / (cut - low) x + b y
  void step(double a, const VectorXd& x, double b, VectorXd& y) const {
    const double part = a / (cut - low);
    m.step(part * (2 - cut - low), -2 * part / m.bound(), b, x.data(), y.data());
  }
  void operator()(const double* in, double* out) const {
    VectorXd before(m.size()), now = VectorXd::Zero(m.size());
    for (int64_t i = 0; i < m.size(); ++i) before[i] = m.scale(i) * in[i];
    step(1, before, 0, now);
    for (int i = 1; i < degree; ++i) step(2, now, -1, before), before.swap(now);
    for (int64_t i = 0; i < m.size(); ++i) out[i] = now[i] / m.scale(i);
  }
};

std::vector<VectorXd> by_polynomial(const LaplacianMatrix& m, int64_t count) {
  const Product laplacian = [&](const double* x, double* y) {
    m.apply(x, y);
    for (int64_t i = 0; i < m.size(); ++i) y[i] /= m.bound();
  };
  const Product plain = [&](const double* x, double* y) {
    laplacian(x, y);
    for (int64_t i = 0; i < m.size(); ++i) y[i] = x[i] - y[i];
  };
  // What is wanted lies at or above the Ritz value after the last one.
  const auto [top, last] = from_below(plain, m.size(), count + 1, trivial_of(m));
  if (!(top > 1.001 * last)) return by_lanczos(m, plain, count);  // the same eigenvalue many times
  const double least = 1 - from_below(laplacian, m.size(), 1, trivial_of(m)).top;
  // Below it, so that the polynomial is larger there than anywhere between low and the cut. What
  // lies before low does no harm, as the degree is odd.
  const double cut = std::max(last - (top - last) / 10, last / 2);
  const double low = std::max(0.0, std::min(least - (top - least) / 50, 2 * cut - top));
  // The largest is made about cosh 3 times larger: products, which threads share, take longer then
  // than what Lanczos does between them.
  const double growth = std::acosh((2 * top - cut - low) / (cut - low));
  const auto degree = static_cast<int>(std::clamp(std::lround(3 / growth), 1l, 99l)) | 1;
  return by_lanczos(m, Polynomial{m, low, cut, degree}, count);
}

// Nodes with as many edges side by side, within windows that keep neighbours near: loops over
// their edges end where the processor expects it.
std::vector<int32_t> by_length(const Adjacency& a) {
  constexpr int64_t window = 4096;
  std::vector<int32_t> out(static_cast<size_t>(a.nodes()));
  std::iota(out.begin(), out.end(), 0);
  for (int64_t first = 0; first < a.nodes(); first += window)
    std::stable_sort(
        out.begin() + first, out.begin() + std::min(first + window, a.nodes()),
        [&](int32_t i, int32_t j) { return a.last(i) - a.first(i) < a.last(j) - a.first(j); });
  return out;
}

std::vector<VectorXd> filtered(const LaplacianMatrix& m, int64_t count) {
  const auto order = by_length(m.links());
  const Adjacency links = in_order(m.links(), order);
  std::vector<VectorXd> out = by_polynomial(LaplacianMatrix(links, m.normalised()), count);
  for (VectorXd& v : out) {
    const VectorXd found = v;
    for (size_t i = 0; i < order.size(); ++i) v[order[i]] = found[static_cast<Eigen::Index>(i)];
  }
  return out;
}

std::vector<VectorXd> inverse(const LaplacianMatrix& m, int64_t count, const Spread& spread) {
  // About the smallest eigenvalue that a graph of so many levels may have.
  const double shift =
      m.bound() / (static_cast<double>(m.size()) * static_cast<double>(spread.levels));
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(sparse(m, shift));
  const Product product = [&](const double* x, double* y) {
    const int64_t n = m.size();
    Eigen::Map<VectorXd>(y, n) = shift * factor.solve(Eigen::Map<const VectorXd>(x, n));
  };
  return by_lanczos(m, product, count);
}

std::vector<VectorXd> vectors_of(const LaplacianMatrix& m, int64_t count) {
  const bool many = 4 * count >= m.size();
  if (many && m.size() > dense_most)
    fail("laplacian", "expected fewer than a quarter of the eigenvectors of a component of ",
         m.size(), " nodes, as it has more than ", dense_most, ", got ", count);
  if (m.size() <= dense_below || many) return dense(m, count);
  const Spread across = spread(m.links());
  const int64_t cycles = m.links().edges() / 2 - m.size() + 1;
  const bool narrow = m.size() * across.widest <= most_in_factor || cycles <= m.size() / 16;
  return narrow && across.levels > 32 ? inverse(m, count, across) : filtered(m, count);
}

}  // namespace

std::vector<Eigenpair> smallest(const LaplacianMatrix& matrix, int64_t count) {
  std::vector<Eigenpair> out;
  for (const VectorXd& v : vectors_of(matrix, std::min(count, matrix.size() - 1)))
    out.push_back(pair_of(matrix, v));
  std::stable_sort(out.begin(), out.end(),
                   [](const Eigenpair& a, const Eigenpair& b) { return a.value < b.value; });
  return out;
}

}  // namespace posenc::graph
