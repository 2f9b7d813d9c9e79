// errors_test.cc: what cannot be done is refused with a sentence, before anything is written.
#include <gtest/gtest.h>

#include <set>

#include "posenc/graph.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"

namespace posenc::graph::errors_test {
namespace {

void refuse(const Scheme& scheme, const Graph& g, Tensor table, std::string_view part) {
  expect_message([&] { fill(scheme, g, table); }, part);
}

TEST(GraphErrors, Tables) {
  const Graph g{3, {{0, 1}, {1, 2}}};
  Guarded out(DType::f32, {3, 8});
  const auto before = out.bytes();
  refuse(Laplacian{.dim = 7}, g, out.view(), "[laplacian] expected a table [3, 7], got f32 [3, 8]");
  refuse(RandomWalk{9}, g, out.view(), "[random-walk] expected a table [3, 9], got f32 [3, 8]");
  refuse(ShortestPaths{}, g, out.view(), "[shortest-paths] expected a table [3, 3]");
  refuse(Degrees{}, g, out.view(), "[degrees] expected a table [3, 1]");
  Tensor odd = out.view();
  odd.dtype = DType::i32;
  refuse(RandomWalk{8}, g, odd, "[random-walk] expected a table of f32, f64, f16 or bf16");
  odd = out.view(), odd.read_only = true;
  refuse(RandomWalk{8}, g, odd, "[random-walk]");
  odd = out.view(), odd.data = nullptr;
  refuse(RandomWalk{8}, g, odd, "[random-walk]");
  odd = out.view(), odd.stride = {};
  refuse(RandomWalk{8}, g, odd, "[random-walk]");
  EXPECT_EQ(out.bytes(), before);
}

TEST(GraphErrors, Options) {
  const Graph g{3, {{0, 1}, {1, 2}}};
  Guarded out(DType::f32, {3, 1});
  refuse(Laplacian{.dim = 0}, g, out.view(), "[laplacian] expected dim");
  refuse(Laplacian{.dim = 1, .sign = static_cast<Sign>(9)}, g, out.view(), "[laplacian] expected");
  refuse(RandomWalk{-1}, g, out.view(), "[random-walk] expected steps");
  refuse(ShortestPaths{{3}}, g, out.view(), "expected anchors from 0 to 2, got 3");
  refuse(ShortestPaths{{.5}}, g, out.view(), "expected option anchors of whole numbers from 0");
  refuse(ShortestPaths{{-1}}, g, out.view(), "expected option anchors of whole numbers from 0");
  refuse(ShortestPaths{{0}, false, -1.0}, g, out.view(), "expected cutoff");
  refuse(Degrees{.most = 0.0}, g, out.view(), "expected most");
}

TEST(GraphErrors, Graphs) {
  Guarded out(DType::f32, {3, 1});
  refuse(Degrees{}, {3, {{0, 3}}}, out.view(), "[degrees] expected ends of edges from 0 to 2");
  refuse(Degrees{}, {3, {{0, 1}}, {1, 2}}, out.view(), "expected a weight for each of 1 edges");
  refuse(Degrees{}, {-1, {}}, out.view(), "expected 0 to 2147483646 nodes, got -1");
  refuse(Degrees{}, {3, {{0, 1}, {1, 0}}, {1, 2}}, out.view(), "expected one weight for the edge");
  refuse(Laplacian{1}, {3, {}, {}, true}, out.view(), "expected an undirected graph");
  for (const double tiny_or_huge : {1e-310, 1e308})
    refuse(RandomWalk{1}, {3, {{0, 1}, {1, 2}}, {tiny_or_huge, tiny_or_huge}}, out.view(),
           "expected weights whose sum at a node is between");
}

// What a sum of weights is not: a number of edges, a length.
TEST(GraphErrors, Duplicates) {
  Guarded out(DType::f32, {3, 1});
  const Graph g{3, {{0, 1}, {0, 1}}, {1, 2}, false, Duplicates::sum};
  refuse(Degrees{}, g, out.view(), "[degrees] expected weighted degrees where duplicates");
  refuse(ShortestPaths{{0}, true}, g, out.view(), "[shortest-paths] expected duplicates once");
  fill(ShortestPaths{{0}}, g, out.view());
  fill(Degrees{.weighted = true}, g, out.view());
}

TEST(GraphErrors, ManyEigenvectorsOfALargeComponent) {
  Graph path{9000};
  for (int64_t i = 0; i + 1 < path.nodes; ++i) path.edges.push_back({i, i + 1});
  expect_message([&] { spectrum({.dim = 3000}, path); },
                 "expected fewer than a quarter of the eigenvectors of a component of 9000 nodes");
}

// Paths take the cube of the nodes.
TEST(GraphErrors, EdgesOfManyNodes) {
  const Graph two{4097, {{0, 1}}};
  const SpatialBias s{.heads = 1, .distances = 4, .graph_token = false, .edge_ids = 1};
  std::vector<float> numbers(4097 * 4097), weights(16);
  const int32_t id = 0;
  const Tensor out = tensor(numbers.data(), {1, 4097, 4097});
  std::vector<Tensor> given;
  for (const Weight& w : s.weights()) given.push_back(tensor(weights.data(), w.shape));
  expect_message([&] { fill_bias(s, two, given, out, tensor(&id, {1})); },
                 "[fill_bias] expected at most 4096 nodes for edges along paths, whose search "
                 "takes the cube of that, got 4097");
}

// The table of a spectrum that is known is that of the graph.
TEST(GraphErrors, KnownSpectra) {
  const Graph g{4, {{0, 1}, {1, 2}, {2, 3}}};
  const Laplacian scheme{.dim = 2, .sign = Sign::both};
  Guarded whole(DType::f64, {4, 4}), known(DType::f64, {4, 4});
  fill(scheme, g, whole.view());
  fill(scheme, spectrum(scheme, g), known.view());
  EXPECT_EQ(whole.bytes(), known.bytes());
  expect_message([&] { fill(scheme, spectrum({.dim = 3}, g), known.view()); },
                 "[laplacian] expected a spectrum of 2 columns, got one of 3");
}

TEST(GraphErrors, OtherNames) {
  EXPECT_TRUE(std::holds_alternative<Laplacian>(make_scheme("lappe")));
  EXPECT_EQ(std::get<RandomWalk>(make_scheme("rwpe", {{"steps", "5"}})).steps, 5);
  EXPECT_EQ(std::get<Laplacian>(make_scheme("signnet")).sign, Sign::both);
  EXPECT_EQ(std::get<ShortestPaths>(scheme_from_json("graphormer", "{}")).unreachable, 510);
  EXPECT_EQ(std::get<Degrees>(make_scheme("centrality")).most, 511);
  std::set<std::string> names;
  for (const SchemeInfo& s : schemes()) names.insert(s.name);
  for (const Alias& alias : aliases()) EXPECT_TRUE(names.insert(alias.name).second) << alias.name;
}

TEST(GraphErrors, Names) {
  EXPECT_EQ(std::get<Laplacian>(make_scheme("laplacian", {{"preset", "pyg"}, {"dim", "3"}})).dim,
            3);
  EXPECT_EQ(std::get<RandomWalk>(scheme_from_json("random-walk", R"({"steps": 5})")).steps, 5);
  expect_message([] { make_scheme("laplace"); }, "unknown scheme 'laplace'; there is: laplacian");
  expect_message([] { make_scheme("degrees", {{"dim", "3"}}); }, "unknown option 'dim'");
  expect_message([] { make_scheme("laplacian", {{"sign", "odd"}}); }, "sign");
  for (const SchemeInfo& s : schemes()) {
    EXPECT_EQ(s.family, "graph");
    for (const auto& p : s.presets) EXPECT_NO_THROW(make_scheme(s.name, {{"preset", p.name}}));
  }
}

}  // namespace
}  // namespace posenc::graph::errors_test
