// eigenvectors.h: eigenvectors by Eigen and Spectra; eigen/none.cc stands in without them.
#pragma once

#include "graph/laplacian_matrix.h"

namespace posenc::graph {

struct Eigenpair {
  double value;
  std::vector<double> vector;  // of length 1
};

// The `count` smallest beyond the trivial one, at most all of them, smallest first.
std::vector<Eigenpair> smallest(const LaplacianMatrix& matrix, int64_t count);

}  // namespace posenc::graph
