// grid_sinusoidal.cc: sinusoids of the axes of a grid.
#include "reference/formulas.h"

namespace posenc::reference {
namespace {

struct Block {
  size_t axis;
  int64_t pairs;
};

// Shares of the columns, in whole pairs: rounded down, or up where the end is cut off.
std::vector<Block> blocks(const GridSinusoidal& s) {
  std::vector<double> shares = s.shares;
  if (shares.empty()) shares.assign(static_cast<size_t>(s.coordinates), 1);
  double all = 0;
  for (double share : shares) all += share;
  std::vector<Block> out;
  for (size_t b = 0; b < shares.size(); ++b) {
    const Real pairs = Real(s.dim) * shares[b] / (2 * Real(all));
    const Real whole = s.uneven == Uneven::cut ? ceil(pairs) : floor(pairs);
    out.push_back({s.block_axes.empty() ? b : static_cast<size_t>(s.block_axes[b]),
                   static_cast<int64_t>(nearest_f64(whole))});
  }
  return out;
}

Real band_frequency(const GridSinusoidal& s, int64_t k, int64_t pairs) {
  if (const auto* t = std::get_if<TimescalesRule>(&s.rule))
    return t->min_timescale * pow(Real(t->max_timescale.value_or(s.base)) / t->min_timescale,
                                  -Real(k) / std::max<int64_t>(pairs - 1, 1));
  return pow(Real(s.base), -Real(k) / pairs);
}

}  // namespace

std::vector<Column> columns_of(const GridSinusoidal& s, const Weights&) {
  std::vector<Column> sines[2];  // and cosines
  std::vector<Column> out;
  const auto put = [&](bool is_cosine, const Block& b, int64_t k) {
    const Real w = band_frequency(s, k, b.pairs);
    Column column = wave(is_cosine, 1, [=, axis = b.axis](const Point& p) { return p[axis] * w; });
    if (s.padding)
      column.value = [row = column.value, zero = *s.padding](const Point& p) {
        return p[0] == zero ? Real(0) : row(p);
      };
    (s.order == GridOrder::kinds ? sines[is_cosine] : out).push_back(column);
  };
  for (const Block& b : blocks(s)) {
    for (int64_t k = 0; k < b.pairs; ++k) {
      put(false, b, k);
      if (s.order == GridOrder::interleaved) put(true, b, k);
    }
    for (int64_t k = 0; k < b.pairs && s.order != GridOrder::interleaved; ++k) put(true, b, k);
  }
  for (const auto& kind : sines) out.insert(out.end(), kind.begin(), kind.end());
  out.resize(static_cast<size_t>(s.dim));
  return out;
}

}  // namespace posenc::reference
