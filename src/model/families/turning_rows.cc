// turning_rows.cc: picture encoders that turn queries and keys by two coordinates.
#include "model/families/model_row.h"

namespace posenc::model {

Rope on_grid(int64_t dim, double base, Layout layout) {
  Rope out{.dim = dim, .layout = layout, .base = base};
  const int64_t pairs = dim / 4;  // of each axis
  const auto quarter = static_cast<double>(pairs);
  out.axes = Restart{{quarter, quarter}};
  return out;
}

Rope taking_turns(int64_t dim, double base, Layout layout) {
  Rope out = on_grid(dim, base, layout);
  out.axes = InTurn{std::get<Restart>(out.axes).sections};
  return out;
}

Component turned(const Rope& rope, Facts more, std::string positions) {
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

void tell_axes(const Reading& reading, std::string_view first, std::string_view second) {
  reading.trap("the first half of the pairs turns by the " + std::string(first) +
               ", the second by the " + std::string(second) +
               ": swapped axes go unnoticed on square pictures");
}

namespace {

// The class's, unless transformers 5 wrote another.
double written_base(const Config& config, double otherwise = 10000) {
  return config.has("rope_parameters") ? plain_base(config, otherwise) : otherwise;
}

constexpr std::string_view two_rows =
    "height freqs then width freqs, concatenated, then whole vector duplicated for the half layout";

int64_t head_of(const Config& config, const ClassSizes& sizes, Keys width_keys = "hidden_size",
                Keys head_keys = "num_attention_heads") {
  if (config.has("head_dim")) return size_of(config, "head_dim");
  return head_size(config, size_of(config, width_keys, sizes.width),
                   size_of(config, head_keys, sizes.heads));
}

constexpr Keys heads_of_qwen = "num_heads num_attention_heads";

void add_rows_then_columns(const Reading& reading, int64_t dim, double base, bool merged) {
  reading.add(turned(on_grid(dim, base, Layout::half), {{"order", std::string(two_rows)}},
                     "two coordinates: row and column" + by_blocks(merged)));
  tell_axes(reading, "row", "column");
}

// Qwen's encoders. Rows of a table are added first from version 3 on.
void read_qwen_vision(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const ClassSizes& sizes = row.rope.sizes;
  const Keys width_keys = row.table.width_keys;
  if (row.table.start != FirstRow::none) {
    Component out =
        learned_table({.rows = length_of(config, row.table.length_keys, row.table.length),
                       .dim = size_of(config, width_keys, sizes.width),
                       .weight = "visual.pos_embed.weight",
                       .positions = "patches of a square grid, resized to the picture"});
    out.facts.emplace_back("note", "bilinear interpolation from a square grid");
    reading.add(std::move(out));
    reading.trap(
        "the table is a square grid: it is resized (bilinear) to the rows and columns of "
        "every picture, and read in the order of merged blocks");
  }
  const int64_t dim = head_of(config, sizes, width_keys, heads_of_qwen);
  const bool differ = config.has("layer_types") || !row.layers.cycle.empty();
  const Kinds kinds = differ ? layer_kinds(config, sizes, row.layers) : Kinds{};
  add_rows_then_columns(reading, dim, written_base(config, row.rope.base), true);
  auto turning = layers_where(kinds, is_attention);
  if (turning.size() < kinds.size()) reading.components.back().layers = std::move(turning);
}

// The same with a table for patches of the pictures of training.
template <bool merged>  // patches come block by block
void read_both(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "hidden_size", row.rope.sizes.width);
  Component table =
      patch_table(patches_of(config, row.patches), 0, width, std::string(row.patches.weight));
  if (merged) table.positions = "patches of a grid, resized to the picture" + by_blocks(true);
  reading.add(std::move(table));
  const int64_t dim = head_of(config, row.rope.sizes, "hidden_size", heads_of_qwen);
  add_rows_then_columns(reading, dim, written_base(config), merged);
}

void read_pixtral(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const int64_t dim = head_of(config, row.rope.sizes);
  Rope rope = on_grid(dim, plain_base(config), Layout::half);
  rope.axes = Dealt{std::get<Restart>(rope.axes).sections};
  reading.add(turned(
      rope, {{"freq", "h uses even-index freqs, w uses odd-index freqs of the full 1-D list"}},
      "two coordinates: row and column"));
  reading.trap(
      "rows have every second frequency from the first on, columns those between: two equal "
      "lists, as in Qwen's encoders, give other angles");
}

void read_llama4_vision(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "hidden_size", row.rope.sizes.width);
  const int64_t heads = size_of(config, "num_attention_heads", row.rope.sizes.heads);
  const int64_t dim = head_size(config, width, heads);
  Rope rope = on_grid(dim, plain_base(config), Layout::interleaved);
  rope.offset = 1;
  reading.add(turned(
      rope, {{"coords", "x+1,y+1; cls rotated by 0"}},
      "two coordinates: column and row, to which 1 is added; the class token, last, stands at -1"));
  const Sides grid = patches_of(config, row.patches);
  Component out = learned_table({.rows = grid.height * grid.width + 1,
                                 .dim = width,
                                 .weight = "vision_model.positional_embedding_vlm",
                                 .positions = "patches row by row, then the class token"});
  out.facts.emplace_back("note", "cls is LAST");
  reading.add(std::move(out));
  reading.trap("the class token comes last, not first, in the table and among the tokens");
}

void read_dinov3(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const int64_t dim = head_of(config, row.rope.sizes);
  Rope rope = on_grid(dim, plain_base(config), Layout::half);
  rope.frequencies = Powers{Unit::turns};
  const int64_t registers = count_of(config, "num_register_tokens");
  config.unused({"pos_embed_shift", "pos_embed_jitter", "pos_embed_rescale"},
                "it moves coordinates while training only");
  reading.add(turned(
      rope,
      {{"freq", "base^(-4k/head_dim)"},
       {"coords", "patch centres scaled to [-1,1], angle = 2*pi*coord*freq"},
       {"prefix_tokens_unrotated", 1 + registers}},
      "two coordinates: row and column of the patch's centre, from -1 to 1; class and register "
      "tokens are not turned"));
  reading.trap(
      "frequencies count turns, not radians, and coordinates run from -1 to 1 over every "
      "picture");
}

// The class token has an angle of its own, which is learned.
void read_mlcd(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const int64_t dim = head_of(config, row.rope.sizes);
  reading.add(turned(
      on_grid(dim, written_base(config), Layout::half),
      {{"order", std::string(two_rows)}, {"class_angles", "learned: vision_model.class_pos_emb"}},
      "two coordinates: row and column; the class token has learned angles"));
}

}  // namespace

std::span<const ModelRow> turning_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "qwen2_vl_vision",
       .where = "vision",
       .rope = {.sizes = {1280, 16}},
       .table = {.width_keys = "embed_dim"},
       .read = read_qwen_vision},
      {.types = "qwen2_5_vl_vision qwen2_5_omni_vision_encoder exaone4_5_vision glm_ocr_vision "
                "glm5_next_vision ernie4_5_vl_moe_vision video_llama_3_vision",
       .where = "vision",
       .table = {.width_keys = "hidden_size"},
       .read = read_qwen_vision},
      {.types = "lfm3_vl_vision",
       .where = "vision",
       .layers = {.cycle = "full_attention conv", .first = "conv"},
       .table = {.width_keys = "hidden_size"},
       .read = read_qwen_vision},
      {.types = "qwen3_vl_vision qwen3_vl_moe_vision qwen3_5_vision qwen3_5_moe_vision "
                "qwen4_exp_vision qwen3_omni_moe_vision_encoder cohere_compass_vision",
       .where = "vision",
       .table = {.start = FirstRow::first,
                 .length_keys = "num_position_embeddings",
                 .width_keys = "hidden_size"},
       .read = read_qwen_vision},
      {.types = "dots_vit",
       .where = "vision",
       .rope = {.sizes = {1536, 12}},
       .table = {.width_keys = "embed_dim"},
       .read = read_qwen_vision},
      {.types = "dots3_note_vision_encoder",
       .where = "vision",
       .table = {.width_keys = "embed_dim hidden_size"},
       .read = read_qwen_vision},
      {.types = "glm4v_vision glm4v_moe_vision",
       .where = "vision",
       .patches = {.weight = "visual.embeddings.position_embedding.weight"},
       .read = read_both<true>},
      {.types = "step3p5_vision",
       .where = "vision",
       .patches = {.weight = "embeddings.position_embedding.weight"},
       .read = read_both<false>,
       .idle = "max_position_embeddings"},
      {.types = "siglip2_navit",
       .where = "vision",
       .rope = {.sizes = {1152, 16}},
       .patches = {.weight =
                       "visual_tokenizer.vit.vision_model.embeddings.position_embedding.weight",
                   .picture = {512, 512},
                   .patch = 16},
       .read = read_both<true>},
      {.types = "paddleocr_vl_vision",
       .where = "vision",
       .patches = {.weight = "visual.vision_model.embeddings.position_embedding.weight"},
       .read = read_both<false>},
      {.types = "dinov3_vit eomt_dinov3 sapiens2", .where = "vision", .read = read_dinov3},
      {.types = "pixtral pixtral_vision", .where = "vision", .read = read_pixtral},
      {.types = "llama4_vision_model", .where = "vision", .read = read_llama4_vision},
      {.types = "mlcd mlcd_vision_model", .where = "vision", .read = read_mlcd},
  };
  return rows;
}

}  // namespace posenc::model
