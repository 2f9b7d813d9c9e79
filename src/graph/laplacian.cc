// laplacian.cc: eigenvectors of components, put together as one table.
#include "posenc/graph/laplacian.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/memory.h"
#include "base/parallel.h"
#include "graph/components.h"
#include "graph/eigenvectors.h"
#include "posenc/graph.h"

namespace posenc::graph {
namespace {

void make_unit(std::vector<double>& v) {
  double squares = 0;
  for (const double x : v) squares += x * x;
  for (double& x : v) x /= std::sqrt(squares);
}

// D^(-1/2) v, of length 1 again.
void to_random_walk(std::vector<Eigenpair>& pairs, const Adjacency& links) {
  const auto degrees = links.degrees();
  for (Eigenpair& pair : pairs) {
    for (size_t i = 0; i < degrees.size(); ++i) pair.vector[i] /= std::sqrt(degrees[i]);
    make_unit(pair.vector);
  }
}

// The `count` smallest pairs of a component, the trivial one first.
std::vector<Eigenpair> pairs_of(const Laplacian& s, const ConnectedComponent& c, int64_t count) {
  if (c.nodes.size() == 1) return {{0, {1}}};
  const LaplacianMatrix matrix(c.links, s.normalization != Normalization::unnormalised);
  std::vector<Eigenpair> out{{0, matrix.trivial()}};
  if (count > 1)
    for (Eigenpair& pair : smallest(matrix, count - 1)) out.push_back(std::move(pair));
  if (s.normalization == Normalization::random_walk) to_random_walk(out, c.links);
  return out;
}

// Small components over threads; large ones use threads within.
std::vector<std::vector<Eigenpair>> all_pairs(const Laplacian& s,
                                              const std::vector<ConnectedComponent>& parts) {
  constexpr size_t large = 1000;
  std::vector<std::vector<Eigenpair>> out(parts.size());
  const auto solve = [&](size_t i) { out[i] = pairs_of(s, parts[i], s.dim + 1); };
  int64_t bytes = 0;
  for (const ConnectedComponent& c : parts)
    bytes += c.nodes.size() < large ? 10000 * std::ssize(c.nodes) : 0;
  parallel_for(std::ssize(parts), bytes, [&](int64_t i) {
    if (parts[static_cast<size_t>(i)].nodes.size() < large) solve(static_cast<size_t>(i));
  });
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i].nodes.size() >= large) solve(i);
  return out;
}

uint64_t mixed(uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// -1 where the first of the largest entries is negative.
double fixed_sign(const std::vector<double>& v) {
  double most = 0;
  for (const double x : v) most = std::max(most, std::abs(x));
  for (const double x : v)
    if (std::abs(x) >= (1 - 1e-6) * most) return x < 0 ? -1 : 1;
  return 1;
}

// What a vector is multiplied with.
double sign_of(const Laplacian& s, const std::vector<double>& v, int64_t row, int64_t column) {
  if (s.sign == Sign::free || s.sign == Sign::absolute) return 1;
  if (s.sign != Sign::random) return fixed_sign(v);
  const auto seed = mixed(static_cast<uint64_t>(s.seed)) + static_cast<uint64_t>(row);
  return mixed(mixed(seed) + static_cast<uint64_t>(column)) & 1 ? -1 : 1;
}

// A pair on its way into the table: pair `index` of component `part`.
struct EigenColumn {
  double value;
  size_t part, index;
};

std::vector<EigenColumn> places_of(const std::vector<std::vector<Eigenpair>>& pairs, size_t part) {
  std::vector<EigenColumn> out;
  for (size_t i = 0; i < pairs[part].size(); ++i) out.push_back({pairs[part][i].value, part, i});
  return out;
}

// In the order of values, and of components where these are the same but for rounding.
void sort(std::vector<EigenColumn>& all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const EigenColumn& a, const EigenColumn& b) { return a.value < b.value; });
  for (auto first = all.begin(), last = first; first != all.end(); first = last) {
    while (++last != all.end() && last->value - last[-1].value <= 1e-10 * (1 + last->value)) {
    }
    std::stable_sort(first, last,
                     [](const EigenColumn& a, const EigenColumn& b) { return a.part < b.part; });
  }
}

// Which pairs are shown, in the order of the columns.
std::vector<EigenColumn> chosen(const Laplacian& s, std::vector<EigenColumn> all) {
  sort(all);
  if (s.skip == Skip::first) all.erase(all.begin());
  if (s.skip == Skip::trivial)
    std::erase_if(all, [](const EigenColumn& p) { return p.index == 0; });
  if (std::ssize(all) > s.dim) all.resize(static_cast<size_t>(s.dim));
  return all;
}

void write_row(const Laplacian& s, const std::vector<ConnectedComponent>& parts,
               const std::vector<std::vector<Eigenpair>>& pairs,
               const std::vector<EigenColumn>& places, int64_t row, Spectrum& out) {
  for (size_t column = 0; column < places.size(); ++column) {
    const auto [value, part, index] = places[column];
    const auto& vector = pairs[part][index].vector;
    const double sign = sign_of(s, vector, row, static_cast<int64_t>(column));
    const auto width = static_cast<size_t>(s.dim);
    out.values[static_cast<size_t>(row) * width + column] = value;
    for (size_t i = 0; i < vector.size(); ++i) {
      const double x = s.sign == Sign::absolute ? std::abs(vector[i]) : sign * vector[i];
      out.vectors[static_cast<size_t>(parts[part].nodes[i]) * width + column] = x;
    }
  }
}

}  // namespace

Fields Laplacian::fields() {
  using S = Laplacian;
  return {{"dim", &S::dim, "eigenvectors, each a column; 0 where there are fewer"},
          {"normalization", &S::normalization, "which Laplacian"},
          {"skip", &S::skip,
           "vectors left out: the trivial one of each component, only the first column, or none"},
          {"components", &S::components,
           "one spectrum of the whole graph, or each component as a graph of its own"},
          {"sign", &S::sign,
           "largest entry positive, drawn by seed, as the solver leaves it, columns v and -v, |v|"},
          {"seed", &S::seed, "seed of the random signs"}};
}

std::vector<Preset<Laplacian>> Laplacian::presets() {
  using N = Normalization;
  return {{"posenc", "the non-trivial vectors of every component, signs fixed", {}},
          {"pyg",
           "torch_geometric AddLaplacianEigenvectorPE",
           {8, N::symmetric, Skip::first, Components::together, Sign::random}},
          {"signnet",
           "SignNet's inputs v and -v, with the trivial vector",
           {8, N::unnormalised, Skip::none, Components::together, Sign::both}}};
}

void Laplacian::check() const {
  check_choices(name, *this);
  check_size(name, "dim", dim);
}

Spectrum spectrum(const Laplacian& s, const Graph& graph) {
  s.check();
  if (graph.directed)
    fail(s.name, "expected an undirected graph, got a directed one: read its edges as undirected");
  const auto parts = components(adjacency(s.name, graph));
  const auto pairs = all_pairs(s, parts);
  const int64_t rows = s.components == Components::apart ? std::ssize(parts) : 1;
  Spectrum out{s.dim,
               zeros<double>(s.name, "a table", graph.nodes * s.dim),
               zeros<double>(s.name, "eigenvalues", rows * s.dim),
               {}};
  std::fill(out.values.begin(), out.values.end(), std::numeric_limits<double>::quiet_NaN());
  out.component.resize(static_cast<size_t>(graph.nodes));
  std::vector<EigenColumn> all;
  for (size_t p = 0; p < parts.size(); ++p) {
    for (const int32_t node : parts[p].nodes)
      out.component[static_cast<size_t>(node)] = static_cast<int64_t>(p);
    const auto own = places_of(pairs, p);
    if (s.components == Components::apart)
      write_row(s, parts, pairs, chosen(s, own), static_cast<int64_t>(p), out);
    else
      all.insert(all.end(), own.begin(), own.end());
  }
  if (!all.empty()) write_row(s, parts, pairs, chosen(s, std::move(all)), 0, out);
  return out;
}

void Laplacian::write(const Graph& graph, const Tensor& table) const {
  fill(*this, spectrum(*this, graph), table);
}

}  // namespace posenc::graph
