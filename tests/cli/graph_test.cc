// graph_test.cc: posenc graph.
#include <cmath>

#include "model/array.h"
#include "posenc/graph.h"
#include "tests/cli/tool.h"

namespace posenc::graph_test {
namespace {

TEST_F(Tool, GraphWritesTheTableOfTheLibrary) {
  shell("printf 'from,to\\n0,1\\n1,2\\n2,0\\n2,3\\n4,4\\n' > edges.csv");
  const auto g = graph::read(path("edges.csv"));
  for (const std::string scheme : {"laplacian --dim 3", "random-walk --steps 5", "degrees"}) {
    output("graph edges.csv --scheme " + scheme + " --dtype f64 --out t.npy");
    const Array got = read_array(path("t.npy"));
    const Json told = json("graph edges.csv --dtype f64 --json --scheme " + scheme);
    ASSERT_EQ(got.shape[0], 5);
    std::vector<double> want(got.bytes.size() / 8);
    const graph::Scheme same = scheme == "degrees" ? graph::Scheme(graph::Degrees{})
                               : scheme.starts_with("lap")
                                   ? graph::Scheme(graph::Laplacian{.dim = 3})
                                   : graph::Scheme(graph::RandomWalk{5});
    fill(same, g, tensor(want.data(), got.shape));
    const auto* values = reinterpret_cast<const double*>(got.bytes.data());
    EXPECT_TRUE(std::equal(want.begin(), want.end(), values));
    EXPECT_EQ(told["rows"][3][0].get<double>(), values[3 * got.shape[1]]);
    EXPECT_EQ(told["nodes"].size(), 5u);
  }
  EXPECT_NEAR(json("graph path:3 --dim 2 --json")["eigenvalue_1"].get<double>(), 2, 1e-12);
}

TEST_F(Tool, GraphTellsWhatItRead) {
  const std::string text = output("graph path:3 --dim 2");
  EXPECT_TRUE(
      text.starts_with("path:3: 3 nodes, 2 undirected edges listed; laplacian\neigenvalues 1 2\n"))
      << text;
  EXPECT_NE(text.find("    node"), text.npos);
  EXPECT_NE(output("graph grid:9x9 --dim 2").find("--full shows all"), text.npos);
  EXPECT_EQ(output("graph path:3 --dim 2 --scheme lappe"), text);
  EXPECT_NE(output("list rwpe").find("chance that a random walk"), text.npos);
  EXPECT_NE(output("list").find("rwpe"), text.npos);
  EXPECT_NE(output("list laplacian").find("family graph, acts on the nodes"), text.npos);
}

TEST_F(Tool, GraphDraws) {
  const std::string text = output("graph grid:5x8 --show --size 60x16");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 16);
  EXPECT_NE(text.find("●"), text.npos);
  EXPECT_NE(text.find("○"), text.npos);
  output("graph grid:5x8 --picture g.svg --json");
  EXPECT_NE(read("g.svg").find("<svg"), std::string::npos);
  output("graph star:1 --picture g.png --scheme degrees");
  EXPECT_EQ(read("g.png").substr(1, 3), "PNG");
}

TEST_F(Tool, GraphRefuses) {
  shell("printf '0 1\\n1 x\\n' > bad.txt; printf '0 1\\n' > good.txt");
  expect_refusal("graph bad.txt", 1, "bad.txt: line 2: expected the number of a node, got");
  expect_refusal("graph none.txt", 1, "none.txt: cannot read");
  expect_refusal("graph good.txt --nodes 1", 1, "expected ends of edges from 0 to 0, got 1");
  expect_refusal("graph good.txt --directed", 1, "expected an undirected graph");
  expect_refusal("graph good.txt --scheme lap", 2, "unknown scheme 'lap'");
  expect_refusal("graph good.txt --steps 3", 2, "unknown option 'steps'");
  expect_refusal("graph good.txt --dim 0", 2, "expected dim from 1");
  expect_refusal("graph good.txt --show --json", 2, "expected --show or a table");
  expect_refusal("graph good.txt --column 8 --show", 2, "expected --column from 0 to 7, got 8");
  expect_refusal("graph grid:7", 2, "expected a file, or path:N");
  expect_refusal("graph path:0", 2, "expected graphs of 1 to");
  expect_refusal("graph path:3 --nodes 10", 2, "expected --nodes, --weights, --duplicates");
  expect_refusal("graph good.txt --picture g.jpg", 2, ".png or .svg");
  expect_refusal("graph good.txt --out g.png", 2, "expected --picture");
  expect_refusal("table laplacian", 2, "posenc graph FILE --scheme laplacian");
}

}  // namespace
}  // namespace posenc::graph_test
