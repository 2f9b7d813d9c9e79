// symmetric.h: all eigenvectors of a dense symmetric matrix, in a call that Ctrl-C can end: Eigen's
// own takes minutes for some thousand rows, and cannot be stopped.
#pragma once

#include <Eigen/Core>

namespace posenc::graph {

struct AllEigenvectors {
  Eigen::VectorXd values;   // ascending
  Eigen::MatrixXd vectors;  // columns in the same order, of length 1
};

AllEigenvectors eigenvectors_of(Eigen::MatrixXd matrix);

}  // namespace posenc::graph
