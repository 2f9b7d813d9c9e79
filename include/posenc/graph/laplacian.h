// laplacian.h: eigenvectors of the graph Laplacian (Dwivedi et al., 2020).
//
//   symmetric     L = I - D^(-1/2) A D^(-1/2)
//   unnormalised  L = D - A
//   random-walk   L = I - D^(-1) A, whose vectors are D^(-1/2) times the symmetric ones
//
// A holds the weights of an undirected graph, D its row sums; loops are ignored in both, as in
// PyTorch Geometric and SciPy. Columns are eigenvectors of norm 1, smallest eigenvalue first.
// Each is nonzero in one connected component only; of equal eigenvalues in several components, that
// of the component with the smallest node comes first. An isolated node has the eigenvalue 0.
// For a repeated eigenvalue within a component, any basis of its eigenspace may be returned.
// Columns beyond the last eigenvector are 0.
#pragma once

#include "posenc/graph/graph.h"

namespace posenc {
namespace POSENC_PUBLIC graph {

enum class Normalization : uint8_t { symmetric, unnormalised, random_walk };
constexpr auto enum_names(Normalization) {
  return names({"symmetric", "unnormalised", "random-walk"});
}

// Which vectors are left out. Each component has a trivial one with the eigenvalue 0.
enum class Skip : uint8_t {
  trivial,  // that of every component
  first,    // only the very first column: PyTorch Geometric, and the paper's code
  none,     // no vector: SignNet, GraphGPS
};
constexpr auto enum_names(Skip) { return names({"trivial", "first", "none"}); }

enum class Components : uint8_t {
  together,  // one spectrum: the smallest eigenvalues of all components
  apart,     // each component as a separate graph: a batch of graphs
};
constexpr auto enum_names(Components) { return names({"together", "apart"}); }

// v and -v are both eigenvectors.
enum class Sign : uint8_t {
  fixed,     // the entry of largest magnitude is positive (the first of those within 1e-6)
  random,    // by `seed`, for each column, and for each component with apart
  free,      // as the solver returns it: the same in every run
  both,      // dim columns v, then dim columns -v, fixed: SignNet's phi(v) + phi(-v)
  absolute,  // |v|
};
constexpr auto enum_names(Sign) { return names({"fixed", "random", "free", "both", "absolute"}); }

struct Laplacian {
  static constexpr std::string_view name = "laplacian";
  static constexpr std::string_view about = "eigenvectors of the graph Laplacian";
  static constexpr std::string_view used_by =
      "Dwivedi et al. 2020, SAN, GraphGPS, SignNet; PyTorch Geometric's AddLaplacianEigenvectorPE";

  int64_t dim = 8;
  Normalization normalization = Normalization::symmetric;
  Skip skip = Skip::trivial;
  Components components = Components::together;
  Sign sign = Sign::fixed;
  int64_t seed = 0;

  static Fields fields();
  static std::vector<Preset<Laplacian>> presets();
  void check() const;
  int64_t columns(const Graph&) const { return sign == Sign::both ? 2 * dim : dim; }
  bool is_integral() const { return false; }
  void write(const Graph& graph, const Tensor& table) const;
};

}  // namespace graph
}  // namespace posenc
