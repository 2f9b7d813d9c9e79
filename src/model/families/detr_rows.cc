// detr_rows.cc: DETR and its kin, and other places in pictures and graphs that code computes.
#include "model/families/model_row.h"
#include "model/ready.h"

namespace posenc::model {
namespace {

// Sinusoids of columns, then of rows, in quarters.
void add_quarters(const Reading& reading, std::string_view side, Sides grid, int64_t dim,
                  std::string weight) {
  Component out{std::string(side), "sinusoidal-2d", {}};
  out.facts = {{"rows", grid.height * grid.width + 1},
               {"dim", dim},
               {"order", "[x sin|x cos|y sin|y cos], quarter each"},
               {"freq", "10000^(-i/(d/4))"},
               {"grid", grid.list()},
               {"cls_row", "zeros"},
               {"stored_weight", std::move(weight)}};
  out.positions = "rows and columns of patches, from 0; the class token, first, is at -1";
  reading.add(with_scheme(out, GridSinusoidal{.dim = dim, .block_axes = {1, 0}, .padding = -1}));
}

void read_mae(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const Sides grid = patches_of(config, row.patches);
  add_quarters(reading, "encoder", grid, size_of(config, "hidden_size"),
               "vit.embeddings.position_embeddings");
  add_quarters(reading, "decoder", grid, size_of(config, "decoder_hidden_size"),
               "decoder.decoder_pos_embed");
  reading.trap(
      "the first half of the columns is for x, the second for y, though the original code "
      "calls them h and w");
}

}  // namespace

bool is_learned(const Config& config) {
  const std::string kind = config.text({"position_embedding_type"}).value_or("sine");
  if (kind != "sine" && kind != "learned")
    config.refuse("position_embedding_type", "sine or learned");
  return kind == "learned";
}

Component learned_places(int64_t width) {
  Component out{"encoder", "learned-2d", {}};
  out.facts = {{"rows_per_axis", int64_t{50}},
               {"dim", width / 2},
               {"combine", "column half then row half"},
               {"weights", "{row,column}_embeddings.weight"}};
  out.positions = "rows and columns of patches, from 0";
  return with_scheme(out, columns_then_rows(width, {50, 50}));
}

namespace {

// DETR and its kin: sinusoids or tables for rows and columns, and a table for what is to be found,
// as wide as the model or twice as wide.
template <bool wide>
void read_detr(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "d_model hidden_size");
  config.ignore_unless({"max_position_embeddings"}, 1024, "a picture's size is its length");
  if (is_learned(config)) {
    reading.add(learned_places(width));
  } else {
    reading.trap(
        "coordinates start at 1 and are divided by the last valid one, then times 2 pi: "
        "padding changes them");
    reading.add("encoder",
                with_scheme(described("sinusoidal-2d",
                                      {{"dim", width},
                                       {"temperature", int64_t{10000}},
                                       {"normalize", true},
                                       {"scale", "2*pi"},
                                       {"order", std::string(detr_order)}},
                                      std::string("cumulative sum of valid mask, starts at 1") +
                                          (wide ? ", less a half" : "")),
                            rows_then_columns(width, GridOrder::interleaved)));
  }
  if (wide && config.flag({"two_stage"}).value_or(false)) return;
  reading.add("decoder queries", learned_table({.rows = length_of(config, "num_queries"),
                                                .dim = wide ? 2 * width : width,
                                                .weight = "model.query_position_embeddings.weight",
                                                .positions = "one row for each object"}));
}

void read_graphormer(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t heads = size_of(config, "num_attention_heads", 32);
  const int64_t width = size_of(config, "hidden_size embedding_dim", 768);
  const auto list = [](int64_t rows, int64_t columns) { return as_list({rows, columns}); };
  Component out{"", "graphormer", {}};
  out.facts = {{"heads", heads},
               {"spatial_table", list(size_of(config, "num_spatial", 512), heads)},
               {"edge_table", list(size_of(config, "num_edges", 1536) + 1, heads)},
               {"edge_dis_table", list(size_of(config, "num_edge_dis", 128) * heads * heads, 1)},
               {"multi_hop_max_dist", size_of(config, "multi_hop_max_dist", 5)},
               {"edge_type", config.text({"edge_type"}).value_or("multi_hop")},
               {"graph_token_virtual_distance", list(1, heads)},
               {"degree_tables", as_list({size_of(config, "num_in_degree", 512),
                                          size_of(config, "num_out_degree", 512), width})}};
  config.pass({"spatial_pos_max"});
  out.positions = "lengths of shortest paths between nodes, and their degrees";
  reading.add(std::move(out));
}

// The table has a gate, and another for where a tile lies in the picture.
void read_mllama_vision(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const Sides grid = patches_of(config, row.patches);
  Component out = patch_table(grid, 1, size_of(config, "hidden_size"),
                              "vision_model.gated_positional_embedding.embedding");
  auto& table = std::get<Learned>(*out.ready);
  table.learned_scale = true, table.gate = Gate::rest;
  out.facts.emplace_back("gated", true);
  out.facts.emplace_back("tile_table", as_list({size_of(config, "max_num_tiles")}));
  reading.add(std::move(out));
  reading.trap(
      "the table is multiplied by 1 - tanh(gate), and a table of each tile, by tanh(gate), "
      "is added");
}

// Buckets of rows and columns are features of the patch, next to its pixels.
void read_pix2struct(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const int64_t rows = size_of(config, "seq_len max_num_patches");
  const int64_t dim = size_of(config, "hidden_size", row.rope.sizes.width);
  reading.add(
      with_scheme(described("learned-2d",
                            {{"rows_per_axis", rows},
                             {"dim", dim},
                             {"combine", "row + column (sum)"},
                             {"weights", "encoder.embeddings.{row,column}_embedder.weight"}},
                            "rows and columns of patches, from 1; 0 is padding"),
                  two_tables(rows, dim)));
}

}  // namespace

std::span<const ModelRow> detr_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "detr table-transformer conditional_detr", .where = "", .read = read_detr<false>},
      {.types = "deformable_detr", .where = "", .read = read_detr<true>},
      {.types = "vit_mae", .where = "", .read = read_mae},
      {.types = "graphormer", .where = "graph", .read = read_graphormer},
      {.types = "mllama_vision_model", .where = "vision", .read = read_mllama_vision},
      {.types = "pix2struct_vision_model kosmos_2_5_vision_model",
       .where = "vision",
       .read = read_pix2struct},
  };
  return rows;
}

}  // namespace posenc::model
