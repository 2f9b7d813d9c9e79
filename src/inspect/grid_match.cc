// grid_match.cc: sinusoids of the patches of an image or a video.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "kinds.h"

namespace posenc::inspect {
namespace {

// Where patches stand on an axis of some length: counted from 0, or as DETR's, whose last patch is
// a whole turn away.
enum class PatchPlaces : uint8_t { whole, detr };

double coordinate(PatchPlaces places, int64_t i, int64_t length) {
  const auto at = static_cast<double>(i);
  if (places == PatchPlaces::whole) return at;
  return (at + 1) / (static_cast<double>(length) + 1e-6) * 2 * std::numbers::pi;
}

struct GridGuess {
  const Preset<GridSinusoidal>& preset;
  GridSinusoidal scheme;
  PatchPlaces places;
  int64_t frames, height, width;
  bool class_token;  // a row of zeros before the patches

  int64_t first() const { return class_token ? 1 : 0; }
  int64_t patches() const { return frames * height * width; }

  // [axes, 1, count] of patches from one on, `step` apart.
  std::vector<double> points(int64_t from, int64_t step, int64_t count) const {
    std::vector<double> out;
    for (int64_t a = 3 - scheme.coordinates; a < 3; ++a)
      for (int64_t n = 0, i = from; n < count; ++n, i += step)
        out.push_back(a == 0   ? coordinate(places, i / width / height, frames)
                      : a == 1 ? coordinate(places, i / width % height, height)
                               : coordinate(places, i % width, width));
    return out;
  }
  std::string size() const {
    const std::string side = std::to_string(height) + "x" + std::to_string(width);
    return scheme.coordinates == 3 ? std::to_string(frames) + "x" + side : side;
  }
};

// The largest difference of rows `step` apart from the table's, or infinity where that is too much.
double difference(const GridGuess& c, const AbsolutePlan& plan, const TableView& table,
                  int64_t step) {
  const int64_t block = std::min<int64_t>(256, (c.patches() + step - 1) / step);
  const auto dim = static_cast<size_t>(table.dim);
  const double longest = static_cast<double>(std::max({c.frames, c.height, c.width}));
  const double most = 2 * storage_error(table.dtype) + 0x1p-22 * longest;  // phases in f32
  std::vector<double> wanted(static_cast<size_t>(block) * dim), given(dim);
  double worst = 0;
  for (int64_t from = 0; from < c.patches(); from += block * step) {
    const int64_t count = std::min(block, (c.patches() - from + step - 1) / step);
    auto points = c.points(from, step, count);
    fill(plan, tensor(wanted.data(), {count, table.dim}),
         positions(tensor(points.data(), {c.scheme.coordinates, 1, count})));
    for (int64_t n = 0; n < count; ++n) {
      table.read_row(c.first() + from + n * step, given.data());
      for (size_t k = 0; k < dim; ++k) {
        const double off = std::abs(given[k] - wanted[static_cast<size_t>(n) * dim + k]);
        if (!(off <= most)) return INFINITY;
        worst = std::max(worst, off);
      }
    }
  }
  return worst;
}

Match match_of(const GridGuess& c, double error) {
  const std::string media = c.scheme.coordinates == 3 ? "a video" : "an image";
  Match m{std::string(c.preset.name), "",
          "Sinusoids for the patches of " + media + " of " + c.size() + ", preset " +
              std::string(c.preset.name) + " of grid-sinusoidal (" + std::string(c.preset.help) +
              ")",
          error};
  m.kind = "grid-sinusoidal", m.found = info(c.scheme), m.within_rounding = true;
  if (c.scheme.base != c.preset.value.base)
    m.sentence += ", but with base " + number_text(c.scheme.base);
  if (c.class_token) m.sentence += "; preceded by a row of zeros";
  m.sentence += ".";
  m.command = "posenc positions grid --size " + c.size() +
              (c.scheme.coordinates == 3 ? " --time_axis" : "") +
              (c.places == PatchPlaces::detr ? " --place detr" : "") +
              (c.class_token ? " --before 1 --extra_at -1" : "") +
              " --out p.npy && posenc table grid-sinusoidal" + typed_options(c.scheme) +
              " --positions p.npy";
  return m;
}

// Frames, heights and widths of so many patches, images that are nearly square first; frames of
// videos are square.
std::vector<std::array<int64_t, 3>> sizes_of(int64_t patches, int64_t coordinates) {
  std::vector<std::array<int64_t, 3>> out;
  for (int64_t a = 2; a * 2 <= patches; ++a) {
    if (patches % a != 0) continue;
    const int64_t rest = patches / a, side = std::llround(std::sqrt(static_cast<double>(rest)));
    if (coordinates == 2) out.push_back({1, a, rest});
    if (coordinates == 3 && side > 1 && side * side == rest) out.push_back({a, side, side});
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::abs(a[1] - a[2]) < std::abs(b[1] - b[2]);
  });
  return out;
}

bool is_zero(const TableView& table, int64_t row) {
  std::vector<double> numbers(static_cast<size_t>(table.dim));
  table.read_row(row, numbers.data());
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return x == 0; });
}

bool can_make(const GridSinusoidal& scheme) {
  try {
    return scheme.check(), true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::optional<Match> identify_grid(const Tensor& t) {
  constexpr double bases[] = {10000, 20, 100};  // 20: RT-DETR's and other detectors' temperature
  const TableView table = tables(t).first;
  const bool zero = table.rows > 1 && is_zero(table, 0);
  for (const auto& preset : GridSinusoidal::presets())
    for (const double base : bases) {
      GridSinusoidal scheme = preset.value;
      scheme.dim = table.dim, scheme.base = base;
      scheme.padding = zero ? std::optional<int64_t>(-1) : std::nullopt;
      if (!can_make(scheme)) continue;
      const AbsolutePlan plan = prepare(scheme);
      for (const PatchPlaces places : {PatchPlaces::whole, PatchPlaces::detr}) {
        if (zero && places == PatchPlaces::detr) continue;  // DETR has no class token
        for (const auto& [frames, height, width] :
             sizes_of(table.rows - (zero ? 1 : 0), scheme.coordinates)) {
          const GridGuess c{preset, scheme, places, frames, height, width, zero};
          const int64_t few = std::max<int64_t>(1, c.patches() / 7);  // some rows say no soon
          if (std::isinf(difference(c, plan, table, few))) continue;
          if (const double error = difference(c, plan, table, 1); !std::isinf(error))
            return match_of(c, error);
        }
      }
    }
  return {};
}

}  // namespace posenc::inspect
