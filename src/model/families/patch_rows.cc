// patch_rows.cc: encoders with one trained table for the patches of a picture, a film or a sound.
#include "model/families/model_row.h"

namespace posenc::model {
namespace {

constexpr std::string_view vit = "embeddings.position_embeddings";
constexpr std::string_view plain_weight = "embeddings.position_embedding.weight";
constexpr std::string_view clip = "vision_model.embeddings.position_embedding.weight";
constexpr std::string_view blip = "vision_model.embeddings.position_embedding";

void tell_resize(const Reading& reading, Sides grid, int64_t prefix) {
  const std::string rest = prefix == 0   ? ""
                           : prefix == 1 ? "; the row before it stays as it is"
                                         : "; the rows before it stay as they are";
  reading.trap("a picture of another size needs the table resized as a grid of " +
               text::write(grid.height) + " x " + text::write(grid.width) + rest);
}

// Tokens for what is to be found come after the patches.
void read_yolos(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const Sides grid = patches_of(config, row.patches);
  const int64_t found = size_of(config, "num_detection_tokens");
  Component out = learned_table({.rows = 1 + grid.height * grid.width + found,
                                 .dim = size_of(config, "hidden_size", row.patches.width),
                                 .weight = std::string(vit),
                                 .positions = "the class token, patches row by row, detection "
                                              "tokens"});
  out.facts.insert(
      out.facts.end(),
      {{"grid", grid.list()}, {"prefix_tokens", int64_t{1}}, {"suffix_tokens", found}});
  reading.add(std::move(out));
  if (config.flag({"use_mid_position_embeddings"}, true, by_class))
    reading.trap("later layers add their own tables: encoder.mid_position_embeddings");
}

// A table as long as the key says, a square grid that is resized to every picture.
void read_siglip2(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  reading.add(learned_table(
      {.rows = length_of(config, "num_patches"),
       .dim = size_of(config, "hidden_size", row.patches.width),
       .weight = std::string(clip),
       .positions = "patches row by row, read from a square grid that is resized to the picture"}));
  reading.trap(
      "the table is a square grid: it is resized (bilinear, antialiased) to the rows and "
      "columns of every picture before it is read");
}

// Timesteps of patches: a table for all frames, or tubes of them.
void read_vivit(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const auto tube = tube_of(config);
  const Sides grid =
      grid_of(config, sides_of(config, "image_size", row.patches.picture), {tube[1], tube[2]});
  const int64_t frames = size_of(config, "num_frames") / tube[0];
  reading.add(
      learned_table({.rows = 1 + frames * grid.height * grid.width,
                     .dim = size_of(config, "hidden_size", row.patches.width),
                     .weight = std::string(vit),
                     .positions = "the class token, then tubes frame by frame, row by row"}));
}

// Sinusoids over all tubes in one row: neither time nor place has an axis of its own.
void read_videomae(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const Sides grid = patches_of(config, row.patches);
  const int64_t all = size_of(config, "num_frames");
  const int64_t frames = all / size_of(config, "tubelet_size");
  const Sinusoidal waves{.dim = size_of(config, "hidden_size", row.patches.width)};
  reading.add(sinusoidal_table(waves, frames * grid.height * grid.width,
                               "tubes frame by frame, row by row, from 0"));
}

// The first Qwen-VL: a table for 224 pixels, resized to the picture.
void read_qwen_visual(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t patch = size_of(config, "patch_size", 14);
  const int64_t side = 224 / patch;
  config.pass({"image_size"});
  reading.add(patch_table({side, side}, 0, size_of(config, "width", 1664),
                          "transformer.visual.positional_embedding"));
  reading.trap("the table is made for 224 pixels and resized (bicubic) to image_size");
}

// Pictures of sounds: patches may overlap, so their number follows from the strides.
void read_ast(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t patch = size_of(config, "patch_size");
  const auto count = [&](Keys side, int64_t length, Keys stride) {
    const int64_t room = size_of(config, side, length) - patch;
    if (room < 0) config.fail(side, " of at least a patch, ", patch, ", got ", room + patch);
    return room / size_of(config, stride) + 1;
  };
  const Sides grid{count("num_mel_bins", 128, "frequency_stride"),
                   count("max_length", 1024, "time_stride")};
  reading.add(patch_table(grid, 2, size_of(config, "hidden_size"), std::string(vit)));
}

constexpr ModelRow seen(std::string_view types, const PatchRow& patches) {
  return {.types = types, .where = "vision", .patches = patches};
}
constexpr ModelRow seen(std::string_view types, int64_t prefix, std::string_view weight) {
  return seen(types, {.weight = weight, .prefix = prefix});
}
// No class has these sizes.
constexpr ModelRow seen(std::string_view types, int64_t prefix, std::string_view weight,
                        int64_t side, int64_t patch, int64_t width) {
  return seen(types, {.weight = weight,
                      .prefix = prefix,
                      .picture = {side, side},
                      .patch = patch,
                      .width = width});
}

}  // namespace

void read_patches(const Reading& reading, const ModelRow& given) {
  const Config& config = reading.config;
  const PatchRow& row = given.patches;
  const Sides grid = patches_of(config, row, "patch_size image_patch_size");
  const int64_t width = size_of(config, "hidden_size embed_dim width", row.width);
  const int64_t prefix =
      row.prefix_key.empty() ? row.prefix : count_of(config, row.prefix_key, row.prefix);
  config.unused({"num_register_tokens"}, "register tokens have no row in the table");
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

std::span<const ModelRow> patch_rows() {
  static constexpr ModelRow rows[] = {
      seen("vit vit_msn vit-hybrid flava_image_model dpt dinov2 rf_detr_dinov2 "
           "dinov2_with_registers vitpose_backbone tipsv2_vision_model qianfan_ocr_vision",
           1, vit),
      seen("deit", 2, vit),
      seen("ijepa", 0, vit),
      seen("pixio", {.weight = vit, .prefix = 8, .prefix_key = "n_cls_tokens"}),
      seen("mgp-str", 1, "mgp_str.embeddings.pos_embed"),
      seen("internvl_vision", 1, "vision_tower.embeddings.position_embeddings"),
      seen("eomt videomt", 0, "embeddings.position_embeddings.weight"),
      seen("ovis2_vision", 0, "transformer.embeddings.position_embedding.weight"),
      seen("minicpm_ocr_vision minicpmv4_6_vision minicpmv4_7_vision",
           {.weight = plain_weight, .cells = true}),
      seen("radio", {.weight = "embeddings.position_embedding", .picture_keys = "max_img_size"}),
      seen("hunyuan_vl_vision",
           {.weight = plain_weight, .prefix = 1, .picture_keys = "max_image_size"}),
      seen("glm_image_vision aimv2_vision_model", 0, plain_weight),
      {.types = "molmo2_vision",
       .where = "vision",
       .patches = {.weight = "positional_embedding"},
       .idle = "num_position_embeddings image_num_pos"},
      seen("unlimited_ocr_vision_encoder", 1, plain_weight),
      seen("clip_vision_model chinese_clip_vision_model altclip_vision_model "
           "clipseg_vision_model xclip_vision_model metaclip_2_vision_model git_vision_model "
           "kosmos_2_vision_model idefics_vision owlvit_vision_model owlv2_vision_model",
           1, clip),
      seen("siglip_vision_model granite_docling_vision janus_vision_model", 0, clip),
      seen("idefics2_vision idefics3_vision smolvlm_vision phi4_multimodal_vision",
           {.weight = clip, .cells = true}),
      seen("groupvit_vision_model", 0, "vision_model.embeddings.position_embeddings"),
      seen("blip_vision_model blip_2_vision_model instructblip_vision_model "
           "instructblipvideo_vision_model",
           1, blip),
      seen("intern_vit_6b", 1, blip, 224, 14, 3200),
      seen("bridgetower_vision_model", 1,
           "vision_model.visual.embeddings.position_embedding.weight", 288, 16, 768),
      seen("cogvlm_vision", 1, "model.vision.patch_embedding.position_embedding.weight", 490, 14,
           1792),
      seen("chatglm_vision", 1, "transformer.vision.patch_embedding.position_embedding.weight",
           1120, 14, 1792),
      seen("step3_vision_encoder", 1, "vision_model.embeddings.position_embedding.weight", 728, 14,
           1792),
      seen("deepseek_vl_v2_vision", 0, "pos_embed", 384, 16, 1024),

      {.types = "yolos", .where = "vision", .read = read_yolos},
      {.types = "siglip2_vision_model cosmos3_edge_vision",
       .where = "vision",
       .read = read_siglip2},
      {.types = "qwen_visual", .where = "vision", .read = read_qwen_visual},
      {.types = "vivit", .where = "vision", .read = read_vivit},
      {.types = "videomae", .where = "vision", .read = read_videomae},
      {.types = "audio-spectrogram-transformer", .where = "audio", .read = read_ast},
  };
  return rows;
}

}  // namespace posenc::model
