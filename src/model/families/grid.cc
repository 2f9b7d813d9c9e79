// grid.cc: reading what turns by the coordinates of patches.
#include "model/families/model_row.h"

namespace posenc::model {

Rope on_grid(int64_t dim, double base, Layout layout) {
  const auto quarter = static_cast<double>(dim / 4);
  return {.dim = dim, .layout = layout, .base = base, .axes = Restart{{quarter, quarter}}};
}

Component turned(const Rope& rope, const Facts& more, std::string positions) {
  Component out{"", "rope-2d", {}};
  out.facts = {{"layout", std::string(enum_name(*rope.layout))},
               {"head_dim", rope.dim},
               {"base", rope.base},
               {"per_axis_freqs", rope.dim / 4}};
  if (rope.blocks == 2) out.facts[0].second = "half inside each axis block";
  out.facts.insert(out.facts.end(), more.begin(), more.end());
  out.positions = std::move(positions);
  return with_scheme(out, rope);
}

std::string by_blocks(bool merged) { return merged ? ", block by block of merged patches" : ""; }

namespace {

double grid_base(const Config& config, const ModelRow& row) {
  if (row.grid.base_beside) return plain_base(config);
  return config.has("rope_parameters") ? plain_base(config, row.rope.base) : row.rope.base;
}

int64_t grid_width(const Config& config, const ModelRow& row) {
  return size_of(config, row.grid.width_keys, row.rope.sizes.width);
}

// What turns as one: a head, or the whole width.
int64_t grid_dim(const Config& config, const ModelRow& row) {
  if (row.grid.head_keys.empty()) return grid_width(config, row);
  if (row.grid.own_head && config.has("head_dim")) return size_of(config, "head_dim");
  const int64_t heads = size_of(config, row.grid.head_keys, row.rope.sizes.heads);
  return head_size(config, grid_width(config, row), heads);
}

Rope grid_rope(const Config& config, const ModelRow& row, int64_t dim) {
  Rope out = on_grid(dim, grid_base(config, row), row.grid.layout);
  const auto sections = std::get<Restart>(out.axes).sections;
  if (row.grid.pairs == GridPairs::dealt) out.axes = Dealt{sections};
  if (row.grid.pairs == GridPairs::in_turn) out.axes = InTurn{sections};
  out.frequencies = Powers{row.grid.unit};
  out.offset = row.grid.offset;
  return out;
}

// A square grid of rows that pictures of all sides share.
void add_square_table(const Reading& reading, const ModelRow& row) {
  Component out = learned_table({.rows = length_of(reading.config, row.table.length_keys),
                                 .dim = grid_width(reading.config, row),
                                 .weight = std::string(row.table.weight),
                                 .positions = "patches of a square grid, resized to the picture"});
  out.facts.emplace_back("note", "bilinear interpolation from a square grid");
  reading.add(std::move(out));
  reading.trap(
      "the table is a square grid: it is resized (bilinear) to the rows and columns of every "
      "picture, and read in the order of merged blocks");
}

// A row for each patch of the pictures of training.
void add_patch_table(const Reading& reading, const ModelRow& row, int64_t width) {
  const Sides sides = patches_of(reading.config, row.patches);
  Component out = patch_table(sides, 0, width, std::string(row.patches.weight));
  if (row.grid.merged)
    out.positions = "patches of a grid, resized to the picture" + by_blocks(true);
  reading.add(std::move(out));
  if (!row.patches.trap.empty()) reading.trap(std::string(row.patches.trap));
}

Kinds grid_kinds(const Config& config, const ModelRow& row) {
  const bool differ = row.grid.kinds && (config.has("layer_types") || !row.layers.cycle.empty());
  return differ ? layer_kinds(config, row.rope.sizes, row.layers) : Kinds{};
}

void add_class_table(const Reading& reading, const ModelRow& row, int64_t width) {
  const Sides sides = patches_of(reading.config, row.patches);
  Component out = learned_table({.rows = sides.height * sides.width + 1,
                                 .dim = width,
                                 .weight = std::string(row.patches.weight),
                                 .positions = "patches row by row, then the class token"});
  out.facts.emplace_back("note", "cls is LAST");
  reading.add(std::move(out));
}

}  // namespace

void read_grid(const Reading& reading, const ModelRow& row) {
  const GridRow& grid = row.grid;
  if (row.table.start != FirstRow::none) add_square_table(reading, row);
  const bool tabled = !row.patches.weight.empty();
  const int64_t width = tabled ? grid_width(reading.config, row) : 0;
  if (tabled && !grid.class_last) add_patch_table(reading, row, width);
  const int64_t dim = grid_dim(reading.config, row);
  const Kinds kinds = grid_kinds(reading.config, row);
  const Rope rope = grid_rope(reading.config, row, dim);
  Facts facts;
  for (const auto& [name, text] : grid.facts) facts.emplace_back(name, std::string(text));
  if (grid.more) grid.more(reading.config, facts);
  Component out = turned(
      rope, facts, "two coordinates: " + std::string(grid.coordinates) + by_blocks(grid.merged));
  auto turning = layers_where(kinds, is_attention);
  if (turning.size() < kinds.size()) out.layers = std::move(turning);
  reading.add(std::move(out));
  if (grid.class_last) add_class_table(reading, row, width);
  if (!grid.trap.empty()) reading.trap(std::string(grid.trap));
}

void add_memory_turn(const Reading& outer) {
  const Reading reading{outer.config, outer.type, "memory attention", outer.components};
  const Config& config = reading.config;
  const int64_t width = size_of(config, "memory_attention_hidden_size");
  const int64_t rate = size_of(config, "memory_attention_downsample_rate");
  const int64_t heads = size_of(config, "memory_attention_num_attention_heads");
  const int64_t dim = head_size(config, width, heads * rate);
  const Rope rope = on_grid(dim, plain_base(config), Layout::interleaved);
  const Sides sides = sides_of(config, "memory_attention_rope_feat_sizes");
  reading.add(turned(rope, {{"sides", sides.list()}},
                     "two coordinates: column and row; keys of several frames repeat them, "
                     "pointers to objects are not rotated"));
  config.pass({"memory_attention_rope_k_sizes"});
}

}  // namespace posenc::model
