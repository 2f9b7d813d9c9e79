// toy_nodes_test.cc: the toy, from its formula.
#include <gtest/gtest.h>

#include "posenc/graph.h"

namespace posenc::graph::toy_nodes_test {
namespace {

TEST(ToyNodes, IsItsFormula) {
  const Graph g{.nodes = 3, .edges = {{0, 1}, {1, 2}}};
  std::vector<int64_t> table(6);
  fill(ToyNodes{}, g, tensor(table.data(), {3, 2}));
  EXPECT_EQ(table, (std::vector<int64_t>{1, 2, 2, 4, 3, 6}));
}

}  // namespace
}  // namespace posenc::graph::toy_nodes_test
