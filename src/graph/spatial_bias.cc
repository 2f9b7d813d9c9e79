// spatial_bias.cc: rows of distances, and edges along shortest paths.
#include "posenc/graph/spatial_bias.h"

#include "base/batch.h"
#include "base/check.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "base/memory.h"
#include "base/sums.h"
#include "graph/edge_term.h"
#include "posenc/graph.h"

namespace posenc::graph {
namespace {

// What the biases of one graph read: [heads, tokens, tokens] of them.
class SpatialBiases {
 public:
  SpatialBiases(const SpatialBias& scheme, const Graph& graph, std::span<const Tensor> weights,
                const Tensor& edge_ids)
      : scheme_(scheme), first_(scheme.graph_token ? 1 : 0), tokens_(scheme.tokens(graph)) {
    rows_ = zeros<int64_t>("graph", "distances", graph.nodes * graph.nodes);
    const double unreachable = static_cast<double>(scheme.distances - 2);
    const ShortestPaths paths{{}, false, unreachable - 1, unreachable};
    if (graph.nodes > 0) fill(paths, graph, tensor(rows_.data(), {graph.nodes, graph.nodes}));
    for (int64_t& row : rows_) ++row;
    for (const Tensor& w : weights) values_.push_back(values(w));
    if (scheme.edge_ids > 0)
      edges_.emplace(scheme, graph, values_[values_.size() - 2], values_.back(), edge_ids);
  }

  int64_t size() const { return scheme_.heads * tokens_ * tokens_; }

  std::vector<double> all() const {
    auto out = zeros<double>("graph", "biases", size());
    each_pair([&](int64_t n, const double* row, int64_t) {
      for (int64_t h = 0; h < scheme_.heads; ++h) out[place(h, n)] = row[h];
    });
    if (edges_)
      edges_->add([&](int64_t i, int64_t j, int64_t h) -> double& {
        return out[place(h, (i + first_) * tokens_ + j + first_)];
      });
    return out;
  }

  // Adds what g [heads, tokens, tokens] says about all weights, one after the other.
  void backward(const std::vector<double>& g, Gradients sums) const {
    each_pair([&](int64_t n, const double*, int64_t row) {
      for (int64_t h = 0; h < scheme_.heads; ++h) {
        const double gh = g[place(h, n)];
        (row < 0 ? sums[1][static_cast<size_t>(h)]
                 : sums[0][static_cast<size_t>(row * scheme_.heads + h)]) += gh;
      }
    });
    if (edges_)
      edges_->backward([&](int64_t i, int64_t j,
                           int64_t h) { return g[place(h, (i + first_) * tokens_ + j + first_)]; },
                       sums[sums.size() - 2], sums.back());
  }

 private:
  size_t place(int64_t head, int64_t pair) const {
    return static_cast<size_t>(head * tokens_ * tokens_ + pair);
  }
  // Calls f(pair, the heads' biases, row of the table or -1: that of the graph token).
  template <class F>
  void each_pair(const F& f) const {
    const int64_t nodes = tokens_ - first_;
    for (int64_t n = 0; n < tokens_ * tokens_; ++n) {
      const int64_t i = n / tokens_ - first_, j = n % tokens_ - first_;
      const bool of_token = i < 0 || j < 0;
      const int64_t row = of_token ? -1 : rows_[static_cast<size_t>(i * nodes + j)];
      f(n, of_token ? values_[1].data() : values_[0].data() + row * scheme_.heads, row);
    }
  }

  const SpatialBias& scheme_;
  int64_t first_, tokens_;
  std::vector<int64_t> rows_;  // of the table, for each pair of nodes
  std::vector<std::vector<double>> values_;
  std::optional<EdgeTerm> edges_;
};

void check_all(const char* verb, const SpatialBias& s, const Graph& graph,
               std::span<const Tensor> weights, const Tensor& scores, const Tensor& edge_ids) {
  s.check();
  check(s.name, graph);
  check_weights(s.name, s.weights(), weights);
  for (const Tensor& w : weights) check_host_memory(verb, "weights", w);
  check_host_memory(verb, "scores", scores);
  const int64_t tokens = s.tokens(graph);
  if (scores.rank < 3 || !is_float(scores.dtype) || scores.size(-3) != s.heads ||
      scores.size(-2) != tokens || scores.size(-1) != tokens)
    fail(ErrorKind::tensor, verb, "expected scores as f32, f64, f16 or bf16 [..., ", s.heads, ", ",
         tokens, ", ", tokens, "], got ", describe(scores));
  check_edge_ids(verb, s, graph, edge_ids);
}

// Calls f(element, the bias's number) for every element of [..., heads, tokens, tokens].
template <class T, class F>
void each_score(const Tensor& t, int64_t biases, const F& f) {
  for (int64_t n = 0; n < t.elements(); ++n)
    f(static_cast<T*>(t.data)[offset_of(t, n)], static_cast<size_t>(n % biases));
}

}  // namespace

void SpatialBias::check() const {
  check_size(name, "heads", heads);
  if (distances < 4 || distances > 65536)
    fail(name, "expected distances from 4 to 65536, got ", distances);
  if (edge_ids < 0 || edge_ids > max_size)
    fail(name, "expected edge_ids from 0 to ", max_size, ", got ", edge_ids);
  check_size(name, "max_hops", max_hops);
}

std::vector<Weight> SpatialBias::weights() const {
  std::vector<Weight> out{{"table", {distances, heads}, 0, 0.02}};
  if (graph_token) out.push_back({"token", {heads}, 0, 0.02});
  if (edge_ids == 0) return out;
  out.push_back({"edges", {edge_ids, heads}, 0, 0.02});
  out.push_back({"hops", {max_hops, heads, heads}, 0, 0.02});
  return out;
}

void fill_bias(const SpatialBias& scheme, const Graph& graph, std::span<const Tensor> weights,
               const Tensor& out, const Tensor& edge_ids) {
  check_all("fill_bias", scheme, graph, weights, out, edge_ids);
  check_output("fill_bias", out);
  const auto biases = SpatialBiases(scheme, graph, weights, edge_ids).all();
  dispatch(out.dtype, [&]<class T>() {
    each_score<T>(out, std::ssize(biases),
                  [&](T& to, size_t n) { to = rounded_once<T>(biases[n]); });
  });
}

void add_bias(const SpatialBias& scheme, const Graph& graph, std::span<const Tensor> weights,
              const Tensor& scores, const Tensor& edge_ids) {
  check_all("add_bias", scheme, graph, weights, scores, edge_ids);
  check_output("add_bias", scores);
  const auto biases = SpatialBiases(scheme, graph, weights, edge_ids).all();
  dispatch(scores.dtype, [&]<class T>() {
    using C = Compute<T>;
    each_score<T>(scores, std::ssize(biases), [&](T& to, size_t n) {
      to = rounded_to<T>(static_cast<C>(as_double(to)) + static_cast<C>(biases[n]));
    });
  });
}

void backward_bias(const SpatialBias& scheme, const Graph& graph, std::span<const Tensor> weights,
                   const Tensor& dout, std::span<const Tensor> dweights, const Tensor& edge_ids) {
  check_all("backward_bias", scheme, graph, weights, dout, edge_ids);
  std::vector<std::vector<int64_t>> shapes;
  for (const Weight& w : scheme.weights()) shapes.push_back(w.shape);
  check_gradients("backward_bias", shapes, dweights, dout.dtype);
  for (const Tensor& t : dweights) check_host_memory("backward_bias", "dweights", t);
  check_gradients_apart("backward_bias", dweights, {dout});
  const SpatialBiases biases(scheme, graph, weights, edge_ids);
  auto g = zeros<double>("graph", "gradients", biases.size());
  dispatch(dout.dtype, [&]<class T>() {
    each_score<T>(dout, std::ssize(g), [&](T& from, size_t n) { g[n] += as_double(from); });
  });
  Sums sums(dweights);
  biases.backward(g, sums.lists());
  sums.add_to(dweights);
}

}  // namespace posenc::graph
