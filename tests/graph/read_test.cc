// read_test.cc: graphs from tensors, text and files, good and broken.
#include <gtest/gtest.h>

#include <fstream>

#include "model/array.h"
#include "model/output.h"
#include "posenc/graph.h"
#include "tests/support/elements.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"

namespace posenc::graph::read_test {
namespace {

const std::vector<Edge> three{{0, 1}, {1, 2}, {2, 2}};

TEST(ReadGraph, Text) {
  for (const char* text : {"0 1\n1 2\n2 2\n", "# SNAP\n0\t1\n1\t2\n\n2\t2", "0,1\r\n1,2\r\n2,2\r\n",
                           "source,target\n0,1\n1,2\n2,2\n", "% note\n 0 ; 1\n1;2\n+2;2\n",
                           "\xef\xbb\xbf"
                           "0 1\n1 2\n2 2"}) {
    const Graph g = parse(text);
    EXPECT_EQ(g.edges, three) << text;
    EXPECT_EQ(g.nodes, 3);
    EXPECT_TRUE(g.weights.empty());
  }
  const Graph weighted = parse("from to weight\n1 2 0.5\n2 3 1e3\n", {.first_id = 1});
  EXPECT_EQ(weighted.edges, (std::vector<Edge>{{0, 1}, {1, 2}}));
  EXPECT_EQ(weighted.weights, (std::vector<double>{.5, 1000}));
  EXPECT_EQ(parse("").nodes, 0);
  EXPECT_EQ(parse("0 1", {.nodes = 9}).nodes, 9);
}

TEST(ReadGraph, BrokenText) {
  const auto refused = [](const char* text, std::string_view part, EdgeOptions options = {}) {
    expect_message([&] { parse(text, options); }, part);
  };
  refused("0 1\n1\n", "line 2: expected two nodes, or two and a weight, got 1 word");
  refused("0 1 2 3", "got 4 words");
  refused("0 1 1\n0 2\n", "line 2: expected 3 numbers as before, got 2");
  refused("0 1\na b\n", "line 2: expected the number of a node, got \"a\"");
  refused("0 1.5\n", "expected the number of a node, got \"1.5\"");
  refused("0,,1\n", "expected the number of a node, got \"\"");
  refused("0 1 x\n", "expected a weight, got \"x\"");
  refused("0 99999999999999999999\n", "expected the number of a node");
  refused("0 1 nan\n", "expected weights of at least 0, got nan for edge 0");
  refused("0 1 -1\n", "expected weights of at least 0, got -1");
  refused("0 1 inf\n", "expected weights of at least 0, got inf");
  refused("0 -1\n", "expected ids from 0, got -1");
  refused("0 1\n", "expected ids from 1, got 0", {.first_id = 1});
  refused("0 4000000000\n", "expected the number of nodes to be given with an id as large as");
  refused("0 9223372036854775807", "expected ids that fit 63 bits", {.first_id = -5});
  refused("0 5\n", "expected ends of edges from 0 to 2, got 5 in edge 0", {.nodes = 3});
  refused("0 5\n", "expected 0 to 2147483646 nodes, got 2147483647", {.nodes = 2147483647});
  refused("0 5\n", "nodes, got -3", {.nodes = -3});
}

TEST(ReadGraph, MatrixMarket) {
  const std::string head = "%%MatrixMarket matrix coordinate ";
  const Graph g = parse(head + "real symmetric\n% a comment\n4 4 2\n2 1 0.5\n3 2 2\n");
  EXPECT_EQ(g.nodes, 4);
  EXPECT_EQ(g.edges, (std::vector<Edge>{{1, 0}, {2, 1}}));
  EXPECT_EQ(g.weights, (std::vector<double>{.5, 2}));
  const Graph both = parse(head + "Pattern Symmetric\n2 2 2\n2 1\n2 2\n", {.directed = true});
  EXPECT_EQ(both.edges, (std::vector<Edge>{{1, 0}, {1, 1}, {0, 1}}));
  EXPECT_TRUE(both.weights.empty());
  const Graph weighted = parse(head + "real symmetric\n2 2 2\n2 1 3\n2 2 4\n", {.directed = true});
  EXPECT_EQ(weighted.edges, both.edges);
  EXPECT_EQ(weighted.weights, (std::vector<double>{3, 4, 3}));
  const auto refused = [&](const std::string& text, std::string_view part) {
    expect_message([&] { parse(head + text); }, part);
  };
  refused("complex general\n1 1 0\n", "expected 'matrix coordinate', real, integer or pattern");
  refused("real\n", "expected 'matrix coordinate'");
  refused("real general\n", "expected a line of rows, columns and entries, got none");
  refused("real general\n2 3 0\n", "expected a square matrix, got 2 rows and 3 columns");
  refused("real general\n2 2 2\n1 1 1\n", "expected 2 entries in all, got 1");
  // Memory for entries that are not there would be std::bad_alloc.
  for (const auto* most : {"9000000000000000000", "9223372036854775807"})
    refused("real general\n2 2 " + std::string(most) + "\n1 1 1\n",
            "expected " + std::string(most) + " entries in all, got 1");
  refused(
      "real general\n2147483646 2147483646 1\n1 2 1\n",
      "expected the number of nodes to be given with a matrix of 2147483646 rows and 1 entries");
  refused("real general\n2 2 1\n3 1 1\n", "expected ends of edges from 0 to 1, got 2");
  refused("real general\n2 2 1\n0 1 1\n", "expected ids from 1, got 0");
  refused("real general\n2 2 1\n1 1\n", "expected 3 numbers, got 2");
  refused("real general\n2 2 -1\n", "expected 0 entries or more");
  refused("real general\n9999999999 9999999999 0\n", "expected 0 to 2147483646 nodes");
}

TEST(ReadGraph, Tensors) {
  const int64_t rows[] = {0, 1, 1, 2, 2, 2}, columns[] = {0, 1, 2, 1, 2, 2};
  const int32_t small[] = {1, 2, 3, 2, 3, 3};
  EXPECT_EQ(from_edges(tensor(rows, {3, 2})).edges, three);
  EXPECT_EQ(from_edges(tensor(columns, {2, 3})).edges, three);
  EXPECT_EQ(from_edges(tensor(small, {2, 3}), {.first_id = 1}).edges, three);
  EXPECT_EQ(from_edges(permuted(tensor(columns, {2, 3}), {1, 0})).edges, three);
  const float weights[] = {1, 2, .5f};
  EXPECT_EQ(from_edges(tensor(rows, {3, 2}), {}, tensor(weights, {3})).weights,
            (std::vector<double>{1, 2, .5}));
  const Tensor both = tensor(rows, {2, 2});
  expect_message([&] { from_edges(both); }, "expected edges to be given as rows or columns");
  EXPECT_EQ(from_edges(both, {.edges = EdgeAxis::rows}).edges, (std::vector<Edge>{{0, 1}, {1, 2}}));
  EXPECT_EQ(from_edges(both, {.edges = EdgeAxis::columns}).edges,
            (std::vector<Edge>{{0, 1}, {1, 2}}));
  expect_message([&] { from_edges(tensor(rows, {6})); }, "expected edges [edges, 2] or [2, edges]");
  expect_message(
      [&] {
        from_edges(tensor(rows, {3, 2}), {.edges = EdgeAxis::columns});
      },
      "expected edges [2, edges], got i64 [3, 2]");
  expect_message([&] { from_edges(tensor(weights, {3, 1})); }, "expected edges of i32 or i64");
  expect_message(
      [&] {
        from_edges(tensor(rows, {3, 2}), {}, tensor(weights, {2}));
      },
      "expected a weight for each of 3 edges, got 2");
  expect_message(
      [&] {
        from_edges(tensor(rows, {3, 2}), {}, tensor(rows, {3}));
      },
      "expected weights [edges] of floats");
}

// Rows and columns of any type and layout, also where two edges could be read either way.
TEST(ReadGraph, TensorsOfEveryLayout) {
  Random random(1);
  for (const int64_t count : {0, 1, 2, 9})
    for (const EdgeAxis axis : {EdgeAxis::rows, EdgeAxis::columns})
      for (const DType dtype : {DType::i32, DType::i64})
        for (const Placement placement : all_placements) {
          const bool rows = axis == EdgeAxis::rows;
          using Shape = std::vector<int64_t>;
          Guarded ids(dtype, rows ? Shape{count, 2} : Shape{2, count}, placement);
          Guarded weights(float_types[random.integer(0, 3)], {count}, placement);
          randomize_ids(ids.view(), random, 0, 30), randomize_ids(weights.view(), random, 1, 9);
          const Graph g = from_edges(ids.view(), {.nodes = 31, .edges = axis}, weights.view());
          ASSERT_EQ(std::ssize(g.edges), count);
          for (int64_t e = 0; e < count; ++e) {
            const auto end = [&](int64_t n) {
              return static_cast<int64_t>(get(ids.view(), rows ? 2 * e + n : n * count + e));
            };
            EXPECT_EQ(g.edges[static_cast<size_t>(e)], (Edge{end(0), end(1)}));
          }
          EXPECT_EQ(g.weights, numbers(weights.view()));
        }
}

TEST(ReadGraph, Files) {
  const std::string folder = testing::TempDir();
  Array edges = make_array(DType::i64, {2, 3}), weights = make_array(DType::f32, {3});
  const int64_t ids[] = {0, 1, 2, 1, 2, 2};
  std::copy_n(ids, 6, edges.values<int64_t>().begin());
  std::fill_n(weights.values<float>().begin(), 3, 2.f);
  write_arrays(folder + "edges.npy", {{"", edges}});
  write_arrays(folder + "weights.npy", {{"", weights}});
  const Graph g = read(folder + "edges.npy", {.directed = true}, folder + "weights.npy");
  EXPECT_EQ(g.edges, three);
  EXPECT_EQ(g.weights, (std::vector<double>{2, 2, 2}));
  EXPECT_TRUE(g.directed);
  write_arrays(folder + "one.npy", {{"", make_array(DType::f32, {})}});
  expect_message([&] { read(folder + "edges.npy", {}, folder + "one.npy"); },
                 "expected weights [edges] of floats, got f32 []");
  atomic_write(folder + "edges.txt", std::string_view("0 1\n1 2\n2 2\n"));
  EXPECT_EQ(read(folder + "edges.txt").edges, three);
  expect_message([&] { read(folder + "edges.txt", {}, folder + "weights.npy"); },
                 "edges.txt: expected edges as .npy with a file of weights");
  expect_message([&] { read(folder + "none.txt"); }, "none.txt: cannot read");
  expect_message([&] { parse("\x93NUMPY\x01"); }, "expected a .npy file");
}

TEST(ReadGraph, Duplicates) {
  std::vector<double> table(2);
  const auto degree = [&](const Graph& g) {
    fill(Degrees{.weighted = true}, g, tensor(table.data(), {2, 1}));
    return table[0];
  };
  EXPECT_EQ(degree(parse("0 1\n1 0\n0 1\n")), 1);
  EXPECT_EQ(degree(parse("0 1\n1 0\n0 1\n", {.duplicates = Duplicates::sum})), 3);
  EXPECT_EQ(degree(parse("0 1 2\n1 0 2\n")), 2);
  EXPECT_EQ(degree(parse("0 1 2\n1 0 3\n", {.duplicates = Duplicates::sum})), 5);
  EXPECT_EQ(degree(parse("0 0 2\n0 1 3\n1 1 0\n")), 5);
  table[0] = 7;
  expect_message([&] { degree(parse("0 1 2\n1 0 3\n")); },
                 "expected one weight for the edge between 0 and 1, got 2 and 3");
  EXPECT_EQ(table[0], 7);
  EXPECT_EQ(degree(parse("0 1 2\n1 0 3\n", {.directed = true})), 2);
}

}  // namespace
}  // namespace posenc::graph::read_test
