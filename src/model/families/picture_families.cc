// picture_families.cc: the other ways in which encoders of pictures and graphs know places.
#include "model/families/class_defaults.h"
#include "model/families/parts.h"
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
  out.positions = "rows and columns of patches, from 0; the class token, first, stands at -1";
  reading.add(with_scheme(out, GridSinusoidal{.dim = dim, .block_axes = {1, 0}, .padding = -1}));
}

void read_mae(const Reading& outer) {
  const Reading reading = named(outer, "");
  const Config& config = reading.config;
  const Sides grid = grid_of(config, sides_of(config, "image_size", {224, 224}),
                             sides_of(config, "patch_size", {16, 16}));
  add_quarters(reading, "encoder", grid, size_of(config, "hidden_size", 768),
               "vit.embeddings.position_embeddings");
  add_quarters(reading, "decoder", grid, size_of(config, "decoder_hidden_size", 512),
               "decoder.decoder_pos_embed");
  reading.trap(
      "the first half of the columns is for x, the second for y, though the original code "
      "calls them h and w");
}

// DETR and its kin: sinusoids or tables for rows and columns, and a table for what is to be found.
struct DetrRow {
  std::string_view types;
  int64_t queries;
  int64_t query_width;  // in units of d_model
};
constexpr DetrRow detrs[] = {
    {"detr table-transformer", 100, 1},
    {"conditional_detr", 300, 1},
    {"deformable_detr", 300, 2},
};

}  // namespace

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

void read_detr(const Reading& outer) {
  const Reading reading = named(outer, "");
  const Config& config = reading.config;
  const DetrRow& row = row_of(detrs, reading.type);
  const int64_t width = size_of(config, "d_model hidden_size", 256);
  const std::string kind = config.text({"position_embedding_type"}).value_or("sine");
  Component places{"encoder", "", {}};
  if (kind == "sine") {
    places.scheme = "sinusoidal-2d";
    places.facts = {{"dim", width},
                    {"temperature", int64_t{10000}},
                    {"normalize", true},
                    {"scale", "2*pi"},
                    {"order", "y half then x half; inside each, sin/cos interleaved"}};
    places.positions = row.query_width == 2
                           ? "cumulative sum of valid mask, starts at 1, less a half"
                           : "cumulative sum of valid mask, starts at 1";
    set_ready(places, rows_then_columns(width, GridOrder::interleaved));
    reading.trap(
        "coordinates start at 1 and are divided by the last valid one, then times 2 pi: "
        "padding changes them");
  } else if (kind == "learned") {
    places = learned_places(width);
  } else {
    config.refuse("position_embedding_type", "sine or learned",
                  *config.json().find("position_embedding_type"));
  }
  reading.add(std::move(places));
  if (row.query_width == 2 && config.flag({"two_stage"}).value_or(false)) return;
  TrainedTable queries{length_of(config, "num_queries", row.queries), row.query_width * width};
  queries.weight = "model.query_position_embeddings.weight";
  queries.positions = "one row for each object";
  Component out = learned_table(queries);
  out.where = "decoder queries";
  reading.add(std::move(out));
}

void read_graphormer(const Reading& outer) {
  const Reading reading = named(outer, "graph");
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
void read_mllama(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const Sides grid = grid_of(config, sides_of(config, "image_size", {448, 448}),
                             sides_of(config, "patch_size", {14, 14}));
  Component out = patch_table(grid, 1, size_of(config, "hidden_size", 1280),
                              "vision_model.gated_positional_embedding.embedding");
  auto& table = std::get<Learned>(*out.ready);
  table.learned_scale = true, table.gate = Gate::rest;
  out.facts.emplace_back("gated", true);
  out.facts.emplace_back("tile_table", as_list({size_of(config, "max_num_tiles", 4)}));
  reading.add(std::move(out));
  reading.trap(
      "the table is multiplied by 1 - tanh(gate), and a table of each tile, by tanh(gate), "
      "is added");
}

// Buckets of rows and columns are features of the patch, next to its pixels.
void read_pix2struct(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const int64_t rows = size_of(config, "seq_len max_num_patches", 4096);
  const int64_t dim = size_of(config, "hidden_size", class_sizes(reading.type).width);
  Component out{"", "learned-2d", {}};
  out.facts = {{"rows_per_axis", rows},
               {"dim", dim},
               {"combine", "row + column (sum)"},
               {"weights", "encoder.embeddings.{row,column}_embedder.weight"}};
  out.positions = "rows and columns of patches, from 1; 0 is padding";
  reading.add(with_scheme(out, two_tables(rows, dim)));
}

}  // namespace

std::vector<Family> picture_list() {
  return joined(
      families_of(detrs, read_detr),
      std::vector<Family>{{"vit_mae", read_mae},
                          {"graphormer", read_graphormer},
                          {"mllama_vision_model", read_mllama},
                          {"pix2struct_vision_model kosmos_2_5_vision_model", read_pix2struct}});
}

}  // namespace posenc::model
