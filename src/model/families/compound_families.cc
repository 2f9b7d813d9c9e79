// compound_families.cc: models made of others in ways of their own.
#include "model/families/joint.h"

namespace posenc::model {
namespace {

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
  read_joint_text(reading, "clap_text_model", false);
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
  if (const auto talker = reading.config.inside({"talker_config"})) {
    const Reading inside{*talker, reading.type, "talker", reading.components};
    if (third)
      read_beside(inside, {"text_config"}, "talker", "qwen3_omni_moe_talker_text");
    else
      read_beside(reading, {"talker_config"}, "talker", "qwen2_5_omni_talker");
    add_time_rate(inside, *talker, "position_id_per_seconds", 25);
    read_beside(inside, {"code_predictor_config"}, "talker, codes",
                "qwen3_omni_moe_talker_code_predictor");
  }
  read_more(reading);
}

void read_musicgen(const Reading& reading) {
  for (const char* key : {"text_encoder", "audio_encoder", "decoder"})
    if (!reading.config.has(key))
      fail(ErrorKind::data, "read", "expected ", key, " in a model of type ", reading.type,
           ", got none");
  read_beside(reading, {"text_encoder"}, "text encoder", "t5");
  read_beside(reading, {"audio_encoder"}, "audio encoder", "encodec");
  read_beside(reading, {"decoder"}, "decoder", "musicgen_decoder", "decoder.");
}

// Pictures with points and boxes, whose coordinates become random Fourier features.
void read_sam_prompts(const Reading& reading) {
  const bool better = reading.type == "sam_hq";
  read_beside(reading, {"vision_config"}, "vision",
              better ? "sam_hq_vision_model" : "sam_vision_model");
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

std::vector<Family> compound_list() {
  return {{"vision-encoder-decoder speech-encoder-decoder encoder-decoder nougat", read_two_sides},
          {"clap", read_clap},
          {"qwen2_5_omni qwen3_omni_moe", read_omni},
          {"musicgen musicgen_melody", read_musicgen},
          {"sam sam_hq", read_sam_prompts},
          {"depth_anything prompt_depth_anything zoedepth upernet vitpose vitmatte parakeet_ctc "
           "parakeet_rnnt parakeet_tdt",
           read_backbone}};
}

}  // namespace posenc::model
