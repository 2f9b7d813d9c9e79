// golden_test.cc: PyTorch Geometric's transforms, recorded by tests/golden/graph.py.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "model/array.h"
#include "posenc/graph.h"
#include "tests/support/paths.h"

namespace posenc::graph::golden_test {
namespace {

class GraphGolden : public testing::TestWithParam<const char*> {
 protected:
  GraphGolden() {
    for (auto& [name, array] : read_arrays(golden_path("graph.safetensors")))
      arrays_[name] = std::move(array);
    graph_ = from_edges(arrays_[GetParam() + std::string(".edges")].view());
  }
  // What was recorded, and the same of ours, [nodes, columns].
  template <class T, class S>
  std::vector<T> both(const char* kind, S scheme, std::span<T>& recorded, int64_t& columns) {
    Array& array = arrays_[GetParam() + std::string(kind)];
    columns = array.shape[1];
    if constexpr (std::is_same_v<S, Laplacian>) {
      scheme.dim = columns;
    } else {
      scheme.steps = columns;
    }
    recorded = array.values<T>();
    std::vector<T> out(recorded.size());
    fill(scheme, graph_, tensor(out.data(), array.shape));
    return out;
  }
  std::map<std::string, Array> arrays_;
  Graph graph_;
};

// Solvers stop at some 1e-12 and neighbouring eigenvalues are at least 1e-4 apart, or the test
// fails: a vector is known to 1e-8.
TEST_P(GraphGolden, EigenvectorsUpToTheirSigns) {
  std::span<double> recorded;
  int64_t columns = 0;
  const auto ours = both<double>(".laplacian", Laplacian{}, recorded, columns);
  const auto values = spectrum({.dim = columns + 1}, graph_).values;
  for (size_t c = 0; c < size_t(columns); ++c) {
    ASSERT_GT(values[c + 1] - values[c], 1e-4);
    double dot = 0;
    for (size_t i = c; i < ours.size(); i += size_t(columns)) dot += ours[i] * recorded[i];
    for (size_t i = c; i < ours.size(); i += size_t(columns))
      ASSERT_NEAR(ours[i], std::copysign(1.0, dot) * recorded[i], 1e-8) << "column " << c;
  }
}

// PyG multiplies in f32: each of up to 12 steps rounds sums of numbers below 1 to 6e-8.
TEST_P(GraphGolden, RandomWalks) {
  std::span<float> recorded;
  int64_t columns = 0;
  const auto ours = both<float>(".random_walk", RandomWalk{}, recorded, columns);
  for (size_t i = 0; i < ours.size(); ++i) ASSERT_NEAR(ours[i], recorded[i], 12 * 6e-8);
}

INSTANTIATE_TEST_SUITE_P(PyG, GraphGolden, testing::Values("small", "dense", "sparse", "tree"));

}  // namespace
}  // namespace posenc::graph::golden_test
