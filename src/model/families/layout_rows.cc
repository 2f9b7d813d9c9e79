// layout_rows.cc: texts with places on a page or with regions of a picture beside them.
#include <cmath>

#include "model/families/model_row.h"

namespace posenc::model {
namespace {

constexpr Keys most_positions_key = "max_position_embeddings";
constexpr Keys hidden_width = "hidden_size";
constexpr Keys heads_keys = "num_attention_heads";

Component bert_table(const Config& config, std::string weight) {
  return learned_table({.rows = length_of(config, most_positions_key),
                        .dim = size_of(config, hidden_width),
                        .weight = std::move(weight)});
}

// `share` of the width.
Component roberta_table(const Reading& reading, int64_t class_pad, std::string weight,
                        int64_t share = 1) {
  const Config& config = reading.config;
  const int64_t pad = count_of(config, "pad_token_id", class_pad);
  const int64_t width = size_of(config, hidden_width) / share;
  const std::string first = "the first token reads row " + text::write(pad + 1);
  const int64_t rows = length_of(config, most_positions_key);
  reading.trap("max_position_embeddings counts rows, not tokens: " + first);
  return learned_table({.rows = rows,
                        .dim = width,
                        .offset = pad + 1,
                        .padding = pad,
                        .weight = std::move(weight),
                        .positions = "padding is skipped; " + first});
}

// Tables for the corners and the sides of a token's box.
Component box_tables(const Config& config, int64_t coordinate, int64_t shape, bool added) {
  const int64_t places = size_of(config, "max_2d_position_embeddings");
  Axial axial{.dim = coordinate,
              .rows = std::vector<double>(4, static_cast<double>(places)),
              .combine = added ? Combine::sum : Combine::concat,
              .block_tables = {0, 1, 0, 1, 2, 3}};
  if (!added) {
    axial.dim = 4 * coordinate + 2 * shape;
    axial.shares = as_list({coordinate, coordinate, shape, shape});
  }
  Component out{"layout", "learned-2d", {}};
  out.facts = {{"tables", std::string("x,y: [max_2d,coordinate_size]; h,w: [max_2d,shape_size]; ") +
                              (added ? "sum of" : "concat") + " x1,y1,x2,y2,h,w"},
               {"max_2d", places},
               {"coordinate_size", coordinate},
               {"shape_size", shape},
               {"weights", "embeddings.{x,y,h,w}_position_embeddings.weight"}};
  out.positions = "corners of the token's box, 0 to 1000 of the page";
  return with_scheme(out, axial);
}

void read_layoutlm(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  reading.add(bert_table(config, "layoutlm.embeddings.position_embeddings.weight"));
  const int64_t width = size_of(config, hidden_width);
  reading.add(box_tables(config, width, width, true));
}

// Distances on the page may need those in the text.
void add_box_biases(const Reading& reading, const std::string& prefix, double scale,
                    bool needs_text) {
  const Config& config = reading.config;
  const int64_t heads = size_of(config, heads_keys);
  const bool text = config.flag({"has_relative_attention_bias"}, true, by_class);
  if (text) {
    const T5Bias bias{.heads = heads,
                      .buckets = size_of(config, "rel_pos_bins"),
                      .max_distance = size_of(config, "max_rel_pos"),
                      .scale = scale};
    reading.add("attention",
                bucket_bias(bias, prefix + "rel_pos_bias.weight ([heads,bins], a Linear)"));
  }
  if (!text && needs_text)
    return config.ignore(
        {"has_spatial_attention_bias"},
        "the code adds distances on the page only together with those in the text");
  if (config.flag({"has_spatial_attention_bias"}, true, by_class)) {
    const LayoutBias bias{.heads = heads,
                          .buckets = 0,
                          .box_buckets = size_of(config, "rel_2d_pos_bins"),
                          .box_max_distance = size_of(config, "max_rel_2d_pos"),
                          .scale = scale};
    Component out{"attention", "t5-2d", {}};
    out.facts = {{"num_buckets", bias.box_buckets},
                 {"max_distance", bias.box_max_distance},
                 {"heads", heads},
                 {"weights", "rel_pos_x_bias, rel_pos_y_bias"}};
    out.positions = "distances between left edges and between lower edges of boxes";
    reading.add(with_scheme(out, bias));
  }
}

Component boxes_of_v2(const Config& config) {
  const int64_t coordinate = size_of(config, "coordinate_size");
  const int64_t shape = size_of(config, "shape_size");
  return box_tables(config, coordinate, shape, false);
}

void read_layoutlmv2(const Reading& reading, const ModelRow&) {
  reading.add(bert_table(reading.config, "layoutlmv2.embeddings.position_embeddings.weight"));
  reading.add(boxes_of_v2(reading.config));
  add_box_biases(reading, "layoutlmv2.encoder.", 1, false);
}

void read_layoutlmv3(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  reading.add(roberta_table(reading, 1, "layoutlmv3.embeddings.position_embeddings.weight"));
  reading.add(boxes_of_v2(config));
  const int64_t width = size_of(config, hidden_width);
  const int64_t dim = head_size(config, width, size_of(config, heads_keys));
  add_box_biases(reading, "layoutlmv3.encoder.", 1 / std::sqrt(static_cast<double>(dim)), true);
  reading.trap(
      "biases are divided by the root of the head size, as the scores are; LayoutLMv2 adds "
      "them undivided");
  if (!config.flag({"visual_embed"}, true, by_class)) return;
  const Sides picture = sides_of(config, "input_size"), patch = sides_of(config, "patch_size");
  reading.add("vision",
              patch_table(grid_of(config, picture, patch), 1, width, "layoutlmv3.pos_embed"));
}

// A sixth of the width for each of the six tables, beside RoBERTa's own; a narrow one of the places
// of tokens is added to what a linear map makes of them.
void read_lilt(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  reading.add(roberta_table(reading, 0, "embeddings.position_embeddings.weight"));
  const int64_t sixth = size_of(config, hidden_width) / 6;
  reading.add(box_tables(config, sixth, sixth, false));
  const int64_t share = size_of(config, "channel_shrink_ratio");
  reading.add("layout, tokens",
              roberta_table(reading, 0, "layout_embeddings.box_position_embeddings.weight", share));
}

// Sinusoids of the corners, times queries.
void read_bros(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  reading.add(bert_table(config, "embeddings.position_embeddings.weight"));
  reading.add("layout",
              described("sinusoidal-2d",
                        {{"pos_dim", size_of(config, "dim_bbox")},
                         {"dim", size_of(config, hidden_width) / 4},
                         {"order", "for each corner's coordinate: sin block then cos block"},
                         {"formula", "score += q . W (encoding of the difference of two boxes)"}},
                        "differences of corners between two boxes"));
}

Component box_linear(int64_t coordinates, Facts more) {
  Component out{"vision", "box-linear", {{"pos_dim", coordinates}}};
  out.facts.insert(out.facts.end(), more.begin(), more.end());
  out.positions = "corners of a region's box";
  return out;
}

void read_lxmert(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  reading.add(bert_table(config, "lxmert.embeddings.position_embeddings.weight"));
  reading.add(box_linear(
      size_of(config, "visual_pos_dim"),
      {{"formula", "(LN(W_f f)+LN(W_b box))/2"},
       {"weights", "lxmert.encoder.visn_fc.{visn_fc,visn_layer_norm,box_fc,box_layer_norm}"}}));
  reading.trap("row 0 of the table is its padding row: it gets no gradient");
}

// The re-implementations of VOLTA: BERT's table, and boxes of regions.
void read_volta(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  reading.add(learned_table({.rows = length_of(config, most_positions_key, 512),
                             .dim = size_of(config, hidden_width, 768)}));
  const std::string kind = config.text({"image_embeddings"}).value_or("unknown");
  reading.add(box_linear(size_of(config, "num_locs", 5), {{"image_embeddings", kind}}));
}

void read_visual_bert(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  reading.add(bert_table(config, "visual_bert.embeddings.position_embeddings.weight"));
  Component out = bert_table(config, "visual_bert.embeddings.visual_position_embeddings.weight");
  out.positions = "all regions at 0, unless they are aligned with words";
  out.facts.emplace_back("note", "all zeros position unless image_text_alignment is given");
  reading.add("vision", std::move(out));
}

void read_vilt(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const int64_t length = length_of(config, most_positions_key);
  const int64_t width = size_of(config, hidden_width);
  reading.add(learned_table({.rows = length,
                             .dim = width,
                             .weight = "embeddings.text_embeddings.position_embeddings.weight"}));
  reading.add("vision", patch_table(patches_of(config, row.patches), 1, width,
                                    "embeddings.position_embeddings"));
}

}  // namespace

std::span<const ModelRow> layout_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "layoutlm", .read = read_layoutlm},
      {.types = "layoutlmv2 layoutxlm", .read = read_layoutlmv2},
      {.types = "layoutlmv3", .read = read_layoutlmv3},
      {.types = "lilt", .read = read_lilt},
      {.types = "bros",
       .read = read_bros,
       .idle = "dim_bbox_sinusoid_emb_1d dim_bbox_sinusoid_emb_2d"},
      {.types = "lxmert", .read = read_lxmert},
      {.types = "volta", .read = read_volta},
      {.types = "visual_bert", .read = read_visual_bert},
      {.types = "vilt", .read = read_vilt},
  };
  return rows;
}

}  // namespace posenc::model
