// bias_test.cc: Graphormer's biases beside the definition, written again by hand.
#include <gtest/gtest.h>

#include "posenc/graph/spatial_bias.h"
#include "tests/graph/reference.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"
#include "tests/support/weights.h"

namespace posenc::graph::bias_test {
namespace {

using Path = std::vector<Edge>;

// Every shortest path from i to j is tried.
struct Reference {
  const SpatialBias& s;
  const Graph& g;
  const Weights& w;
  const std::vector<int64_t>& ids;  // [edges, each]
  int64_t each;
  plain::Matrix d = plain::distances(g, false), a = plain::adjacency(g);

  bool follows(int64_t i, int64_t next, int64_t j) const {
    return a[size_t(i)][size_t(next)] != 0 && i != next &&
           d[size_t(next)][size_t(j)] + 1 == d[size_t(i)][size_t(j)];
  }
  // The smallest that the largest inner node of a shortest path can be.
  int64_t inner(int64_t i, int64_t j) const {
    int64_t best = g.nodes;
    for (int64_t next = 0; next < g.nodes; ++next) {
      if (!follows(i, next, j)) continue;
      if (next == j) return -1;
      best = std::min(best, std::max(next, inner(next, j)));
    }
    return best;
  }
  Path path(int64_t i, int64_t j) const {
    const int64_t k = inner(i, j);
    if (k < 0) return {{i, j}};
    Path out = path(i, k);
    for (const Edge& e : path(k, j)) out.push_back(e);
    return out;
  }
  int64_t listed(const Edge& wanted) const {
    int64_t own = -1, back = -1;
    for (size_t e = 0; e < g.edges.size(); ++e) {
      if (!g.weights.empty() && g.weights[e] == 0) continue;
      if (g.edges[e] == wanted) own = int64_t(e);
      if (!g.directed && g.edges[e] == Edge{wanted.to, wanted.from}) back = int64_t(e);
    }
    return own >= 0 ? own : back;
  }
  double number(size_t which, int64_t n) const { return get(w.arrays[which].view(), n); }
  double row_of_edge(int64_t e, int64_t head) const {
    double sum = 0;
    for (int64_t f = 0; f < each; ++f)
      sum += number(w.arrays.size() - 2, ids[size_t(e * each + f)] * s.heads + head);
    return sum / double(each);
  }
  double edge_term(int64_t i, int64_t j, int64_t h) const {
    if (s.edge_ids == 0 || i == j || d[size_t(i)][size_t(j)] == INFINITY) return 0;
    Path edges = path(i, j);
    if (std::ssize(edges) > s.max_hops) edges.resize(size_t(s.max_hops));
    double sum = 0;
    for (size_t n = 0; n < edges.size(); ++n)
      for (int64_t k = 0; k < s.heads; ++k)
        sum += row_of_edge(listed(edges[n]), k) *
               number(w.arrays.size() - 1, (int64_t(n) * s.heads + k) * s.heads + h);
    return sum / double(edges.size());
  }
  double bias(int64_t h, int64_t query, int64_t key) const {
    const int64_t first = s.graph_token ? 1 : 0, i = query - first, j = key - first;
    if (i < 0 || j < 0) return number(1, h);
    const auto far = d[size_t(i)][size_t(j)];
    const int64_t row = far > plain::Real(s.distances - 3) ? s.distances - 1 : 1 + int64_t(far);
    return number(0, row * s.heads + h) + edge_term(i, j, h);
  }
};

struct Case {
  SpatialBias scheme;
  Graph g;
  Weights w;
  std::vector<int64_t> ids;
  int64_t each;

  Tensor id_tensor() const {
    if (scheme.edge_ids == 0) return {};
    return each == 1 ? tensor(ids.data(), {std::ssize(g.edges)})
                     : tensor(ids.data(), {std::ssize(g.edges), each});
  }
  Reference reference() const { return {scheme, g, w, ids, each}; }
};
Case make_case(Random& random, int round) {
  const int64_t nodes = random.integer(1, 8);
  Case c{{.heads = 3,
          .distances = random.integer(4, 8),
          .graph_token = round % 2 == 0,
          .edge_ids = round % 3 == 0 ? 0 : 4,
          .max_hops = random.integer(1, 4)},
         plain::any_graph(random, nodes, random.integer(0, 2 * nodes), false),
         {},
         {},
         round % 5 == 0 ? 2 : 1};
  c.g.directed = round % 4 == 1;
  if (round % 7 < 2)  // an edge of weight 0 is none, whatever is listed beside it
    for (size_t e = 0; e < c.g.edges.size(); ++e)
      c.g.weights.push_back(double(random.integer(0, 1)));
  c.w = random_weights(c.scheme.weights(), random);
  for (int64_t n = 0; n < std::ssize(c.g.edges) * c.each; ++n)
    c.ids.push_back(random.integer(0, 3));
  return c;
}

// Fewer than 2^6 products of numbers below 1, in f64.
TEST(SpatialBias, IsTheDefinition) {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    const Case c = make_case(random, round);
    const Reference truth = c.reference();
    const int64_t t = c.scheme.tokens(c.g);
    const DType dtype = float_types[round / 5 % 4];
    Guarded out(dtype, {3, t, t}, all_placements[round % 5]), sum(dtype, {2, 3, t, t});
    for (int64_t n = 0; n < sum.view().elements(); ++n) set(sum.view(), n, 0.25);
    fill_bias(c.scheme, c.g, c.w.views(), out.view(), c.id_tensor());
    add_bias(c.scheme, c.g, c.w.views(), sum.view(), c.id_tensor());
    for (int64_t n = 0; n < 2 * 3 * t * t; ++n) {
      const int64_t m = n % (3 * t * t);
      const double b = truth.bias(m / t / t, m / t % t, m % t), off = 0x1p-47;
      ASSERT_NEAR(get(out.view(), m), b, off + half_ulp(dtype, b)) << round << " " << m;
      const double all = half_ulp(compute_type(dtype), b) + 2 * half_ulp(dtype, 2 + std::abs(b));
      ASSERT_NEAR(get(sum.view(), n), b + 0.25, off + all) << round << " " << n;
    }
    ASSERT_TRUE(out.intact() && sum.intact());
  }
}

// Of three nodes in a line and the graph token: rows 1 + distance; ids 1 and 2 are rows 1 and 2.
TEST(SpatialBias, WorkedNumbers) {
  const SpatialBias s{.heads = 1, .distances = 6};
  const Graph g{.nodes = 4, .edges = {{0, 1}, {1, 2}}};
  std::vector<double> table{0, 10, 11, 12, 13, 14}, token{-1}, out(25);
  const Tensor weights[] = {tensor(table.data(), {6, 1}), tensor(token.data(), {1})};
  fill_bias(s, g, weights, tensor(out.data(), {1, 5, 5}));
  EXPECT_EQ(out, (std::vector<double>{-1, -1, -1, -1, -1, -1, 10, 11, 12, 14, -1, 11, 10,
                                      11, 14, -1, 12, 11, 10, 14, -1, 14, 14, 14, 10}));
}

// <gradient, direction> is the slope of <dout, biases>, a polynomial of degree 2 in the weights: a
// central difference of step 1 is exact.
TEST(SpatialBias, Gradients) {
  Random random(2);
  for (int round = 0; round < 30; ++round) {
    const Case c = make_case(random, round);
    const int64_t t = c.scheme.tokens(c.g);
    Guarded dout(DType::f64, {2, 3, t, t}, all_placements[round % 5]);
    randomize(dout.view(), random);
    const Weights direction = random_weights(c.scheme.weights(), random);
    const Weights g = zero_weights(c.scheme.weights(), DType::f64);
    backward_bias(c.scheme, c.g, c.w.views(), dout.view(), g.views(), c.id_tensor());
    double along = 0, slope = 0;
    for (const double step : {1.0, -1.0}) {
      Weights moved = c.w;
      for (size_t i = 0; i < g.arrays.size(); ++i)
        for (int64_t n = 0; n < g.arrays[i].view().elements(); ++n) {
          const double d = get(direction.arrays[i].view(), n);
          set(moved.arrays[i].view(), n, get(c.w.arrays[i].view(), n) + step * d);
          along += get(g.arrays[i].view(), n) * d / 2;
        }
      std::vector<double> out(size_t(3 * t * t));
      fill_bias(c.scheme, c.g, moved.views(), tensor(out.data(), {3, t, t}), c.id_tensor());
      for (int64_t n = 0; n < dout.view().elements(); ++n)
        slope += step / 2 * get(dout.view(), n) * out[size_t(n % (3 * t * t))];
    }
    EXPECT_NEAR(along, slope, 1e-11) << round;
  }
}

TEST(SpatialBias, Sentences) {
  const SpatialBias s{.heads = 2, .distances = 5, .edge_ids = 3};
  const Graph g{.nodes = 2, .edges = {{0, 1}}};
  const Weights w = zero_weights(s.weights(), DType::f32);
  std::vector<float> out(18);
  std::vector<int64_t> id{3};
  const auto filled = [&](int64_t tokens, const Tensor& ids) {
    return [&, tokens, ids] {
      fill_bias(s, g, w.views(), tensor(out.data(), {2, tokens, tokens}), ids);
    };
  };
  expect_message(
      filled(2, tensor(id.data(), {1})),
      "[fill_bias] expected scores as f32, f64, f16 or bf16 [..., 2, 3, 3], got f32 [2, ");
  expect_message(filled(3, tensor(id.data(), {1})),
                 "[fill_bias] expected ids of edges from 0 to 2, got 3");
  expect_message(filled(3, {}), "[fill_bias] expected ids of edges as i32 or i64 [1] or [1, any]");
  expect_message([] { SpatialBias{.distances = 3}.check(); },
                 "[spatial-bias] expected distances from 4 to 65536, got 3");
}

}  // namespace
}  // namespace posenc::graph::bias_test
