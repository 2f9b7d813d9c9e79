// lanczos.cc: Spectra's restarted Lanczos iteration, run until no eigenvalue is missing.
#include "graph/eigen/lanczos.h"

#include <Spectra/SymEigsSolver.h>
#include <algorithm>

#include "base/interrupt.h"
#include "posenc/error.h"

namespace posenc::graph {
namespace {

using Eigen::VectorXd;

// A check sees what is larger than a known eigenvalue by more than its residual.
constexpr double tolerance = 1e-11, check_tolerance = 1e-6;
constexpr int64_t most_restarts = 2000;

// What Spectra multiplies with: a product without its part along known vectors.
class Beside {
 public:
  using Scalar = double;
  Beside(const Product& product, int64_t size, const std::vector<VectorXd>& known)
      : product_(product), size_(size), known_(known) {}

  Eigen::Index rows() const { return size_; }
  Eigen::Index cols() const { return size_; }
  void remove(VectorXd& x) const {
    for (const VectorXd& k : known_) x -= k.dot(x) * k;
  }
  void perform_op(const double* in, double* out) const {
    check_interrupt();
    VectorXd x = Eigen::Map<const VectorXd>(in, size_), y(size_);
    remove(x);
    product_(x.data(), y.data());
    remove(y);
    Eigen::Map<VectorXd>(out, size_) = y;
  }
  // The same numbers in every run, and others beside other vectors: a copy of an eigenvalue that
  // one start does not see is in the next.
  VectorXd start() const {
    VectorXd x(size_);
    uint64_t state = 1 + known_.size();
    for (double& v : x) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      v = static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
    }
    remove(x);
    return x;
  }

 private:
  const Product& product_;
  int64_t size_;
  const std::vector<VectorXd>& known_;
};

using Solver = Spectra::SymEigsSolver<Beside>;

int64_t compute(Solver& solver, const Beside& op, int64_t restarts, double exact) {
  solver.init(op.start().data());
  return solver.compute(Spectra::SortRule::LargestAlge, restarts, exact,
                        Spectra::SortRule::LargestAlge);
}

std::vector<Large> lanczos(const Product& product, int64_t size, int64_t count, double exact,
                           const std::vector<VectorXd>& known) {
  Beside op(product, size, known);
  Solver solver(op, count, std::min(size, 2 * count + 20));
  const int64_t found = compute(solver, op, most_restarts, exact);
  if (found < count)
    fail("laplacian", "expected ", count, " eigenvectors of ", size, " nodes, got ", found, " in ",
         most_restarts, " rounds");
  std::vector<Large> out;
  for (int64_t i = 0; i < count; ++i) {
    VectorXd v = solver.eigenvectors().col(i);
    op.remove(v);
    if (!(v.norm() > 0.9))
      fail("laplacian", "expected new eigenvectors of ", size, " nodes, got a known one again");
    out.push_back({solver.eigenvalues()[i], v.normalized()});
  }
  return out;
}

}  // namespace

Ends from_below(const Product& product, int64_t size, int64_t count, const VectorXd& known) {
  const std::vector<VectorXd> one{known};
  Beside op(product, size, one);
  Solver solver(op, count, std::min(size, 2 * count + 40));
  compute(solver, op, 1, 1e6);  // as exact as the first round is
  return {solver.eigenvalues()[0], solver.eigenvalues()[count - 1]};
}

std::vector<Large> largest(const Product& product, int64_t size, int64_t count,
                           const VectorXd& trivial) {
  std::vector<VectorXd> known{trivial};
  std::vector<Large> found;
  const auto add = [&](std::vector<Large> more) {
    for (Large& l : more) known.push_back(l.vector), found.push_back(std::move(l));
    std::stable_sort(found.begin(), found.end(),
                     [](const Large& a, const Large& b) { return a.value > b.value; });
  };
  add(lanczos(product, size, count, tolerance, known));
  while (std::ssize(known) < size) {
    const double least = found[static_cast<size_t>(count - 1)].value;
    const double other = lanczos(product, size, 1, check_tolerance, known)[0].value;
    if (!(other > least * (1 + 1e-9))) break;
    add(lanczos(product, size, std::min(count, size - std::ssize(known)), tolerance, known));
  }
  found.resize(static_cast<size_t>(count));
  return found;
}

}  // namespace posenc::graph
