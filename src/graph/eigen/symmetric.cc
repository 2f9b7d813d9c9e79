// symmetric.cc: Householder's reduction to a tridiagonal matrix, then QR steps with Wilkinson's
// shift (Golub and Van Loan, Matrix Computations, section 8.3).
#include "graph/eigen/symmetric.h"

#include <Eigen/Householder>
#include <Eigen/Jacobi>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/check.h"
#include "base/interrupt.h"

namespace posenc::graph {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Tridiagonal {
  VectorXd diagonal, beside;
  MatrixXd q;  // the matrix is q T q^T
};

// Below the diagonal the matrix keeps the reflections, from which q is made at the end.
Tridiagonal reduced(MatrixXd a) {
  const Index n = a.rows();
  Tridiagonal out{VectorXd(n), VectorXd(n - 1), MatrixXd::Identity(n, n)};
  VectorXd factors(n - 1);
  for (Index i = 0; i + 1 < n; ++i) {
    check_interrupt();
    auto v = a.col(i).tail(n - i - 1);
    v.makeHouseholderInPlace(factors[i], out.beside[i]);
    v[0] = 1;
    auto rest = a.bottomRightCorner(n - i - 1, n - i - 1);
    VectorXd w = factors[i] * (rest.selfadjointView<Eigen::Lower>() * v);
    w -= factors[i] / 2 * w.dot(v) * v;
    rest.selfadjointView<Eigen::Lower>().rankUpdate(v, w, -1);
  }
  out.diagonal = a.diagonal();
  const auto reflections = Eigen::householderSequence(a, factors).setLength(n - 1).setShift(1);
  constexpr Index block = 64;
  for (Index first = 0; first < n; first += block) {
    check_interrupt();
    out.q.middleCols(first, std::min(block, n - first)).applyOnTheLeft(reflections);
  }
  return out;
}

// One step on the rows `first` to `last` of T, between which no number beside the diagonal is 0.
void qr_step(Tridiagonal& t, Index first, Index last) {
  auto& d = t.diagonal;
  auto& b = t.beside;
  const double half = (d[last - 1] - d[last]) / 2, corner = b[last - 1];
  const double shift =
      d[last] - corner * (corner / (half + std::copysign(std::hypot(half, corner), half)));
  double x = d[first] - shift, bulge = b[first];
  for (Index k = first; k < last; ++k) {
    Eigen::JacobiRotation<double> g;  // makes the bulge 0, and another one a row further down
    g.makeGivens(x, bulge);
    const double c = g.c(), s = g.s(), upper = d[k], lower = d[k + 1], side = b[k];
    if (k > first) b[k - 1] = c * x - s * bulge;
    d[k] = c * c * upper - 2 * c * s * side + s * s * lower;
    d[k + 1] = s * s * upper + 2 * c * s * side + c * c * lower;
    b[k] = c * s * (upper - lower) + (c * c - s * s) * side;
    if (k + 1 < last) x = b[k], bulge = -s * b[k + 1], b[k + 1] *= c;
    t.q.applyOnTheRight(k, k + 1, g);
  }
}

// What is less than rounding of the numbers on the diagonal is 0.
void drop_small(Tridiagonal& t, Index last) {
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  for (Index k = 0; k < last; ++k)
    if (std::abs(t.beside[k]) <= rounding * (std::abs(t.diagonal[k]) + std::abs(t.diagonal[k + 1])))
      t.beside[k] = 0;
}

}  // namespace

AllEigenvectors eigenvectors_of(MatrixXd matrix) {
  const double scale = std::max(matrix.cwiseAbs().maxCoeff(), 1e-300);
  Tridiagonal t = reduced(matrix / scale);
  const Index n = t.diagonal.size();
  Index steps = 0;
  for (Index last = n - 1; last > 0;) {
    check_interrupt();
    drop_small(t, last);
    if (t.beside[last - 1] == 0) {
      --last;
      continue;
    }
    if (++steps > 30 * n)
      fail("laplacian", "expected eigenvalues after ", 30 * n, " steps, got none");
    Index first = last - 1;
    while (first > 0 && t.beside[first - 1] != 0) --first;
    qr_step(t, first, last);
  }
  std::vector<Index> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](Index i, Index j) { return t.diagonal[i] < t.diagonal[j]; });
  AllEigenvectors out{VectorXd(n), MatrixXd(n, n)};
  for (Index i = 0; i < n; ++i) {
    const Index from = order[static_cast<size_t>(i)];
    out.values[i] = scale * t.diagonal[from], out.vectors.col(i) = t.q.col(from);
  }
  return out;
}

}  // namespace posenc::graph
