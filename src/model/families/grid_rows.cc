// grid_rows.cc: picture encoders that turn queries and keys by the coordinates of patches.
#include "model/families/model_row.h"
#include "model/ready.h"

namespace posenc::model {
namespace {

void tell_registers(const Config& config, Facts& facts) {
  facts.emplace_back("prefix_tokens_unrotated", 1 + count_of(config, "num_register_tokens"));
  config.unused({"pos_embed_shift", "pos_embed_jitter", "pos_embed_rescale"},
                "it shifts coordinates only in training");
}

void tell_window(const Config& config, Facts& facts) {
  facts.emplace(facts.begin(), "window", size_of(config, "window_size"));
}

void pass_share(const Config& config, Facts&) {
  const auto inside = config.inside({"rope_parameters"});
  if (inside) inside->pass({"partial_rotary_factor"});
}

// A row for the column, one for the row, then each half of the head turns by one of them.
void read_gemma4_vision(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
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
  const int64_t width = size_of(config, "hidden_size");
  out.facts = {{"rows_per_axis", rows},
               {"shape", as_list({2, rows, width})},
               {"dim", width},
               {"combine", "x row + y row (sum)"},
               {"weight", "patch_embedder.position_embedding_table"}};
  out.positions = "a row for the column and one for the row of a patch";
  reading.add(with_scheme(out, two_tables(rows, width)));
}

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
  Rope rope = on_grid(dim, plain_base(config), original ? Layout::interleaved : Layout::half);
  rope.axes = InTurn{std::get<Restart>(rope.axes).sections};
  reading.add(turned(rope, {{"order", "column and row in turn, pair by pair, equal frequencies"}},
                     "two coordinates: column and row"));
  reading.trap(
      "the layout is that of the stored weights: pairs are neighbours in the published "
      "files, and halves once transformers has saved the model");
}

constexpr std::string_view two_rows =
    "height freqs then width freqs, concatenated, then whole vector duplicated for the half layout";
constexpr std::string_view swapped_rows =
    "the first half of the pairs rotates by the row, the second by the column: swapped axes go "
    "unnoticed on square pictures";
constexpr std::string_view swapped_columns =
    "the first half of the pairs rotates by the column, the second by the row: swapped axes go "
    "unnoticed on square pictures";

constexpr GridRow qwen(Keys width_keys = "hidden_size") {
  return {.coordinates = "row and column",
          .base_beside = false,
          .merged = true,
          .width_keys = width_keys,
          .head_keys = "num_heads num_attention_heads",
          .kinds = true,
          .facts = {{"order", two_rows}},
          .trap = swapped_rows};
}

// The same in all layers, beside a table for the pictures of training.
constexpr GridRow siglip(bool merged) {
  GridRow out = qwen();
  out.merged = merged, out.kinds = false;
  return out;
}

}  // namespace

std::span<const ModelRow> grid_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "qwen2_vl_vision", .rope = {.sizes = {1280, 16}}, .grid = qwen("embed_dim")},
      {.types = "qwen2_5_vl_vision qwen2_5_omni_vision_encoder exaone4_5_vision glm_ocr_vision "
                "glm5_next_vision ernie4_5_vl_moe_vision video_llama_3_vision",
       .grid = qwen()},
      {.types = "lfm3_vl_vision",
       .layers = {.cycle = "full_attention conv", .first = "conv"},
       .grid = qwen()},
      {.types = "qwen3_vl_vision qwen3_vl_moe_vision qwen3_5_vision qwen3_5_moe_vision "
                "qwen4_exp_vision qwen3_omni_moe_vision_encoder cohere_compass_vision",
       .table = {.weight = "visual.pos_embed.weight",
                 .start = FirstRow::first,
                 .length_keys = "num_position_embeddings"},
       .grid = qwen()},
      {.types = "dots_vit", .rope = {.sizes = {1536, 12}}, .grid = qwen("embed_dim")},
      {.types = "dots3_note_vision_encoder", .grid = qwen("embed_dim hidden_size")},
      {.types = "glm4v_vision glm4v_moe_vision",
       .patches = {.weight = "visual.embeddings.position_embedding.weight"},
       .grid = siglip(true)},
      {.types = "step3p5_vision",
       .patches = {.weight = "embeddings.position_embedding.weight"},
       .grid = siglip(false),
       .idle = "max_position_embeddings"},
      {.types = "siglip2_navit",
       .rope = {.sizes = {1152, 16}},
       .patches = {.weight =
                       "visual_tokenizer.vit.vision_model.embeddings.position_embedding.weight",
                   .picture = {512, 512},
                   .patch = 16},
       .grid = siglip(true)},
      {.types = "paddleocr_vl_vision",
       .patches = {.weight = "visual.vision_model.embeddings.position_embedding.weight"},
       .grid = siglip(false)},
      {.types = "dinov3_vit eomt_dinov3 sapiens2",
       .grid = {.coordinates = "row and column of the patch's centre, from -1 to 1; class and "
                               "register tokens are not rotated",
                .unit = Unit::turns,
                .facts = {{"freq", "base^(-4k/head_dim)"},
                          {"coords", "patch centres scaled to [-1,1], angle = 2*pi*coord*freq"}},
                .more = tell_registers,
                .trap = "frequencies count turns, not radians, and coordinates run from -1 to 1 "
                        "over every picture"}},
      {.types = "pixtral pixtral_vision",
       .grid = {.coordinates = "row and column",
                .pairs = GridPairs::dealt,
                .facts = {{"freq",
                           "h uses even-index freqs, w uses odd-index freqs of the full "
                           "1-D list"}},
                .trap = "rows have every second frequency from the first on, columns those "
                        "between: two equal lists, as in Qwen's encoders, give other angles"}},
      {.types = "llama4_vision_model",
       .patches = {.weight = "vision_model.positional_embedding_vlm"},
       .grid = {.coordinates = "column and row, to which 1 is added; the class token, last, "
                               "is at -1",
                .layout = Layout::interleaved,
                .offset = 1,
                .own_head = false,
                .class_last = true,
                .facts = {{"coords", "x+1,y+1; cls rotated by 0"}},
                .trap = "the class token comes last, not first, in the table and among the "
                        "tokens"}},
      {.types = "mlcd mlcd_vision_model",
       .grid = {.coordinates = "row and column; the class token has learned angles",
                .base_beside = false,
                .facts = {{"order", two_rows},
                          {"class_angles", "learned: vision_model.class_pos_emb"}}}},
      {.types = "muse_glimmer_vision muse_spark_vision",
       .patches = {.weight = "patch_embedder.position_embedding_table.weight",
                   .grid_keys = "pos_emb_height pos_emb_width"},
       .grid = {.coordinates = "column and row, to which 1 is added",
                .offset = 1,
                .own_head = false,
                .facts = {{"coords", "x+1,y+1"}},
                .trap = swapped_columns},
       .idle = "max_position_embeddings layer_types"},
      {.types = "sam3_vit_model",
       .patches = {.weight = "embeddings.position_embeddings",
                   .picture_keys = "pretrain_image_size",
                   .trap = "the table is repeated over a larger picture, not resized"},
       .grid = {.coordinates = "column and row, inside a window where layers have one",
                .layout = Layout::interleaved,
                .own_head = false,
                .facts = {{"coords",
                           "layers over the whole picture: times window / patches a side"}},
                .more = tell_window,
                .trap = swapped_columns}},
      {.types = "inkling2_vision",
       .patches = {.weight = "vision_model.embeddings.position_embedding.weight",
                   .grid_keys = "posemb_grid_size"},
       .grid = {.coordinates = "column and row, to which 1 is added",
                .layout = Layout::interleaved,
                .offset = 1,
                .merged = true,
                .own_head = false,
                .facts = {{"coords", "x+1,y+1; the class token is at 0, 0"}},
                .trap = swapped_columns}},
      {.types = "efficientloftr",
       .grid = {.coordinates = "row and column, from 1",
                .pairs = GridPairs::in_turn,
                .layout = Layout::interleaved,
                .offset = 1,
                .head_keys = "",
                .facts = {{"applied_to", "the whole width, before it is split into heads"}},
                .more = pass_share,
                .trap = "the whole width is rotated before it is split into heads: a head's "
                        "frequencies differ from another's"}},
      {.types = "gemma4_vision", .where = "vision", .read = read_gemma4_vision},
      {.types = "minimax_m3_vl_vision", .where = "vision", .read = read_minimax},
      {.types = "kimi_k25_vision", .where = "vision", .read = read_moonvit<false>},
      {.types = "moonvit", .where = "vision", .read = read_moonvit<true>},
  };
  return rows;
}

}  // namespace posenc::model
