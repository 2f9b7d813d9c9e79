// random_walk.cc: exact chances of return, eight nodes at a time.
//
// Row i of P^a is found by walking on from node i, along the edges that were reached so far. Where
// edges lead both ways, d_i (P^b)_ij = d_j (P^b)_ji, so that half of the steps are enough:
//
//   (P^(a + b))_ii = sum over j of (P^a)_ij (P^b)_ji = d_i sum over j of (P^a)_ij (P^b)_ij / d_j
#include "posenc/graph/random_walk.h"

#include "base/parallel.h"
#include "graph/adjacency.h"
#include "graph/table.h"

namespace posenc::graph {
namespace {

constexpr int64_t lanes = 8;
using Lanes = std::array<double, lanes>;

struct WalkSetup {
  const Adjacency& a;
  std::vector<double> degree, inverse;  // 0 for a node without edges
  bool both_ways;
  int64_t steps;
};

// The walks of up to eight nodes.
class Walkers {
 public:
  explicit Walkers(const WalkSetup& walk) : w_(walk), slot_(walk.degree.size(), -1) {}

  void start(std::span<const int32_t> nodes) {
    for (const int32_t node : seen_) slot_[static_cast<size_t>(node)] = -1;
    seen_.assign(nodes.begin(), nodes.end());
    now_.assign(nodes.size(), Lanes{}), before_.clear();
    for (size_t lane = 0; lane < nodes.size(); ++lane) {
      now_[lane][lane] = 1;
      slot_[static_cast<size_t>(nodes[lane])] = static_cast<int32_t>(lane);
    }
  }

  void step() {
    const size_t known = now_.size();
    before_.swap(now_);
    now_.assign(known, Lanes{});
    for (size_t i = 0; i < known; ++i) w_.a.weight.empty() ? spread<false>(i) : spread<true>(i);
  }

  // The chance to be back now.
  double returned(size_t lane) const { return now_[lane][lane]; }

  // d times the sum of products of walks, these with these (or with those a step ago), over d.
  Lanes met(bool with_before) const {
    Lanes sum{};
    const auto& other = with_before ? before_ : now_;
    for (size_t i = 0; i < other.size(); ++i) {
      const double inverse = w_.inverse[static_cast<size_t>(seen_[i])];
      for (size_t l = 0; l < lanes; ++l) sum[l] += now_[i][l] * other[i][l] * inverse;
    }
    for (size_t l = 0; l < std::min<size_t>(lanes, seen_.size()); ++l)
      sum[l] *= w_.degree[static_cast<size_t>(seen_[l])];
    return sum;
  }

 private:
  template <bool weighted>
  void spread(size_t from) {
    const int32_t node = seen_[from];
    Lanes share = before_[from];
    for (double& x : share) x *= w_.inverse[static_cast<size_t>(node)];
    for (int64_t e = w_.a.first(node); e < w_.a.last(node); ++e) {
      Lanes& into = now_[slot_of(w_.a.target(e))];
      const double weight = weighted ? w_.a.weight_of(e) : 1;
      for (size_t l = 0; l < lanes; ++l) into[l] += weighted ? weight * share[l] : share[l];
    }
  }

  size_t slot_of(int32_t node) {
    int32_t& slot = slot_[static_cast<size_t>(node)];
    if (slot < 0) {
      slot = static_cast<int32_t>(seen_.size());
      seen_.push_back(node), now_.emplace_back();
    }
    return static_cast<size_t>(slot);
  }

  const WalkSetup& w_;
  std::vector<int32_t> slot_;  // of a node that was reached, or -1
  std::vector<int32_t> seen_;  // nodes in the order they were reached
  std::vector<Lanes> now_, before_;
};

// Neighbours after each other: those that walk together reach the same nodes.
std::vector<int32_t> near_order(const Adjacency& a) {
  std::vector<int32_t> out;
  std::vector<bool> reached(static_cast<size_t>(a.nodes()));
  const auto reach = [&](int32_t node) {
    if (!reached[static_cast<size_t>(node)]) out.push_back(node);
    reached[static_cast<size_t>(node)] = true;
  };
  size_t next = 0;
  for (int64_t start = 0; start < a.nodes(); ++start) {
    reach(static_cast<int32_t>(start));
    for (; next < out.size(); ++next)
      for (int64_t e = a.first(out[next]); e < a.last(out[next]); ++e) reach(a.target(e));
  }
  return out;
}

void walk_together(const WalkSetup& walk, Walkers& walkers, std::span<const int32_t> nodes,
                   const Tensor& table) {
  walkers.start(nodes);
  const auto write = [&](int64_t column, const auto& chance) {
    for (size_t l = 0; column < walk.steps && l < nodes.size(); ++l)
      put(table, nodes[l], column, chance(l));
  };
  const int64_t steps = walk.both_ways ? (walk.steps + 1) / 2 : walk.steps;
  for (int64_t s = 0; s < steps; ++s) {
    check_interrupt();  // a step of a large graph takes milliseconds
    walkers.step();
    if (!walk.both_ways) {
      write(s, [&](size_t l) { return walkers.returned(l); });
      continue;
    }
    const Lanes odd = walkers.met(true), even = walkers.met(false);
    write(2 * s, [&](size_t l) { return odd[l]; });
    write(2 * s + 1, [&](size_t l) { return even[l]; });
  }
}

WalkSetup make_walk(const RandomWalk& s, const Graph& graph, const Adjacency& a) {
  WalkSetup walk{a, a.degrees(), {}, !graph.directed, s.steps};
  for (const double d : walk.degree) walk.inverse.push_back(d > 0 ? 1 / d : 0);
  return walk;
}

}  // namespace

Fields RandomWalk::fields() {
  return {{"steps", &RandomWalk::steps, "columns: the chances after 1, 2, ... steps"}};
}

std::vector<Preset<RandomWalk>> RandomWalk::presets() {
  return {{"pyg", "torch_geometric AddRandomWalkPE, 16 steps", {}},
          {"gps", "GraphGPS on ZINC, 20 steps", {20}}};
}

void RandomWalk::check() const { check_size(name, "steps", steps); }

void RandomWalk::write(const Graph& graph, const Tensor& table) const {
  const Adjacency a = adjacency(name, graph);
  const WalkSetup walk = make_walk(*this, graph, a);
  const auto order = near_order(a);
  const int64_t blocks = (a.nodes() + lanes - 1) / lanes;
  Tickets tickets;
  const auto walk_some = [&](int64_t) {
    Walkers walkers(walk);
    for (int64_t b = tickets.take(); b < blocks; b = tickets.take()) {
      const auto first = static_cast<size_t>(b * lanes);
      const auto nodes = std::span(order).subspan(
          first, std::min(order.size() - first, static_cast<size_t>(lanes)));
      walk_together(walk, walkers, nodes, table);
    }
  };
  for_each_piece_of(std::min(blocks, threads_for(64 * steps * (a.nodes() + a.edges()))),
                    PieceCall(walk_some));
}

}  // namespace posenc::graph
