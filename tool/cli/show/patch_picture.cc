// patch_picture.cc: how like one patch of an image the others are.
#include "cli/show/patch_picture.h"

#include <fmt/core.h>

#include <cmath>

#include "cli/positions/positions_plan.h"
#include "cli/show/pictures.h"
#include "posenc/positions/sampled.h"

namespace posenc::cli {
namespace {

// Where patches stand: row by row on a line, at whole places of a grid, or between the rows of a
// learned table.
PositionList places(const Ready& ready, const RowsOptions& options, int64_t height, int64_t width) {
  if (!options.positions.empty() || ready.plan.axes() > 2)
    return read_positions(ready, options, "", "");
  const int64_t patches = height * width;
  if (ready.plan.axes() == 1) return parse_positions(fmt::format("0:{}", patches), 1);
  PositionList out{patches, 2};
  const auto* table = std::get_if<LearnedGrid>(&ready.scheme);
  const PlannedCoordinates at = table ? sampled({{1, height, width}}, {table->height, table->width})
                                      : sampled({{1, height, width}}, {height, width});
  out.ids = make_array(table ? DType::f64 : DType::i64, {2, patches});
  if (table)
    std::copy(at.ids.begin(), at.ids.end(), out.ids.values<double>().begin());
  else
    std::transform(at.ids.begin(), at.ids.end(), out.ids.values<int64_t>().begin(),
                   [](double place) { return std::lround(place); });
  return out;
}

int64_t chosen(const std::vector<double>& patch, int64_t height, int64_t width) {
  if (patch.empty()) return height / 2 * width + width / 2;
  const auto inside = [](double at, int64_t side) {
    return at >= 0 && at < static_cast<double>(side) && at == std::floor(at);
  };
  if (patch.size() != 2 || !inside(patch[0], height) || !inside(patch[1], width))
    refuse("expected --patch ROW,COLUMN of a patch of ", height, " x ", width, ", got ",
           text::write(patch));
  return static_cast<int64_t>(patch[0]) * width + static_cast<int64_t>(patch[1]);
}

}  // namespace

draw::Plot draw_patches(const Ready& ready, const RowsOptions& options, const std::string& grid,
                        const std::vector<double>& patch) {
  if (as_family<Rotary>(ready.scheme))
    refuse("expected an absolute scheme for a picture of patches, got ",
           alternative_name(ready.scheme));
  const Ids size = read_sizes("grid", grid);
  const int64_t height = size[1], width = size[2], patches = height * width;
  const auto at = static_cast<size_t>(chosen(patch, height, width));
  const PositionList positions = places(ready, options, height, width);
  if (size[0] != 1 || positions.count != patches)
    refuse("expected a place for each of ", patches, " patches of ", grid, ", got ",
           positions.count);
  const auto rows = as_doubles(fill_table(ready, positions, DType::f64));
  const auto dim = static_cast<size_t>(ready.plan.dim());
  const auto product = [&](size_t a, size_t b) {
    double sum = 0;
    for (size_t c = 0; c < dim; ++c) sum += rows[a * dim + c] * rows[b * dim + c];
    return sum;
  };
  draw::Heatmap out;
  out.title = title_of(ready.scheme);
  out.note = fmt::format(
      "how like patch {}, {} the others are: products of rows, divided by their lengths",
      at / static_cast<size_t>(width), at % static_cast<size_t>(width));
  out.rows = height, out.cols = width, out.square = true;
  out.x = {"column of the image"}, out.y = {"row of the image"};
  for (size_t i = 0; i < static_cast<size_t>(patches); ++i)
    out.values.push_back(product(at, i) / std::sqrt(product(at, at) * product(i, i)));
  return out;
}

}  // namespace posenc::cli
