// rows_proof.cc: what resized rows should be, in f64, apart from the library's way to make them.
#include "cli/convert/rows_proof.h"

#include <algorithm>
#include <cmath>

#include "cli/schemes/rows.h"

namespace posenc::cli {
namespace {

double kernel(bool cubic, double a, double x) {
  x = std::abs(x);
  if (!cubic) return std::max(0.0, 1 - x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// How much of each of n rows is in row t of m.
std::vector<double> shares(Resize how, int64_t t, int64_t n, int64_t m) {
  std::vector<double> out(static_cast<size_t>(n));
  if (how == Resize::copy && t < n) out[static_cast<size_t>(t)] = 1;
  if (how == Resize::repeat) out[static_cast<size_t>(t % n)] = 1;
  if (how == Resize::copy || how == Resize::repeat) return out;
  const std::string_view name = enum_name(how);
  const bool cubic = name.starts_with("cubic"), smooth = name.ends_with("antialias");
  const auto rows = static_cast<double>(n), wanted = static_cast<double>(m);
  const double place = name.ends_with("corners")
                           ? static_cast<double>(t) * (rows - 1) / std::max(wanted - 1, 1.0)
                           : (static_cast<double>(t) + 0.5) * rows / wanted - 0.5;
  const double stretch = smooth ? std::max(rows / wanted, 1.0) : 1;
  double sum = 0;
  for (int64_t j = smooth ? 0 : -3; j < (smooth ? n : n + 3); ++j) {
    const double w =
        kernel(cubic, smooth ? -0.5 : -0.75, (static_cast<double>(j) - place) / stretch);
    out[static_cast<size_t>(std::clamp<int64_t>(j, 0, n - 1))] += w;
    sum += w;
  }
  for (double& w : out) w /= smooth ? sum : 1;
  return out;
}

}  // namespace

RowsProof prove(const Array& old, const Array& made, const RowsChange& change) {
  const auto before = as_doubles(old), after = as_doubles(made);
  const auto dim = static_cast<size_t>(made.shape.back());
  RowsProof out;
  const auto compare = [&](size_t row, const std::vector<double>& expected) {
    for (size_t c = 0; c < dim; ++c) {
      out.largest = std::max(out.largest, std::abs(expected[c]));
      out.difference = std::max(out.difference, std::abs(after[row * dim + c] - expected[c]));
    }
  };
  const auto keep = static_cast<size_t>(change.keep);
  for (size_t r = 0; r < keep; ++r) {
    const auto row = before.begin() + static_cast<int64_t>(r * dim);
    compare(r, {row, row + static_cast<int64_t>(dim)});
  }
  const bool grid = change.from.size() == 2;  // a line is a grid of one row
  const int64_t height = grid ? change.from[0] : 1, new_height = grid ? change.to[0] : 1;
  const int64_t width = change.from.back(), new_width = change.to.back();
  for (int64_t y = 0; y < new_height; ++y) {
    const auto down = grid ? shares(change.how, y, height, new_height) : std::vector<double>{1};
    for (int64_t x = 0; x < new_width; ++x) {
      const auto across = shares(change.how, x, width, new_width);
      std::vector<double> expected(dim);
      for (size_t i = 0; i < down.size(); ++i)
        for (size_t j = 0; j < across.size(); ++j)
          for (size_t c = 0; c < dim && down[i] * across[j] != 0; ++c)
            expected[c] += down[i] * across[j] * before[(keep + i * across.size() + j) * dim + c];
      compare(keep + static_cast<size_t>(y * new_width + x), expected);
    }
  }
  return out;
}

}  // namespace posenc::cli
