// axis_rows.cc: pictures, films and memories of them that turn along two or three axes.
#include "model/families/model_row.h"
#include "model/ready.h"

namespace posenc::model {
namespace {

// A table that is resized to the picture, then columns and rows, to which 1 is added.
void read_muse(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "hidden_size");
  const Sides grid{size_of(config, "pos_emb_height"), size_of(config, "pos_emb_width")};
  reading.add(patch_table(grid, 0, width, "patch_embedder.position_embedding_table.weight"));
  const int64_t dim = head_size(config, width, size_of(config, "num_attention_heads"));
  Rope rope = on_grid(dim, plain_base(config), Layout::half);
  rope.offset = 1;
  config.pass({"max_position_embeddings", "layer_types"});
  reading.add(turned(rope, {{"coords", "x+1,y+1"}},
                     "two coordinates: column and row, to which 1 is added"));
  tell_axes(reading, "column", "row");
}

// A table of the pictures of training, laid side by side, then neighbours turn.
void read_sam3(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "hidden_size");
  const Sides patch = sides_of(config, "patch_size");
  reading.add(patch_table(grid_of(config, sides_of(config, "pretrain_image_size"), patch), 0, width,
                          "embeddings.position_embeddings"));
  reading.trap("the table is repeated over a larger picture, not resized");
  const int64_t dim = head_size(config, width, size_of(config, "num_attention_heads"));
  const int64_t window = size_of(config, "window_size");
  reading.add(turned(on_grid(dim, plain_base(config), Layout::interleaved),
                     {{"window", window},
                      {"coords", "layers over the whole picture: times window / patches a side"}},
                     "two coordinates: column and row, inside a window where layers have one"));
  tell_axes(reading, "column", "row");
}

// A row for the column, one for the row, then each half of the head turns by one of them.
void read_gemma4_vision(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "hidden_size");
  const int64_t dim = size_of(config, "head_dim");
  Rope rope = on_grid(dim, plain_base(config), Layout::half);
  rope.blocks = 2;
  config.ignore_unless({"global_head_dim"}, dim, "every layer has head_dim");
  config.ignore({"max_position_embeddings"}, "sides of pictures have position_embedding_size");
  reading.add(turned(rope,
                     {{"order", "head split in two halves, one per axis, each rotated half-style"}},
                     "two coordinates: column and row"));
  Component out{"", "learned-2d", {}};
  const int64_t rows = size_of(config, "position_embedding_size");
  out.facts = {{"rows_per_axis", rows},
               {"shape", as_list({2, rows, width})},
               {"dim", width},
               {"combine", "x row + y row (sum)"},
               {"weight", "patch_embedder.position_embedding_table"}};
  out.positions = "a row for the column and one for the row of a patch";
  reading.add(with_scheme(out, two_tables(rows, width)));
}

// A table that is resized to the picture, with a row of its own for the class token; neighbours
// turn by the column, then by the row, both from 1 on.
void read_inkling2(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "hidden_size");
  const int64_t side = size_of(config, "posemb_grid_size");
  Component table =
      patch_table({side, side}, 0, width, "vision_model.embeddings.position_embedding.weight");
  table.positions = "patches of a grid, resized to the picture" + by_blocks(true);
  reading.add(std::move(table));
  const int64_t dim = head_size(config, width, size_of(config, "num_attention_heads"));
  Rope rope = on_grid(dim, plain_base(config), Layout::interleaved);
  rope.offset = 1;
  reading.add(turned(rope, {{"coords", "x+1,y+1; the class token stands at 0, 0"}},
                     "two coordinates: column and row, to which 1 is added" + by_blocks(true)));
  tell_axes(reading, "column", "row");
}

// What a tracker remembers of frames before.
}  // namespace

void add_memory_turn(const Reading& outer) {
  const Reading reading{outer.config, outer.type, "memory attention", outer.components};
  const Config& config = reading.config;
  const int64_t width = size_of(config, "memory_attention_hidden_size");
  const int64_t rate = size_of(config, "memory_attention_downsample_rate");
  const int64_t heads = size_of(config, "memory_attention_num_attention_heads");
  const int64_t dim = head_size(config, width, heads * rate);
  reading.add(
      turned(on_grid(dim, plain_base(config), Layout::interleaved),
             {{"sides", sides_of(config, "memory_attention_rope_feat_sizes").list()}},
             "two coordinates: column and row; keys of several frames repeat them, pointers "
             "to objects are not turned"));
  config.pass({"memory_attention_rope_k_sizes"});
}

namespace {

// Frames, rows and columns, a third of the head for each.
void read_minimax(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "hidden_size");
  const int64_t dim = head_size(config, width, size_of(config, "num_attention_heads"));
  const int64_t pairs = dim / 3 / 2;
  Rope rope{.dim = dim, .layout = Layout::half, .base = plain_base(config)};
  rope.rotary_dim = 6 * pairs;
  const auto each = static_cast<double>(pairs);
  rope.axes = Restart{{each, each, each}};
  Component out = turned(rope, {{"rotary_dim", 6 * pairs}, {"position_axes", int64_t{3}}},
                         "three coordinates: frame, row, column" + by_blocks(true));
  out.scheme = "rope-3d";
  for (auto& [name, value] : out.facts)
    if (name == "per_axis_freqs") value = pairs;
  reading.add(std::move(out));
}

// MoonViT: pairs take turns, column and row with the same frequency. Published weights are those of
// the original code, whose pairs are neighbours; transformers reorders them into halves.
template <bool published>
void read_moonvit(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const Sides grid{size_of(config, "init_pos_emb_height pos_emb_height", 64),
                   size_of(config, "init_pos_emb_width pos_emb_width", 64)};
  const int64_t width = size_of(config, "vt_hidden_size hidden_size", 1152);
  const bool frames = !published || config.has({"init_pos_emb_time", "pos_emb_time"});  // K2.5's
  Facts facts{{"table", grid.list()}, {"dim", width}};
  if (frames) facts.push_back({"frames", count_of(config, "init_pos_emb_time pos_emb_time", 4)});
  facts.push_back({"note", std::string("bicubic interpolation to the picture") +
                               (frames ? "; sinusoids of the frame are added" : "")});
  facts.push_back({"weight", "vision_tower.patch_embed.pos_emb.weight"});
  Component table =
      described("learned-2d", facts, "rows and columns of a grid, resized to the picture");
  config.pass({"pos_emb_type"});
  reading.add(
      with_scheme(table, LearnedGrid{.dim = width, .height = grid.height, .width = grid.width}));
  const int64_t dim =
      head_size(config, width, size_of(config, "vt_num_attention_heads num_attention_heads", 16));
  const bool original = published || config.has({"vt_hidden_size", "vt_num_attention_heads"});
  const Rope rope =
      taking_turns(dim, plain_base(config), original ? Layout::interleaved : Layout::half);
  reading.add(turned(rope, {{"order", "column and row in turn, pair by pair, equal frequencies"}},
                     "two coordinates: column and row"));
  reading.trap(
      "the layout is that of the stored weights: pairs are neighbours in the published "
      "files, and halves once transformers has saved the model");
}

// The whole width turns before it is split into heads; pairs take turns.
void read_loftr(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "hidden_size");
  const double base = plain_base(config);
  const auto inside = config.inside({"rope_parameters"});
  if (inside) inside->pass({"partial_rotary_factor"});
  Rope rope = taking_turns(width, base, Layout::interleaved);
  rope.offset = 1;
  Component out = turned(rope, {{"applied_to", "the whole width, before it is split into heads"}},
                         "two coordinates: row and column, from 1");
  reading.add(std::move(out));
  reading.trap(
      "the whole width turns before it is split into heads: a head's frequencies differ "
      "from another's");
}

}  // namespace

std::span<const ModelRow> axis_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "muse_glimmer_vision muse_spark_vision", .where = "vision", .read = read_muse},
      {.types = "sam3_vit_model", .where = "vision", .read = read_sam3},
      {.types = "gemma4_vision", .where = "vision", .read = read_gemma4_vision},
      {.types = "minimax_m3_vl_vision", .where = "vision", .read = read_minimax},
      {.types = "inkling2_vision", .where = "vision", .read = read_inkling2},
      {.types = "kimi_k25_vision", .where = "vision", .read = read_moonvit<false>},
      {.types = "moonvit", .where = "vision", .read = read_moonvit<true>},
      {.types = "efficientloftr", .where = "vision", .read = read_loftr},
  };
  return rows;
}

}  // namespace posenc::model
