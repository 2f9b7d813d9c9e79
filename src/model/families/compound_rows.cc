// compound_rows.cc: models of several with readers of their own.
#include "model/families/model_row.h"

namespace posenc::model {
namespace {

// Both sides have a configuration with a name of its own.
void read_two_sides(const Reading& reading, const ModelRow&) {
  for (const char* side : {"encoder", "decoder"}) {
    const size_t first = reading.components.size();
    if (!read_inside(reading, {side}, side)) reading.lacks(side);
    prefix_weights(reading, first, std::string(side) + ".");
  }
}

void read_clap(const Reading& reading, const ModelRow&) {
  read_beside(reading, {"audio_config"}, "audio", "clap_audio_model");
  read_joint_text(reading, "clap_text_model", false);
}

// What thinks reads text, pictures and sound; what talks follows it.
std::optional<Config> read_thinker(const Reading& reading, const ModelRow& row) {
  const auto thinker = reading.config.inside({"thinker_config"});
  if (!thinker) reading.lacks("thinker_config");
  read_part({*thinker, std::string(row.joint.text), "text", reading.components});
  return reading.config.inside({"talker_config"});
}

void add_talker_rate(const Reading& talker) {
  add_time_rate(talker, talker.config, "position_id_per_seconds", 25);
  read_beside(talker, {"code_predictor_config"}, "talker, codes",
              "qwen3_omni_moe_talker_code_predictor");
}

void read_qwen2_5_omni(const Reading& reading, const ModelRow& row) {
  const auto talker = read_thinker(reading, row);
  if (!talker) return;
  read_beside(reading, {"talker_config"}, "talker", "qwen2_5_omni_talker");
  add_talker_rate({*talker, reading.type, "talker", reading.components});
}

void read_qwen3_omni(const Reading& reading, const ModelRow& row) {
  const auto talker = read_thinker(reading, row);
  if (!talker) return;
  const Reading inside{*talker, reading.type, "talker", reading.components};
  read_beside(inside, {"text_config"}, "talker", "qwen3_omni_moe_talker_text");
  add_talker_rate(inside);
}

void read_musicgen(const Reading& reading, const ModelRow&) {
  for (const char* key : {"text_encoder", "audio_encoder", "decoder"})
    if (!reading.config.has(key)) reading.lacks(key);
  read_beside(reading, {"text_encoder"}, "text encoder", "t5");
  read_beside(reading, {"audio_encoder"}, "audio encoder", "encodec");
  read_beside(reading, {"decoder"}, "decoder", "musicgen_decoder", "decoder.");
}

// Pictures with points and boxes, whose coordinates become random Fourier features.
void read_sam_prompts(const Reading& reading, const ModelRow& row) {
  read_beside(reading, {"vision_config"}, "vision", row.joint.vision);
  const auto vision = reading.config.inside({"vision_config"});
  const int64_t features = vision ? size_of(*vision, "num_pos_feats", 128) : 128;
  Component out{"prompts",
                "gaussian",
                {{"num_pos_feats", features},
                 {"formula", "[sin(2 pi c W) | cos(2 pi c W)], c = 2 (x, y) - 1"},
                 {"weight", "shared_image_embedding.positional_embedding"}}};
  out.positions = "points and corners of boxes, from 0 to 1 of the picture";
  reading.add(with_scheme(out, Gaussian{.features = features}));
}

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

}  // namespace

std::span<const ModelRow> compound_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "vision-encoder-decoder speech-encoder-decoder encoder-decoder nougat",
       .read = read_two_sides},
      {.types = "clap", .read = read_clap},
      {.types = "qwen2_5_omni",
       .read = read_qwen2_5_omni,
       .joint = {.text = "qwen2_5_omni_thinker"},
       .sub_configs = {{"token2wav_config", "waves", "qwen2_5_omni_token2wav"}}},
      {.types = "qwen3_omni_moe",
       .read = read_qwen3_omni,
       .joint = {.text = "qwen3_omni_moe_thinker"},
       .sub_configs = {{"code2wav_config", "waves", "code2wav"}}},
      {.types = "musicgen musicgen_melody", .read = read_musicgen},
      {.types = "sam", .read = read_sam_prompts, .joint = {.vision = "sam_vision_model"}},
      {.types = "sam_hq", .read = read_sam_prompts, .joint = {.vision = "sam_hq_vision_model"}},
      {.types = "minicpmv minicpmo", .read = read_minicpmv},
      {.types = "Keye KeyeVL1_5", .read = read_keye},
  };
  return rows;
}

}  // namespace posenc::model
