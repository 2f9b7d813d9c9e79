// joint_families.cc: models made of several, each with a configuration inside the whole one.
#include "model/families/parts.h"
#include "model/text.h"

namespace posenc::model {
namespace {

// What to call parts whose configuration says nothing, or the name of the whole.
struct Joint {
  std::string_view types, text, vision, audio;
  bool flat = false;             // keys of the text may stand at the top
  std::string_view prefix = "";  // of the picture encoder's weights
};

constexpr std::string_view tower = "vision_tower.";

constexpr Joint joints[] = {
    {"clip", "clip_text_model", "clip_vision_model", ""},
    {"clipseg", "clipseg_text_model", "clipseg_vision_model", ""},
    {"chinese_clip", "chinese_clip_text_model", "chinese_clip_vision_model", ""},
    {"altclip", "altclip_text_model", "altclip_vision_model", ""},
    {"metaclip_2", "metaclip_2_text_model", "metaclip_2_vision_model", ""},
    {"xclip", "xclip_text_model", "xclip_vision_model", ""},
    {"siglip", "siglip_text_model", "siglip_vision_model", ""},
    {"siglip2", "siglip2_text_model", "siglip2_vision_model", ""},
    {"aimv2", "aimv2_text_model", "aimv2_vision_model", ""},
    {"align", "align_text_model", "align_vision_model", ""},
    {"groupvit", "groupvit_text_model", "groupvit_vision_model", ""},
    {"owlvit", "owlvit_text_model", "owlvit_vision_model", ""},
    {"owlv2", "owlv2_text_model", "owlv2_vision_model", ""},
    {"bridgetower", "bridgetower_text_model", "bridgetower_vision_model", ""},
    {"flava", "flava_text_model", "flava_image_model", ""},
    {"vision-text-dual-encoder", "", "", ""},
    {"blip", "blip_text_model", "blip_vision_model", ""},
    {"blip-2", "opt", "blip_2_vision_model", ""},
    {"instructblip", "opt", "instructblip_vision_model", ""},
    {"instructblipvideo", "opt", "instructblipvideo_vision_model", ""},
    {"git", "git_text_model", "git_vision_model", "", true},
    {"pix2struct", "pix2struct_text_model", "pix2struct_vision_model", ""},
    {"kosmos-2", "kosmos_2_text_model", "kosmos_2_vision_model", ""},
    {"llava llava_next llava_next_video vipllava video_llava llava_llama", "llama",
     "clip_vision_model", "", true, tower},
    {"llava_mistral", "mistral", "clip_vision_model", "", true, tower},
    {"llava_onevision llava_qwen", "qwen2", "siglip_vision_model", "", true, tower},
    {"paligemma", "gemma", "siglip_vision_model", "", false, tower},
    {"colpali", "gemma", "siglip_vision_model", "", false, tower},
    {"gemma3 shieldgemma2", "gemma3_text", "siglip_vision_model", "", false, tower},
    {"gemma3n", "gemma3n_text", "gemma3n_vision", "gemma3n_audio", false, tower},
    {"gemma4", "gemma4_text", "gemma4_vision", "gemma4_audio", false, tower},
    {"mistral3 ministral3 lighton_ocr", "mistral", "pixtral", "", false, tower},
    {"mllama", "mllama_text_model", "mllama_vision_model", ""},
    {"llama4", "llama4_text", "llama4_vision_model", ""},
    {"internvl", "qwen2", "internvl_vision", ""},
    {"internvl_chat", "", "intern_vit_6b", ""},
    {"idefics", "llama", "idefics_vision", "", true},
    {"idefics2", "mistral", "idefics2_vision", ""},
    {"idefics3", "llama", "idefics3_vision", ""},
    {"smolvlm", "llama", "smolvlm_vision", ""},
    {"aya_vision cohere2_vision", "cohere2", "siglip_vision_model", "", false, tower},
    {"lfm2_vl", "lfm2", "siglip2_vision_model", "", false, tower},
    {"janus deepseek_vl multi_modality", "llama", "janus_vision_model", ""},
    {"ovis2", "qwen2", "", ""},
    {"got_ocr2", "qwen2", "", ""},
    {"fuyu", "persimmon", "", "", true},
    {"kimi_k25 kimi_vl", "deepseek_v3", "kimi_k25_vision", ""},
    {"deepseek_vl_v2", "deepseek_v2", "", ""},
    {"qwen2_vl", "qwen2_vl_text", "qwen2_vl_vision", "", true},
    {"qwen2_5_vl", "qwen2_5_vl_text", "qwen2_5_vl_vision", "", true},
    {"qwen3_vl", "qwen3_vl_text", "qwen3_vl_vision", ""},
    {"qwen3_vl_moe", "qwen3_vl_moe_text", "qwen3_vl_moe_vision", ""},
    {"qwen3_5", "qwen3_5_text", "qwen3_5_vision", ""},
    {"qwen3_5_moe", "qwen3_5_moe_text", "qwen3_5_moe_vision", ""},
    {"qwen2_5_omni_thinker", "qwen2_5_omni_text", "qwen2_5_omni_vision_encoder",
     "qwen2_5_omni_audio_encoder"},
    {"qwen3_omni_moe_thinker", "qwen3_omni_moe_text", "qwen3_omni_moe_vision_encoder",
     "qwen3_omni_moe_audio_encoder"},
    {"glm4v glm46v", "glm4v_text", "glm4v_vision", "", true},
    {"glm4v_moe", "glm4v_moe_text", "glm4v_moe_vision", "", true},
    {"glm_ocr", "glm_ocr_text", "glm_ocr_vision", ""},
    {"paddleocr_vl", "paddleocr_vl_text", "paddleocr_vl_vision", "", true},
    {"qwen2_audio", "qwen2", "", "qwen2_audio_encoder"},
    {"qwen3_asr", "qwen3", "", "qwen3_asr_encoder"},
    {"voxtral", "llama", "", "voxtral_encoder"},
    {"audioflamingo3", "qwen2", "", "audioflamingo3_encoder"},
};

std::string said_type(const Config& config) { return config.text({"model_type"}).value_or(""); }

// Puts the name of the part before the names of its weights.
void prefix_weights(const Reading& reading, size_t first, std::string_view prefix) {
  for (size_t i = first; i < reading.components.size(); ++i)
    for (auto& [name, value] : reading.components[i].facts)
      if (auto* weight = std::get_if<std::string>(&value); weight && name == "weight")
        weight->insert(0, prefix);
}

// What a part beside the text is. The name of a whole model stands for its picture encoder, as
// "siglip" does.
std::string type_beside(const Reading& outer, const Config& inside, std::string_view otherwise) {
  const std::string type = said_type(inside);
  if (type.empty() || type == outer.type) return std::string(otherwise);
  const bool whole = inside.has({"text_config", "llm_config", "language_config"});
  for (const Joint& row : joints)
    if (!whole && is_among(row.types, type)) return std::string(row.vision);
  return type;
}

// A part beside the text: where no rule covers it, that is what is told of it.
void read_beside(const Reading& outer, Config::Names keys, std::string_view where,
                 std::string_view otherwise, std::string_view prefix = "") {
  const auto inside = outer.config.inside(keys);
  if (!inside) return;
  const std::string type = type_beside(outer, *inside, otherwise);
  const size_t first = outer.components.size();
  const Reading part{*inside, type, std::string(where), outer.components};
  if (is_known(type)) {
    read_part(part);
    return prefix_weights(outer, first, prefix);
  }
  outer.config.journal().note(
      NoteKind::ignored, std::string(where),
      inside->path() + "model_type " + files::in_quotes(type) + ": no rule covers this part");
  part.add({"", "unknown", {{"model_type", type}}});
}

void read_text(const Reading& reading, std::string_view otherwise, bool flat) {
  const Config& config = reading.config;
  const auto inside = config.inside({"text_config", "llm_config", "language_config"});
  if (!inside && flat)
    return read_part({config, std::string(otherwise), "text", reading.components});
  if (!inside)
    fail(ErrorKind::data, "read", "expected text_config in a model of type ", reading.type,
         ", got none");
  const bool says = inside->has({"model_type", "architectures"});
  std::string type = says ? type_of_config(*inside) : "";
  if (type.empty()) type = otherwise;
  read_part({*inside, std::move(type), "text", reading.components});
}

void read_joint(const Reading& reading) {
  const Joint& row = row_of(joints, reading.type);
  const Config& config = reading.config;
  read_text(reading, row.text, row.flat);
  if (reading.type == "deepseek_vl_v2")
    config.ignore({"vision_config"}, "only the text of these models is described");
  else
    read_beside(reading, {"vision_config", "image_config"}, "vision", row.vision, row.prefix);
  read_beside(reading, {"audio_config"}, "audio", row.audio);
  if (reading.type.starts_with("instructblip"))
    read_beside(reading, {"qformer_config"}, "qformer", "instructblip_qformer", "qformer.");
  if (const auto name = config.text({"mm_vision_tower"}))
    reading.add({"vision", "unknown", {{"model", *name}}});
}

// Both sides have a configuration with a name of its own.
void read_two_sides(const Reading& reading) {
  for (const char* side : {"encoder", "decoder"}) {
    const size_t first = reading.components.size();
    if (!read_inside(reading, {side}, side))
      fail(ErrorKind::data, "read", "expected ", side, " in a model of type ", reading.type,
           ", got none");
    prefix_weights(reading, first, std::string(side) + ".");
  }
}

void read_clap(const Reading& reading) {
  read_beside(reading, {"audio_config"}, "audio", "clap_audio_model");
  read_text(reading, "clap_text_model", false);
}

// What thinks reads text, pictures and sound; what talks follows it.
void read_omni(const Reading& reading) {
  const bool third = reading.type == "qwen3_omni_moe";
  const auto thinker = reading.config.inside({"thinker_config"});
  if (!thinker)
    fail(ErrorKind::data, "read", "expected thinker_config in a model of type ", reading.type,
         ", got none");
  read_part({*thinker, third ? "qwen3_omni_moe_thinker" : "qwen2_5_omni_thinker", "text",
             reading.components});
  const auto talker = reading.config.inside({"talker_config"});
  if (!talker) return;
  if (third)
    read_beside({*talker, reading.type, "talker", reading.components}, {"text_config"}, "talker",
                "qwen3_omni_moe_talker_text");
  else
    read_beside(reading, {"talker_config"}, "talker", "qwen2_5_omni_talker");
}

void read_musicgen(const Reading& reading) {
  read_beside(reading, {"text_encoder"}, "text encoder", "t5");
  read_beside(reading, {"audio_encoder"}, "audio encoder", "encodec");
  read_beside(reading, {"decoder"}, "decoder", "musicgen_decoder", "decoder.");
}

// Pictures with points and boxes, whose coordinates become random Fourier features.
void read_sam(const Reading& reading) {
  const bool better = reading.type == "sam_hq";
  read_beside(reading, {"vision_config"}, "vision",
              better ? "sam_hq_vision_model" : "sam_vision_model");
  reading.add({"prompts",
               "gaussian",
               {{"num_pos_feats", int64_t{128}},
                {"formula", "[sin(2 pi c W) | cos(2 pi c W)], c = 2 (x, y) - 1"},
                {"weight", "shared_image_embedding.positional_embedding"}}});
}

// An encoder of pictures or sounds, with nothing after it that knows positions.
void read_backbone(const Reading& reading) {
  if (!reading.config.has({"backbone_config", "encoder_config"}))
    fail(ErrorKind::data, "read", "expected backbone_config in a model of type ", reading.type,
         ", got none");
  const bool sound = reading.type.starts_with("parakeet");
  read_beside(reading, {"backbone_config", "encoder_config"}, sound ? "audio" : "vision",
              sound ? "parakeet_encoder" : "dinov2", sound ? "encoder." : "backbone.");
}

}  // namespace

void read_unnamed_joint(const Reading& reading) {
  const Config& config = reading.config;
  config.journal().note(NoteKind::assumed, "",
                        "no rule covers model_type " + files::in_quotes(reading.type) +
                            " as a whole: each part is read by its own");
  read_text(reading, "", false);
  read_beside(reading, {"vision_config", "image_config"}, "vision", "");
  read_beside(reading, {"audio_config"}, "audio", "");
}

std::span<const Family> joint_families() {
  static const auto all = joined(
      families_of(joints, read_joint),
      std::vector<Family>{
          {"vision-encoder-decoder speech-encoder-decoder encoder-decoder nougat", read_two_sides},
          {"clap", read_clap},
          {"qwen2_5_omni qwen3_omni_moe", read_omni},
          {"musicgen musicgen_melody", read_musicgen},
          {"sam sam_hq", read_sam},
          {"depth_anything prompt_depth_anything zoedepth upernet vitpose vitmatte parakeet_ctc "
           "parakeet_rnnt parakeet_tdt",
           read_backbone}});
  return all;
}

}  // namespace posenc::model
