// laplacian_matrix.cc: products with the Laplacian, rows over threads.
#include "graph/laplacian_matrix.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/parallel.h"
#include "base/scratch.h"

namespace posenc::graph {

LaplacianMatrix::LaplacianMatrix(const Adjacency& links, bool normalised)
    : links_(links), normalised_(normalised), diagonal_(links.degrees()), bound_(2) {
  if (normalised) {
    for (const double d : diagonal_) scale_.push_back(1 / std::sqrt(d));
    diagonal_.assign(diagonal_.size(), 1);
  } else {
    scale_.assign(diagonal_.size(), 1);
    bound_ = 2 * *std::max_element(diagonal_.begin(), diagonal_.end());
  }
}

namespace {

// The sum of weight x over the targets of a row; four sums at once, as each waits for memory.
template <bool weighted>
double row_sum(const int32_t* to, const double* weight, int64_t count, const double* x) {
  const auto at = [&](int64_t e) { return weighted ? weight[e] * x[to[e]] : x[to[e]]; };
  double a = 0, b = 0, c = 0, d = 0;
  int64_t e = 0;
  for (; e + 4 <= count; e += 4) a += at(e), b += at(e + 1), c += at(e + 2), d += at(e + 3);
  for (; e < count; ++e) a += at(e);
  return (a + b) + (c + d);
}

}  // namespace

template <class F>
void LaplacianMatrix::each_row(const double* x, const F& f) const {
  constexpr int64_t block = 512;
  const auto rows = [&]<bool weighted>(std::bool_constant<weighted>, int64_t first) {
    const int32_t* to = links_.to.data();
    const double* weight = links_.weight.data();
    for (int64_t i = first; i < std::min(size(), first + block); ++i) {
      const int64_t e = links_.first(i), count = links_.last(i) - e;
      f(i, row_sum<weighted>(to + e, weighted ? weight + e : nullptr, count, x));
    }
  };
  // A fork for each product pays only where that takes a while, also on a busy machine.
  parallel_for((size() + block - 1) / block, (size() + links_.edges()) / 2, [&](int64_t b) {
    if (links_.weight.empty())
      rows(std::false_type(), b * block);
    else
      rows(std::true_type(), b * block);
  });
}

void LaplacianMatrix::apply(const double* x, double* y) const {
  Scratch<double> scaled(size());
  for (int64_t i = 0; i < size(); ++i) scaled[i] = scale(i) * x[i];
  each_row(&scaled[0], [&](int64_t i, double sum) { y[i] = diagonal(i) * x[i] - scale(i) * sum; });
}

void LaplacianMatrix::step(double a, double b, double c, const double* x, double* y) const {
  each_row(x, [&](int64_t i, double sum) {
    y[i] = (a + b * diagonal(i)) * x[i] - b * scale(i) * scale(i) * sum + c * y[i];
  });
}

double LaplacianMatrix::energy(const double* x) const {
  double sum = 0;
  for (int64_t i = 0; i < size(); ++i)
    for (int64_t e = links_.first(i); e < links_.last(i); ++e) {
      const int32_t j = links_.target(e);
      if (j < i) continue;
      const double difference =
          scale_[static_cast<size_t>(i)] * x[i] - scale_[static_cast<size_t>(j)] * x[j];
      sum += links_.weight_of(e) * difference * difference;
    }
  return sum;
}

std::vector<double> LaplacianMatrix::trivial() const {
  std::vector<double> out;
  double squares = 0;
  for (const double s : scale_) out.push_back(1 / s), squares += out.back() * out.back();
  for (double& x : out) x /= std::sqrt(squares);
  return out;
}

}  // namespace posenc::graph
