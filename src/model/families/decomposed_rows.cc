// decomposed_rows.cc: picture encoders whose scores read a row for each offset along each side.
#include <set>

#include "model/families/model_row.h"

namespace posenc::model {
namespace {

// A row of features for each offset along each side, times the query: Shaw's way on two axes.
void add_decomposed(const Reading& reading, const std::string& kind, Sides sides, int64_t dim,
                    std::vector<int64_t> layers = {}) {
  Component out = described("shaw",
                            {{"axes", int64_t{2}},
                             {"sides", sides.list()},
                             {"table_rows", 2 * sides.height - 1},
                             {"dim", dim},
                             {"formula", "score += q . R_h[y_q-y_k] + q . R_w[x_q-x_k]"},
                             {"layer_kind", kind},
                             {"weights", "attn.rel_pos_h, attn.rel_pos_w"}},
                            "offsets along rows and columns");
  out.layers = std::move(layers);
  reading.add(
      with_scheme(out, Decomposed{.dim = dim, .height = sides.height, .width = sides.width}));
}

// Inside windows in most layers, over the whole picture in some.
void read_sam(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const Sides grid = patches_of(config, row.patches);
  const int64_t width = size_of(config, "hidden_size");
  if (config.flag({"use_abs_pos"}, true, by_class))
    reading.add(patch_table(grid, 0, width, "vision_encoder.pos_embed"));
  if (!config.flag({"use_rel_pos"}, true, by_class)) return;
  const int64_t dim = head_size(config, width, size_of(config, "num_attention_heads"));
  const int64_t window = count_of(config, "window_size");
  if (window > 0) add_decomposed(reading, "windows", {window, window}, dim);
  add_decomposed(reading, window > 0 ? "global_attn_indexes" : "all", grid, dim);
}

// Tables of the sides of a window in layers that have windows, of the picture in the others.
void add_offsets(const Reading& reading, Sides grid, int64_t dim) {
  const Config& config = reading.config;
  const auto listed = config.numbers({"window_block_indices"}).value_or(std::vector<double>{});
  const std::set<double> indices(listed.begin(), listed.end());
  if (indices.empty()) config.pass({"window_size"});
  const int64_t window = indices.empty() ? 0 : count_of(config, "window_size");
  std::vector<int64_t> narrow, wide;
  const int64_t count = size_of(config, "num_hidden_layers");
  for (int64_t i = 0; i < count; ++i)
    (window > 0 && indices.count(static_cast<double>(i)) > 0 ? narrow : wide).push_back(i);
  if (narrow.empty()) return add_decomposed(reading, "all", grid, dim);
  add_decomposed(reading, "windows", {window, window}, dim, narrow);
  if (!wide.empty()) add_decomposed(reading, "global", grid, dim, wide);
}

// The table of the pictures of training; the width is what comes back.
int64_t add_trained(const Reading& reading, const ModelRow& row, Sides patch) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "hidden_size", row.patches.width);
  if (config.flag({"use_absolute_position_embeddings"}, true, by_class)) {
    const Sides trained = sides_of(config, "pretrain_image_size");
    reading.add(
        patch_table(grid_of(config, trained, patch), 1, width, "embeddings.position_embeddings"));
  }
  return width;
}

void read_lw_detr(const Reading& reading, const ModelRow& row) {
  add_trained(reading, row, sides_of(reading.config, "patch_size"));
  reading.config.ignore({"use_relative_position_embeddings"}, "its layers have no such tables");
}

template <bool relative, bool windows>
void read_detached(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const Sides patch = sides_of(config, "patch_size");
  const int64_t width = add_trained(reading, row, patch);
  if (!config.flag({"use_relative_position_embeddings"}, relative, by_class)) return;
  const int64_t heads = size_of(config, "num_attention_heads", row.rope.sizes.heads);
  const int64_t dim = head_size(config, width, heads);
  const Sides grid = grid_of(config, sides_of(config, "image_size", row.patches.picture), patch);
  windows ? add_offsets(reading, grid, dim) : add_decomposed(reading, "all", grid, dim);
}

}  // namespace

std::span<const ModelRow> decomposed_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "sam_vision_model sam_hq_vision_model got_ocr2_vision pp_chart2table_vision "
                "deepseek_ocr2_sam_vision_model unlimited_ocr_sam_vision_model "
                "pp_formulanet_vision slanext_vision",
       .where = "vision",
       .read = read_sam},
      {.types = "vitdet", .where = "vision", .read = read_detached<false, true>},
      {.types = "lw_detr_vit", .where = "vision", .read = read_lw_detr},
      {.types = "seggpt", .where = "vision", .read = read_detached<true, false>},
  };
  return rows;
}

}  // namespace posenc::model
