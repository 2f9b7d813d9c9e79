// laplacian_matrix.h: the symmetric Laplacian of a connected graph without loops, as a product.
//
//   L = diagonal - s A s:   s = 1, diagonal = d;   or s = d^(-1/2), diagonal = 1
#pragma once

#include "graph/adjacency.h"

namespace posenc::graph {

class LaplacianMatrix {
 public:
  // A graph of at least two nodes, which outlives this.
  LaplacianMatrix(const Adjacency& links, bool normalised);

  int64_t size() const { return links_.nodes(); }
  const Adjacency& links() const { return links_; }
  bool normalised() const { return normalised_; }
  double diagonal(int64_t i) const { return diagonal_[static_cast<size_t>(i)]; }
  // Of edge e from node i.
  double beside(int64_t i, int64_t e) const {
    return -links_.weight_of(e) * scale_[static_cast<size_t>(i)] *
           scale_[static_cast<size_t>(links_.target(e))];
  }
  double bound() const { return bound_; }  // no eigenvalue is larger

  // y = L x
  void apply(const double* x, double* y) const;
  // y = a x + b M x + c y, where M = s L / s has the eigenvalues of L, and s times its vectors.
  void step(double a, double b, double c, const double* x, double* y) const;
  double scale(int64_t i) const { return scale_[static_cast<size_t>(i)]; }
  // The sum over edges of w (s_i x_i - s_j x_j)^2, which is x L x, without cancellation.
  double energy(const double* x) const;
  // The vector of eigenvalue 0, of length 1.
  std::vector<double> trivial() const;

 private:
  // f(i, the sum of weight x over the nodes beside i), over threads.
  template <class F>
  void each_row(const double* x, const F& f) const;

  const Adjacency& links_;
  bool normalised_;
  std::vector<double> scale_, diagonal_;
  double bound_;
};

}  // namespace posenc::graph
