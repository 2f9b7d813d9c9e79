// decomposed_families.cc: picture encoders whose scores read a row for each offset along each side.
#include <set>

#include "model/families/parts.h"

namespace posenc::model {
namespace {

// A row of features for each offset along each side, times the query: Shaw's way on two axes.
void add_decomposed(const Reading& reading, const std::string& kind, Sides sides, int64_t dim,
                    std::vector<int64_t> layers = {}) {
  Component out{"", "shaw", {}};
  out.facts = {{"axes", int64_t{2}},
               {"sides", sides.list()},
               {"table_rows", 2 * sides.height - 1},
               {"dim", dim},
               {"formula", "score += q . R_h[y_q-y_k] + q . R_w[x_q-x_k]"},
               {"layer_kind", kind},
               {"weights", "attn.rel_pos_h, attn.rel_pos_w"}};
  out.positions = "offsets along rows and columns";
  out.layers = std::move(layers);
  reading.add(
      with_scheme(out, Decomposed{.dim = dim, .height = sides.height, .width = sides.width}));
}

struct SamRow {
  std::string_view types;
  int64_t side;  // of a picture
};
constexpr SamRow sams[] = {
    {"sam_vision_model sam_hq_vision_model got_ocr2_vision pp_chart2table_vision "
     "deepseek_ocr2_sam_vision_model unlimited_ocr_sam_vision_model",
     1024},
    {"pp_formulanet_vision slanext_vision", 512},
};

// Inside windows in most layers, over the whole picture in some.
void read_sam(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const int64_t side = row_of(sams, reading.type).side;
  const Sides grid = grid_of(config, sides_of(config, "image_size", {side, side}),
                             sides_of(config, "patch_size", {16, 16}));
  const int64_t width = size_of(config, "hidden_size", 768);
  if (config.flag({"use_abs_pos"}, true, "the default of its class"))
    reading.add(patch_table(grid, 0, width, "vision_encoder.pos_embed"));
  if (!config.flag({"use_rel_pos"}, true, "the default of its class")) return;
  const int64_t dim = head_size(config, width, size_of(config, "num_attention_heads", 12));
  const int64_t window = count_of(config, "window_size", 14);
  if (window > 0) add_decomposed(reading, "windows", {window, window}, dim);
  add_decomposed(reading, window > 0 ? "global_attn_indexes" : "all", grid, dim);
}

struct Detached {
  std::string_view types;
  int64_t width, heads;
  Sides picture;
  bool relative, windows;
  bool never = false;  // its layers have no tables of offsets, whatever the key says
};
constexpr Detached detached[] = {
    {"vitdet", 768, 12, {224, 224}, false, true},
    {"lw_detr_vit", 768, 12, {256, 256}, false, false, true},
    {"seggpt", 1024, 16, {896, 448}, true, false},
};

// Tables of the sides of a window in layers that have windows, of the picture in the others.
void add_offsets(const Reading& reading, const Detached& row, Sides grid, int64_t dim) {
  const Config& config = reading.config;
  if (!row.windows) return add_decomposed(reading, "all", grid, dim);
  const int64_t window = count_of(config, "window_size", 0);
  const auto listed = config.numbers({"window_block_indices"}).value_or(std::vector<double>{});
  const std::set<double> indices(listed.begin(), listed.end());
  std::vector<int64_t> narrow, wide;
  const int64_t count = size_of(config, "num_hidden_layers", 12);
  for (int64_t i = 0; i < count; ++i)
    (window > 0 && indices.count(static_cast<double>(i)) > 0 ? narrow : wide).push_back(i);
  if (narrow.empty()) return add_decomposed(reading, "all", grid, dim);
  add_decomposed(reading, "windows", {window, window}, dim, narrow);
  if (!wide.empty()) add_decomposed(reading, "global", grid, dim, wide);
}

void read_vitdet(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const Detached& row = row_of(detached, reading.type);
  const Sides patch = sides_of(config, "patch_size", {16, 16});
  const int64_t width = size_of(config, "hidden_size", row.width);
  if (config.flag({"use_absolute_position_embeddings"}, true, "the default of its class")) {
    const Sides trained = sides_of(config, "pretrain_image_size", {224, 224});
    reading.add(
        patch_table(grid_of(config, trained, patch), 1, width, "embeddings.position_embeddings"));
  }
  if (row.never)
    return config.ignore({"use_relative_position_embeddings"}, "its layers have no such tables");
  if (!config.flag({"use_relative_position_embeddings"}, row.relative, "the default of its class"))
    return;
  const int64_t dim = head_size(config, width, size_of(config, "num_attention_heads", row.heads));
  const Sides picture = sides_of(config, "image_size", row.picture);
  add_offsets(reading, row, grid_of(config, picture, patch), dim);
}

}  // namespace

std::vector<Family> decomposed_list() {
  return joined(families_of(sams, read_sam), families_of(detached, read_vitdet));
}

}  // namespace posenc::model
