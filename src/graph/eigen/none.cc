// none.cc: stands in where Eigen or Spectra was not found.
#include "graph/eigenvectors.h"

namespace posenc::graph {

std::vector<Eigenpair> smallest(const LaplacianMatrix&, int64_t) {
  fail("laplacian", "expected a build with Eigen and Spectra for eigenvectors, got one without");
}

}  // namespace posenc::graph
