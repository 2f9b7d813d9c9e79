// lanczos.h: the largest eigenvalues of an operator that is known by its products.
//
// Lanczos's iteration may pass over copies of an eigenvalue. So it runs again beside all vectors
// that are known, until nothing is found that is larger than those.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

namespace posenc::graph {

// y = A x of a symmetric A. Its eigenvalues should be of about size 1: what is below 1e-14 is 0.
using Product = std::function<void(const double*, double*)>;

struct Large {  // an eigenvalue, and its vector of length 1
  double value;
  Eigen::VectorXd vector;
};

// The `count` largest, beside one known vector.
std::vector<Large> largest(const Product& product, int64_t size, int64_t count,
                           const Eigen::VectorXd& known);

// The largest and the last of `count` eigenvalues beside one known vector, from below: Ritz values
// of the first round.
struct Ends {
  double top, last;
};
Ends from_below(const Product& product, int64_t size, int64_t count, const Eigen::VectorXd& known);

}  // namespace posenc::graph
