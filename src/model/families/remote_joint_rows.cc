// remote_joint_rows.cc: models of several parts whose code comes with their weights.
#include "model/families/joint.h"

namespace posenc::model {
namespace {

// The text's keys are those of the whole.
void read_flat(const Reading& reading, std::string_view type) {
  if (reading.config.has({"text_config", "llm_config", "language_config"}))
    return read_joint_text(reading, type, false);
  read_part({reading.config, std::string(type), "text", reading.components});
}

void read_inside_as(const Reading& reading, std::string_view key, std::string_view where,
                    std::string_view type) {
  const auto inside = reading.config.inside({key});
  if (inside) read_part({*inside, std::string(type), std::string(where), reading.components});
}

// MiniCPM-V and MiniCPM-o: the version says whose text it is, and all of them turn as Llama does.
void read_minicpmv(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  read_flat(reading, "minicpmv:text");
  read_inside_as(reading, "vision_config", "vision", "idefics2_vision");
  if (const auto name = config.text({"vision_encoder"}))
    reading.add({"vision", "unknown", {{"model", *name}}});
  if (config.flag({"init_audio"}).value_or(true))
    read_inside_as(reading, "audio_config", "audio", "qwen2_audio_encoder");
  Component out{"resampler", "sinusoidal-2d", {{"added_to", "keys of the resampler"}}};
  out.positions = "two coordinates: row and column of the patch";
  reading.add(std::move(out));
}

// Qwen3's text with pictures as PaddleOCR-VL reads them.
void read_keye(const Reading& reading, const ModelRow&) {
  read_flat(reading, "keye:text");
  read_inside_as(reading, "vision_config", "vision", "paddleocr_vl_vision");
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

void read_qwen_audio(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  reading.add(sinusoidal_table(whisper_waves(size_of(config, "n_state", 1280)),
                               length_of(config, "n_ctx", 1500), "frames, from 0"));
}

}  // namespace

std::span<const ModelRow> remote_joint_rows() {
  static constexpr ModelRow rows[] = {{.types = "minicpmv minicpmo", .read = read_minicpmv},
                                      {.types = "Keye KeyeVL1_5", .read = read_keye}};
  return rows;
}

std::span<const ModelRow> remote_part_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "qwen_visual", .where = "vision", .read = read_qwen_visual},
      {.types = "qwen_audio", .where = "audio", .read = read_qwen_audio}};
  return rows;
}

}  // namespace posenc::model
