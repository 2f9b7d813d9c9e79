#include "draw/grid.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "draw/axis.h"

namespace posenc::draw {
namespace {

// Source cell `from` gives `weight` of itself to target cell `to`.
struct Share {
  int64_t from, to;
  double weight;
};

// Shares of n source cells in m <= n target cells, in order of `to`.
std::vector<Share> make_shares(int64_t n, int64_t m) {
  std::vector<Share> shares;
  for (int64_t to = 0; to < m; ++to)
    // In units where source cells are m long and target cells n.
    for (int64_t from = to * n / m; from * m < (to + 1) * n; ++from) {
      const int64_t begin = std::max(from * m, to * n);
      const int64_t end = std::min((from + 1) * m, (to + 1) * n);
      shares.push_back({from, to, static_cast<double>(end - begin) / static_cast<double>(m)});
    }
  return shares;
}

struct Sum {
  double value = 0, weight = 0;
  void add(double v, double w) {
    value += v;
    weight += w;
  }
  double mean() const {
    return weight > 0 ? value / weight : std::numeric_limits<double>::quiet_NaN();
  }
};

void sum_row(const double* row, const std::vector<Share>& shares, std::vector<Sum>& sums) {
  std::fill(sums.begin(), sums.end(), Sum{});
  for (const Share& s : shares) {
    const double v = row[s.from], weight = drawable(v) ? s.weight : 0;
    sums[static_cast<size_t>(s.to)].add(weight > 0 ? weight * v : 0, weight);
  }
}

}  // namespace

bool Grid::complete() const {
  return std::all_of(values.begin(), values.end(), [](double v) { return drawable(v); });
}

Grid average(const Heatmap& map, int64_t rows, int64_t cols) {
  Grid grid{std::min(rows, map.rows), std::min(cols, map.cols), {}};
  const auto row_shares = make_shares(map.rows, grid.rows);
  const auto col_shares = make_shares(map.cols, grid.cols);
  std::vector<Sum> line(static_cast<size_t>(grid.cols)), total(line);
  int64_t to = 0;
  const auto finish_row = [&] {
    for (Sum& sum : total) grid.values.push_back(std::exchange(sum, {}).mean());
  };
  for (const Share& share : row_shares) {
    if (share.to != to) finish_row();
    to = share.to;
    sum_row(&map.values[static_cast<size_t>(share.from * map.cols)], col_shares, line);
    for (size_t c = 0; c < line.size(); ++c)
      total[c].add(share.weight * line[c].value, share.weight * line[c].weight);
  }
  finish_row();
  return grid;
}

}  // namespace posenc::draw
