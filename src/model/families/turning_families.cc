// turning_families.cc: picture encoders that turn queries and keys by two coordinates.
#include "model/families/turned.h"

namespace posenc::model {
namespace {

// The class's, unless transformers 5 wrote another.
double written_base(const Config& config, double otherwise = 10000) {
  return config.has("rope_parameters") ? plain_base(config, otherwise) : otherwise;
}

constexpr std::string_view two_rows =
    "height freqs then width freqs, concatenated, then whole vector duplicated for the half layout";

int64_t head_of(const Config& config, Keys width_keys, int64_t width, Keys head_keys,
                int64_t heads) {
  if (config.has("head_dim")) return size_of(config, "head_dim", 0);
  return head_size(config, size_of(config, width_keys, width), size_of(config, head_keys, heads));
}

// Qwen's encoders. Rows of a table are added first from version 3 on.
struct QwenVision {
  std::string_view types;
  Keys width_keys;
  int64_t width, heads;
  int64_t table;  // rows
  double base = 10000;
};

constexpr QwenVision qwen[] = {
    {"qwen2_vl_vision", "embed_dim", 1280, 16, 0},
    {"qwen2_5_vl_vision qwen2_5_omni_vision_encoder exaone4_5_vision", "hidden_size", 3584, 16, 0},
    {"qwen3_vl_vision qwen3_vl_moe_vision qwen3_5_vision qwen3_5_moe_vision qwen4_exp_vision "
     "qwen3_omni_moe_vision_encoder cohere_compass_vision",
     "hidden_size", 1152, 16, 2304},
    {"glm_ocr_vision glm5_next_vision", "hidden_size", 1024, 16, 0},
    {"ernie4_5_vl_moe_vision", "hidden_size", 1280, 16, 0},
    {"dots_vit", "embed_dim", 1536, 12, 0},
    {"dots3_note_vision_encoder", "embed_dim hidden_size", 1536, 24, 0},
    {"lfm3_vl_vision", "hidden_size", 1024, 16, 0, 1000000},
    {"video_llama_3_vision", "hidden_size", 768, 12, 0},
};

void read_qwen(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const QwenVision& row = row_of(qwen, reading.type);
  if (row.table > 0) {
    TrainedTable table{length_of(config, "num_position_embeddings", row.table),
                       size_of(config, row.width_keys, row.width)};
    table.weight = "visual.pos_embed.weight";
    table.positions = "patches of a square grid, resized to the picture";
    Component out = learned_table(table);
    out.facts.emplace_back("note", "bilinear interpolation from a square grid");
    reading.add(std::move(out));
    reading.trap(
        "the table is a square grid: it is resized (bilinear) to the rows and columns of "
        "every picture, and read in the order of merged blocks");
  }
  const int64_t dim =
      head_of(config, row.width_keys, row.width, "num_heads num_attention_heads", row.heads);
  reading.add(turned(on_grid(dim, written_base(config, row.base), Layout::half),
                     {{"order", std::string(two_rows)}},
                     "two coordinates: row and column" + by_blocks(true)));
  tell_axes(reading, "row", "column");
}

// The same with a table for patches of the pictures of training.
struct TableAndTurn {
  std::string_view types;
  int64_t width, heads, picture, patch;
  std::string_view weight;
  bool merged = false;  // patches come block by block
  Keys idle{};          // as in Family
};
constexpr TableAndTurn both[] = {
    {"glm4v_vision glm4v_moe_vision", 1536, 12, 336, 14,
     "visual.embeddings.position_embedding.weight", true},
    {"step3p5_vision", 1536, 16, 728, 14, "embeddings.position_embedding.weight", false,
     "max_position_embeddings"},
    {"siglip2_navit", 1152, 16, 512, 16,
     "visual_tokenizer.vit.vision_model.embeddings.position_embedding.weight", true},
    {"paddleocr_vl_vision", 1152, 16, 384, 14,
     "visual.vision_model.embeddings.position_embedding.weight"},
};

void read_both(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const TableAndTurn& row = row_of(both, reading.type);
  const int64_t width = size_of(config, "hidden_size", row.width);
  const Sides grid = grid_of(config, sides_of(config, "image_size", {row.picture, row.picture}),
                             sides_of(config, "patch_size", {row.patch, row.patch}));
  Component table = patch_table(grid, 0, width, std::string(row.weight));
  if (row.merged) table.positions = "patches of a grid, resized to the picture" + by_blocks(true);
  reading.add(std::move(table));
  const int64_t dim =
      head_of(config, "hidden_size", row.width, "num_heads num_attention_heads", row.heads);
  reading.add(turned(on_grid(dim, written_base(config), Layout::half),
                     {{"order", std::string(two_rows)}},
                     "two coordinates: row and column" + by_blocks(row.merged)));
  tell_axes(reading, "row", "column");
}

void read_pixtral(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const int64_t dim = head_of(config, "hidden_size", 1024, "num_attention_heads", 16);
  Rope rope = on_grid(dim, plain_base(config, 10000), Layout::half);
  rope.axes = Dealt{std::get<Restart>(rope.axes).sections};
  reading.add(turned(
      rope, {{"freq", "h uses even-index freqs, w uses odd-index freqs of the full 1-D list"}},
      "two coordinates: row and column"));
  reading.trap(
      "rows have every second frequency from the first on, columns those between: two equal "
      "lists, as in Qwen's encoders, give other angles");
}

void read_llama4(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const int64_t width = size_of(config, "hidden_size", 768);
  const int64_t dim = head_size(config, width, size_of(config, "num_attention_heads", 16));
  Rope rope = on_grid(dim, plain_base(config, 10000), Layout::interleaved);
  rope.offset = 1;
  reading.add(turned(
      rope, {{"coords", "x+1,y+1; cls rotated by 0"}},
      "two coordinates: column and row, to which 1 is added; the class token, last, stands at -1"));
  const Sides grid = grid_of(config, sides_of(config, "image_size", {448, 448}),
                             sides_of(config, "patch_size", {14, 14}));
  TrainedTable table{grid.height * grid.width + 1, width};
  table.weight = "vision_model.positional_embedding_vlm";
  table.positions = "patches row by row, then the class token";
  Component out = learned_table(table);
  out.facts.emplace_back("note", "cls is LAST");
  reading.add(std::move(out));
  reading.trap("the class token comes last, not first, in the table and among the tokens");
}

struct Dinov3 {
  std::string_view types;
  int64_t width, heads, registers;
};
constexpr Dinov3 dinov3s[] = {
    {"dinov3_vit", 384, 6, 0},
    {"eomt_dinov3", 1024, 16, 4},
    {"sapiens2", 1024, 16, 8},
};

void read_dinov3(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const Dinov3& row = row_of(dinov3s, reading.type);
  const int64_t dim = head_of(config, "hidden_size", row.width, "num_attention_heads", row.heads);
  Rope rope = on_grid(dim, plain_base(config, 100), Layout::half);
  rope.frequencies = Powers{Unit::turns};
  const int64_t registers = count_of(config, "num_register_tokens", row.registers);
  config.ignore({"pos_embed_shift", "pos_embed_jitter", "pos_embed_rescale"},
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
void read_mlcd(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const int64_t dim = head_of(config, "hidden_size", 1664, "num_attention_heads", 16);
  reading.add(turned(
      on_grid(dim, 10000, Layout::half),
      {{"order", std::string(two_rows)}, {"class_angles", "learned: vision_model.class_pos_emb"}},
      "two coordinates: row and column; the class token has learned angles"));
}

}  // namespace

std::vector<Family> turning_list() {
  return joined(families_of(qwen, read_qwen), families_of(both, read_both),
                families_of(dinov3s, read_dinov3),
                std::vector<Family>{{"pixtral pixtral_vision", read_pixtral},
                                    {"llama4_vision_model", read_llama4},
                                    {"mlcd mlcd_vision_model", read_mlcd}});
}

}  // namespace posenc::model
