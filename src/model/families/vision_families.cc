// vision_families.cc: picture encoders with one trained table for the patches.
#include "model/families/class_defaults.h"
#include "model/families/parts.h"

namespace posenc::model {
namespace {

// Sizes are those of the class, for files that leave them out.
struct PatchTable {
  std::string_view types;
  int64_t prefix, width, picture, patch;
  std::string_view weight;
  bool cells = false;  // patches find their row by their fractions of the picture's sides
  Keys picture_keys = "image_size image_default_input_size";
  Keys prefix_key{};  // how many tokens without a place there are
  int64_t wide = 0;   // the width of a picture that is no square
  Keys idle{};        // as in Family
};

constexpr std::string_view vit = "embeddings.position_embeddings";
constexpr std::string_view clip = "vision_model.embeddings.position_embedding.weight";
constexpr std::string_view blip = "vision_model.embeddings.position_embedding";

constexpr PatchTable rows[] = {
    {"vit vit_msn vit-hybrid flava_image_model", 1, 768, 224, 16, vit},
    {"dpt", 1, 768, 384, 16, vit},
    {"deit", 2, 768, 224, 16, vit},
    {"ijepa", 0, 768, 224, 16, vit},
    {"dinov2 rf_detr_dinov2", 1, 768, 224, 14, vit},
    {"dinov2_with_registers", 1, 768, 224, 16, vit},
    {"intern_vit_6b", 1, 3200, 224, 14, blip},
    {"internvl_vision", 1, 1024, 448, 14, "vision_tower.embeddings.position_embeddings"},
    {"pixio", 8, 1280, 256, 16, vit, false, "image_size", "n_cls_tokens"},
    {"vitpose_backbone", 1, 768, 256, 16, vit, false, "image_size", "", 192},
    {"mgp-str", 1, 768, 32, 4, "mgp_str.embeddings.pos_embed", false, "image_size", "", 128},
    {"tipsv2_vision_model", 1, 768, 448, 14, vit},
    {"qianfan_ocr_vision", 1, 1024, 448, 14, vit},
    {"eomt videomt", 0, 1024, 640, 16, "embeddings.position_embeddings.weight"},
    {"ovis2_vision", 0, 1024, 224, 14, "transformer.embeddings.position_embedding.weight"},
    {"minicpm_ocr_vision minicpmv4_6_vision minicpmv4_7_vision", 0, 768, 224, 16,
     "embeddings.position_embedding.weight", true},
    {"radio", 0, 1280, 2048, 16, "embeddings.position_embedding", false, "max_img_size"},
    {"glm_image_vision", 0, 1536, 2048, 16, "embeddings.position_embedding.weight"},
    {"hunyuan_vl_vision", 1, 1152, 2048, 16, "embeddings.position_embedding.weight", false,
     "max_image_size"},
    {.types = "molmo2_vision",
     .prefix = 0,
     .width = 1152,
     .picture = 378,
     .patch = 14,
     .weight = "positional_embedding",
     .idle = "num_position_embeddings image_num_pos"},
    {"unlimited_ocr_vision_encoder", 1, 1024, 224, 14, "embeddings.position_embedding.weight"},
    {"clip_vision_model chinese_clip_vision_model altclip_vision_model clipseg_vision_model "
     "xclip_vision_model metaclip_2_vision_model",
     1, 768, 224, 32, clip},
    {"git_vision_model", 1, 768, 224, 16, clip},
    {"kosmos_2_vision_model", 1, 1024, 224, 14, clip},
    {"bridgetower_vision_model", 1, 768, 288, 16,
     "vision_model.visual.embeddings.position_embedding.weight"},
    {"idefics_vision", 1, 768, 224, 14, clip},
    {"owlvit_vision_model", 1, 768, 768, 32, clip},
    {"owlv2_vision_model", 1, 768, 768, 16, clip},
    {"siglip_vision_model", 0, 768, 224, 16, clip},
    {"idefics2_vision", 0, 768, 224, 32, clip, true},
    {"idefics3_vision smolvlm_vision", 0, 1152, 224, 32, clip, true},
    {"granite_docling_vision", 0, 768, 512, 16, clip},
    {"cogvlm_vision", 1, 1792, 490, 14, "model.vision.patch_embedding.position_embedding.weight"},
    {"chatglm_vision", 1, 1792, 1120, 14,
     "transformer.vision.patch_embedding.position_embedding.weight"},
    {"step3_vision_encoder", 1, 1792, 728, 14, "vision_model.embeddings.position_embedding.weight"},
    {"deepseek_vl_v2_vision", 0, 1024, 384, 16, "pos_embed"},
    {"janus_vision_model", 0, 1024, 384, 16, clip},
    {"phi4_multimodal_vision", 0, 1152, 448, 14, clip, true},
    {"aimv2_vision_model", 0, 1024, 224, 14, "embeddings.position_embedding.weight"},
    {"groupvit_vision_model", 0, 384, 224, 16, "vision_model.embeddings.position_embeddings"},
    {"blip_vision_model", 1, 768, 384, 16, blip},
    {"blip_2_vision_model instructblip_vision_model instructblipvideo_vision_model", 1, 1408, 224,
     14, blip},
};

void tell_resize(const Reading& reading, Sides grid, int64_t prefix) {
  const std::string rest = prefix == 0   ? ""
                           : prefix == 1 ? "; the row before it stays as it is"
                                         : "; the rows before it stay as they are";
  reading.trap("a picture of another size needs the table resized as a grid of " +
               text::write(grid.height) + " x " + text::write(grid.width) + rest);
}

void read_patches(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const PatchTable& row = row_of(rows, reading.type);
  const Sides picture{row.picture, row.wide > 0 ? row.wide : row.picture};
  const Sides grid =
      grid_of(config, sides_of(config, row.picture_keys, picture),
              sides_of(config, "patch_size image_patch_size", {row.patch, row.patch}));
  const int64_t width = size_of(config, "hidden_size embed_dim width", row.width);
  const int64_t prefix =
      row.prefix_key.empty() ? row.prefix : count_of(config, row.prefix_key, row.prefix);
  config.ignore({"num_register_tokens"}, "register tokens have no row in the table");
  if (!config.flag({"use_absolute_position_embeddings"}).value_or(true))
    return reading.add({"", "none", {{"note", "use_absolute_position_embeddings is false"}}});
  Component out = patch_table(grid, prefix, width, std::string(row.weight));
  if (row.cells) {
    out.positions = "cells of a square grid, by fractions of the picture's sides";
    reading.trap(
        "a patch reads the cell in which its fractions of the picture's sides fall: patches "
        "are not counted row by row");
  } else {
    tell_resize(reading, grid, prefix);
  }
  reading.add(std::move(out));
}

// Tokens for what is to be found come after the patches.
void read_yolos(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const Sides grid = grid_of(config, sides_of(config, "image_size", {512, 864}),
                             sides_of(config, "patch_size", {16, 16}));
  const int64_t found = size_of(config, "num_detection_tokens", 100);
  const int64_t width = size_of(config, "hidden_size", 768);
  TrainedTable table{1 + grid.height * grid.width + found, width};
  table.weight = vit;
  table.positions = "the class token, patches row by row, detection tokens";
  Component out = learned_table(table);
  out.facts.emplace_back("grid", grid.list());
  out.facts.emplace_back("prefix_tokens", int64_t{1});
  out.facts.emplace_back("suffix_tokens", found);
  reading.add(std::move(out));
  if (config.flag({"use_mid_position_embeddings"}, true, "the default of its class"))
    reading.trap("later layers add tables of their own: encoder.mid_position_embeddings");
}

// A table as long as the key says, a square grid that is resized to every picture.
void read_siglip2(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const int64_t width = class_sizes(reading.type).width;
  TrainedTable table{length_of(config, "num_patches", 256), size_of(config, "hidden_size", width)};
  table.weight = clip;
  table.positions = "patches row by row, read from a square grid that is resized to the picture";
  reading.add(learned_table(table));
  reading.trap(
      "the table is a square grid: it is resized (bilinear, antialiased) to the rows and "
      "columns of every picture before it is read");
}

// Timesteps of patches: a table for all frames, or tubes of them.
void read_vivit(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const auto tube = sizes_of(config, "tubelet_size", {2, 16, 16});
  if (tube.size() != 3 || tube[0] < 1 || tube[1] < 1 || tube[2] < 1)
    config.refuse("tubelet_size", "three sizes", *config.json().find("tubelet_size"));
  const Sides grid =
      grid_of(config, sides_of(config, "image_size", {224, 224}), {tube[1], tube[2]});
  const int64_t frames = size_of(config, "num_frames", 32) / tube[0];
  TrainedTable table{1 + frames * grid.height * grid.width, size_of(config, "hidden_size", 768)};
  table.weight = vit;
  table.positions = "the class token, then tubes frame by frame, row by row";
  reading.add(learned_table(table));
}

// Sinusoids over all tubes in one row: neither time nor place has an axis of its own.
void read_videomae(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const Sides grid = grid_of(config, sides_of(config, "image_size", {224, 224}),
                             sides_of(config, "patch_size", {16, 16}));
  const int64_t frames = size_of(config, "num_frames", 16) / size_of(config, "tubelet_size", 2);
  const Sinusoidal waves{.dim = size_of(config, "hidden_size", 768)};
  reading.add(sinusoidal_table(waves, frames * grid.height * grid.width,
                               "tubes frame by frame, row by row, from 0"));
}

// Pictures of sounds: patches may overlap, so their number follows from the strides.
void read_ast(const Reading& outer) {
  const Reading reading = named(outer, "audio");
  const Config& config = reading.config;
  const int64_t patch = size_of(config, "patch_size", 16);
  const auto count = [&](Keys side, int64_t length, Keys stride) {
    const int64_t room = size_of(config, side, length) - patch;
    if (room < 0)
      fail(ErrorKind::data, "read", "expected ", config.path(), side, " of at least a patch, ",
           patch, ", got ", room + patch);
    return room / size_of(config, stride, 10) + 1;
  };
  const Sides grid{count("num_mel_bins", 128, "frequency_stride"),
                   count("max_length", 1024, "time_stride")};
  reading.add(patch_table(grid, 2, size_of(config, "hidden_size", 768), std::string(vit)));
}

}  // namespace

std::vector<Family> patch_list() {
  return joined(families_of(rows, read_patches),
                std::vector<Family>{{"yolos", read_yolos},
                                    {"siglip2_vision_model cosmos3_edge_vision", read_siglip2},
                                    {"vivit", read_vivit},
                                    {"videomae", read_videomae},
                                    {"audio-spectrogram-transformer", read_ast}});
}

std::span<const Family> vision_families() {
  static const auto all =
      joined(patch_list(), turning_list(), window_list(), decomposed_list(), picture_list(),
             stage_list(), timm_list(), axis_list(), part_families(), remote_part_list());
  return all;
}

}  // namespace posenc::model
