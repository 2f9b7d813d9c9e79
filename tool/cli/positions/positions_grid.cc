// positions_grid.cc: posenc positions grid.
#include <fmt/core.h>

#include <cmath>

#include "cli/memory.h"
#include "cli/options.h"
#include "cli/positions/positions_plan.h"
#include "posenc/positions/coordinates.h"
#include "posenc/positions/masked.h"
#include "posenc/positions/sampled.h"

namespace posenc::cli {
namespace {

// At whole numbers; as timm and DINOv3; on the grid of a learned table, patch centres or corners
// aligned; as DETR.
enum class GridRule : uint8_t { whole, linspace, index, centers, table, corners, detr };
constexpr auto enum_names(GridRule) {
  return std::to_array<std::string_view>(
      {"whole", "linspace", "index", "centers", "table", "corners", "detr"});
}
constexpr bool is_sampled(GridRule place) {
  return place == GridRule::table || place == GridRule::corners;
}

struct GridOptions {
  std::string size = "2x3";
  GridRule place = GridRule::whole;
  AxisOrder sides = AxisOrder::yx;
  bool time_axis = false;
  int64_t merge = 1, before = 0, after = 0, extra_at = 0;
  double shift = 0;
  std::string reference{};
  SideRule side = SideRule::separate;
  bool f32 = false;

  static Fields fields() {
    using S = GridOptions;
    return {{"size", &S::size, "HEIGHTxWIDTH or FRAMESxHEIGHTxWIDTH"},
            {"place", &S::place,
             "positions of patches: whole numbers, as in timm and DINOv3, on the grid of a "
             "learned table (table, corners), or as in DETR"},
            {"sides", &S::sides, "which side is the first axis"},
            {"time_axis", &S::time_axis, "count frames on an axis before the sides"},
            {"merge", &S::merge, "number patches in blocks of this many per side (Qwen: 2)"},
            {"before", &S::before, "class tokens before the patches"},
            {"after", &S::after, "class tokens after the patches"},
            {"extra_at", &S::extra_at, "position of class tokens"},
            {"shift", &S::shift, "added to each index (Llama-4: 1)"},
            {"reference", &S::reference,
             "HEIGHTxWIDTH of pretraining, for linspace and index; of the table"},
            {"side", &S::side, "what centers divide by"},
            {"f32", &S::f32,
             "round real positions at every step, as timm's and DINOv3's f32 code does"}};
  }
};

std::vector<std::string> axis_names(const GridOptions& o) {
  const bool yx = o.sides == AxisOrder::yx;
  std::vector<std::string> out{yx ? "y" : "x", yx ? "x" : "y"};
  if (o.time_axis) out.insert(out.begin(), "t");
  return out;
}

std::vector<TokenRun> grid_parts(const GridOptions& o, int64_t frames, int64_t patches) {
  std::vector<TokenRun> out;
  if (o.before > 0) out.push_back({"class token", '*', 5, o.before});
  if (frames == 1) out.push_back({"patch", '#', 0, patches});
  for (int64_t f = 0; f < frames && frames > 1; ++f)
    out.push_back(lettered(fmt::format("frame {}", f), static_cast<size_t>(f), patches / frames));
  if (o.after > 0) out.push_back({"class token", '*', 5, o.after});
  return out;
}

CoordinateRule coordinate_rule(const GridOptions& o) {
  std::optional<double> height, width;
  if (!o.reference.empty()) {
    const auto reference = read_sizes("reference", o.reference);
    height = static_cast<double>(reference[1]), width = static_cast<double>(reference[2]);
  }
  if (o.place == GridRule::linspace) return Linspace{height, width};
  if (o.place == GridRule::index) return Indices{o.shift, height, width};
  return Centers{o.side, o.shift};
}

// What a place does not read must not be given.
void check_grid(const Call& call, const GridOptions& o) {
  const bool whole = o.place == GridRule::whole;
  for (const auto& [name, value] : call.own) {
    const bool for_whole = name == "time_axis" || name == "merge" || name == "before" ||
                           name == "after" || name == "extra_at";
    const bool for_sampled = name == "merge" || name == "before" || name == "reference";
    const bool plain =
        whole || is_sampled(o.place) || o.place == GridRule::detr;  // no rule of timm's
    const bool unread = (for_whole && !whole && !(is_sampled(o.place) && for_sampled)) ||
                        (name == "reference" &&
                         ((plain && !is_sampled(o.place)) || o.place == GridRule::centers)) ||
                        (name == "sides" && plain && !whole) || (name == "f32" && plain) ||
                        (name == "side" && o.place != GridRule::centers) ||
                        (name == "shift" && (o.place == GridRule::linspace || (plain && !whole)));
    if (unread) refuse("expected another --place for --", name, ", got ", enum_name(o.place));
  }
  if (whole && (std::abs(o.shift) > 0x1p53 || o.shift != std::trunc(o.shift)))
    refuse("expected a whole --shift within 2^53 for whole places, got ", o.shift);
}

int64_t count_patches(const GridOptions& o, const Ids& size) {
  int64_t patches = 0, tokens = 0;
  if (__builtin_mul_overflow(size[1], size[2], &patches) ||
      __builtin_mul_overflow(patches, size[0], &patches) ||
      __builtin_add_overflow(patches, o.before, &tokens) ||
      __builtin_add_overflow(tokens, o.after, &tokens))
    refuse("expected a grid that fits 64 bits, got ", o.size);
  check_fits("positions", tokens, 3, sizeof(int64_t));
  return patches;
}

PositionPlan plan_grid(const Call& call) {
  const auto o = read_options<GridOptions>(call);
  check_grid(call, o);
  const Ids size = read_sizes("size", o.size);
  PositionPlan out{{}, axis_names(o), {}, {grid_parts(o, size[0], count_patches(o, size))}};
  if (o.place == GridRule::whole) {
    out.positions = as_usage_error([&] {
      return grid({size[0], size[1], size[2], o.sides, o.time_axis, o.merge,
                   static_cast<int64_t>(o.shift), o.before, o.after, o.extra_at});
    });
    return out;
  }
  if (is_sampled(o.place)) {
    if (o.reference.empty()) refuse("expected --reference HEIGHTxWIDTH of the table, got none");
    const Ids table = read_sizes("reference", o.reference);
    out.positions = as_usage_error([&] {
      return sampled({{size[0], size[1], size[2]}},
                     {table[1], table[2], o.place == GridRule::corners, o.merge, o.before});
    });
    return out;
  }
  if (size[0] != 1)
    refuse("expected one frame for --place ", enum_name(o.place), ", got ", size[0]);
  if (o.place == GridRule::detr) {
    const std::vector<int32_t> all(static_cast<size_t>(size[1] * size[2]), 1);
    out.positions = masked(tensor(all.data(), {1, size[1], size[2]}));
    return out;
  }
  out.positions = as_usage_error([&] {
    return coordinates({size[1], size[2], coordinate_rule(o), o.sides, o.f32});
  });
  return out;
}

}  // namespace

PositionKind grid_kind() {
  return {"grid", "the patches of an image or video, at whole or real coordinates",
          options_of(GridOptions{}), plan_grid};
}

}  // namespace posenc::cli
