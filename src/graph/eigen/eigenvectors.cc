// eigenvectors.cc: small matrices by Eigen, whole; large ones by Lanczos's iteration.
//
// It finds large eigenvalues, here of one of two operators:
//   a polynomial of L    that is large for small eigenvalues, where a search reaches most nodes in
//                        a few steps
//   (L + shift)^-1       by a sparse LDL^T, where levels are narrow (paths, meshes, trees): small
//                        eigenvalues lie close together, and the factor has few entries
#include "graph/eigenvectors.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "graph/components.h"
#include "graph/eigen/lanczos.h"

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
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  std::vector<VectorXd> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(solver.eigenvectors().col(i));
  return out;
}

std::vector<VectorXd> by_lanczos(const LaplacianMatrix& m, const Product& product, int64_t count) {
  std::vector<VectorXd> out;
  for (Large& l : largest(product, m.size(), count, trivial_of(m)))
    out.push_back(std::move(l.vector));
  return out;
}

// Chebyshev's polynomial of `degree` in 1 - L / bound, which lies between -1 and 1 where that lies
// between 0 and `cut`, and grows beyond.
struct Polynomial {
  const LaplacianMatrix& m;
  double cut;
  int degree;

  // y = a (2 / cut (1 - M / bound) - 1) x + b y
  void step(double a, const VectorXd& x, double b, VectorXd& y) const {
    m.step(a * (2 / cut - 1), -2 * a / cut / m.bound(), b, x.data(), y.data());
  }
  void operator()(const double* in, double* out) const {
    VectorXd before(m.size()), now = VectorXd::Zero(m.size());
    for (int64_t i = 0; i < m.size(); ++i) before[i] = m.scale(i) * in[i];
    step(1, before, 0, now);
    for (int i = 1; i < degree; ++i) step(2, now, -1, before), before.swap(now);
    for (int64_t i = 0; i < m.size(); ++i) out[i] = now[i] / m.scale(i);
  }
};

std::vector<VectorXd> filtered(const LaplacianMatrix& m, int64_t count) {
  const Product plain = [&](const double* x, double* y) {
    m.apply(x, y);
    for (int64_t i = 0; i < m.size(); ++i) y[i] = x[i] - y[i] / m.bound();
  };
  // What is wanted lies at or above the Ritz value after the last one; the largest is made
  // cosh 2 times larger.
  const auto [top, last] = from_below(plain, m.size(), count + 1, trivial_of(m));
  if (!(top > 1.001 * last)) return by_lanczos(m, plain, count);  // the same eigenvalue many times
  // Below it, so that the polynomial is larger there than anywhere between 0 and the cut.
  const double cut = std::max(last - (top - last) / 10, last / 2);
  const double growth = std::acosh(2 * top / cut - 1);
  const int degree = static_cast<int>(std::clamp(std::lround(2 / growth), 1l, 100l));
  return by_lanczos(m, Polynomial{m, cut, degree}, count);
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
