// audio_families.cc: encoders of sound, and what turns sound into text and back.
#include <tuple>

#include "model/families/parts.h"

namespace posenc::model {
namespace {

// A grouped convolution over the frames, added to them.
struct ConvRow {
  std::string_view types;
  int64_t kernel;
  int64_t layers;  // 0: one, whose kernel the key gives; otherwise the key gives their number
};
constexpr ConvRow convs[] = {
    {"wav2vec2 hubert unispeech unispeech-sat sew", 128, 0},
    {"data2vec-audio", 19, 5},
};

void add_conv(const Reading& reading, const ConvRow& row) {
  const Config& config = reading.config;
  Component out{"", "conv", {}};
  const bool many = row.layers > 0;
  const int64_t kernel = many ? size_of(config, "conv_pos_kernel_size", row.kernel)
                              : size_of(config, "num_conv_pos_embeddings", row.kernel);
  out.facts = {{"kernel", kernel},
               {"groups", size_of(config, "num_conv_pos_embedding_groups", 16)},
               {"hidden", size_of(config, "hidden_size", 768)},
               {"activation", "gelu"}};
  if (many) {
    out.facts.emplace_back("layers", size_of(config, "num_conv_pos_embeddings", row.layers));
    reading.trap("num_conv_pos_embeddings counts convolutions here, not the taps of one");
  }
  out.facts.emplace_back("weights",
                         many ? "encoder.pos_conv_embed.layers.N.conv.{weight,bias}"
                              : "encoder.pos_conv_embed.conv.{weight_g,weight_v,bias} (or "
                                "parametrizations.weight.original0/1)");
  out.positions = "frames, by what lies around them";
  if (!many && kernel % 2 == 0)
    reading.trap("an even kernel pads by half on both sides, and the last frame is cut off");
  reading.add(std::move(out));
}

void read_conv(const Reading& outer) { add_conv(named(outer, "audio"), row_of(convs, outer.type)); }

void read_wavlm(const Reading& outer) {
  const Reading reading = named(outer, "audio");
  add_conv(reading, convs[0]);
  const Config& config = reading.config;
  const T5Bias bias{.heads = size_of(config, "num_attention_heads", 12),
                    .buckets = size_of(config, "num_buckets", 320),
                    .max_distance = size_of(config, "max_bucket_distance", 800)};
  Component out = bucket_bias(bias, "encoder.layers.0.attention.rel_attn_embed.weight");
  out.facts.emplace_back("gated", "gru_rel_pos gate per query");
  reading.trap(
      "the bias is multiplied by a gate of each query and head (gru_rel_pos) before it is "
      "added; the table is layer 0's, the gates are each layer's own");
  reading.add(std::move(out));
}

void read_sew_d(const Reading& outer) {
  const Reading reading = named(outer, "audio");
  add_conv(reading, convs[0]);
  if (reading.config.flag({"relative_attention"}, true, "the default of its class"))
    add_disentangled(reading, true);
}

void read_whisper(const Reading& reading) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "d_model hidden_size", 384);
  Component encoder = sinusoidal_table(whisper_waves(width),
                                       length_of(config, "max_source_positions", 1500), "from 0");
  encoder.where = "encoder";
  encoder.facts.emplace_back("stored_weight",
                             "model.encoder.embed_positions.weight (stored, frozen)");
  reading.add(std::move(encoder));
  Table table{length_of(config, "max_target_positions", 448), width};
  table.weight = "model.decoder.embed_positions.weight";
  Component decoder = learned_table(table);
  decoder.where = "decoder";
  reading.add(std::move(decoder));
}

// Whisper's encoder inside another model.
void read_whisper_encoder(const Reading& outer) {
  const Reading reading = named(outer, "audio");
  const Config& config = reading.config;
  const bool chunks = reading.type == "qwen3_asr_encoder";
  reading.add(sinusoidal_table(
      whisper_waves(size_of(config, "d_model hidden_size", chunks ? 1024 : 1280)),
      length_of(config, "max_source_positions max_position_embeddings", chunks ? 13 : 1500),
      "frames, from 0"));
}

// Sinusoids on both sides; padding counts on neither.
void read_speech_to_text(const Reading& reading) {
  const Config& config = reading.config;
  const int64_t pad = count_of(config, "pad_token_id", 1);
  Sinusoidal waves = whisper_waves(size_of(config, "d_model hidden_size", 256));
  waves.offset = pad + 1;
  waves.padding = pad;
  const std::string positions =
      "padding is skipped; the first has number " + text::write(waves.offset);
  for (const auto& [side, key, length] :
       {std::tuple{"encoder", "max_source_positions", int64_t{6000}},
        std::tuple{"decoder", "max_target_positions", int64_t{1024}}}) {
    Component out = sinusoidal_table(waves, length_of(config, key, length) + 2, positions);
    out.where = side;
    reading.add(std::move(out));
  }
}

// Cosines come first.
void read_musicgen(const Reading& outer) {
  const Reading reading = named(outer, "decoder");
  Sinusoidal waves = whisper_waves(size_of(reading.config, "hidden_size", 1024));
  waves.first = First::cosine;
  reading.add(sinusoidal_table(waves, length_of(reading.config, "max_position_embeddings", 2048),
                               "from 0"));
  reading.trap("cosines come before sines: most code has them the other way round");
}

// A share of each head, in neighbouring pairs, on both sides.
void read_moonshine(const Reading& reading) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "hidden_size", 288);
  const double base = plain_base(config, 10000);
  const auto inside = config.inside({"rope_parameters", "rope_scaling"});
  const bool nested = inside && inside->has("partial_rotary_factor");
  const double share = positive_of(nested ? *inside : config, "partial_rotary_factor", 0.9);
  for (const auto& [side, key] : {std::pair{"encoder", "encoder_num_attention_heads"},
                                  std::pair{"decoder", "decoder_num_attention_heads"}}) {
    const int64_t dim = head_size(config, width, size_of(config, key, 8));
    const Rope rope{.dim = dim,
                    .layout = Layout::interleaved,
                    .base = base,
                    .rotary_dim = static_cast<int64_t>(static_cast<double>(dim) * share)};
    Component out{side, "rope", {}};
    out.facts = {{"layout", "interleaved"},
                 {"head_dim", dim},
                 {"rotary_dim", *rope.rotary_dim},
                 {"rotated_part", "first"},
                 {"base", base},
                 {"scaling.type", "default"},
                 {"max_position", length_of(config, "max_position_embeddings", 512)}};
    out.positions = "from 0";
    reading.add(with_scheme(out, rope));
  }
}

// Sinusoids times a learned factor where text comes in, a convolution and sinusoids where sound
// does, and Shaw's distances in the encoder.
void read_speecht5(const Reading& reading) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "hidden_size", 768);
  Component text = sinusoidal_table({.dim = width, .learned_scale = true},
                                    length_of(config, "max_text_positions", 450), "from 0");
  text.where = "text";
  reading.add(std::move(text));
  const Reading sound{config, reading.type, "audio", reading.components};
  add_conv(sound, convs[0]);
  const int64_t pad = count_of(config, "pad_token_id", 1);
  Sinusoidal waves = whisper_waves(width);
  waves.offset = pad + 1;
  waves.padding = pad;
  sound.add(
      sinusoidal_table(waves, length_of(config, "max_speech_positions", 4000) + pad + 1,
                       "padding is skipped; the first frame has number " + text::write(pad + 1)));
  const int64_t longest = size_of(config, "encoder_max_relative_position", 160);
  const Shaw shaw{.dim = head_size(config, width, size_of(config, "encoder_attention_heads", 12)),
                  .left = longest - 1,
                  .right = longest,
                  .order = RowOrder::query_minus_key};
  Component out{"encoder", "shaw", {}};
  out.facts = {{"clip_left", shaw.left},
               {"clip_right", shaw.right},
               {"rows", shaw.rows()},
               {"dim", shaw.dim},
               {"formula", "score += q . E[clip(i-j)]"},
               {"weight", "encoder.wrapped_encoder.embed_positions.pe_k.weight"}};
  out.positions = "distances between tokens";
  reading.add(with_scheme(out, shaw));
}

}  // namespace

std::span<const Family> audio_families() {
  static const auto all =
      joined(families_of(convs, read_conv), conformer_list(),
             std::vector<Family>{
                 {"wavlm", read_wavlm},
                 {"sew-d", read_sew_d},
                 {"whisper", read_whisper},
                 {"qwen2_audio_encoder qwen2_5_omni_audio_encoder qwen3_omni_moe_audio_encoder "
                  "qwen3_asr_encoder voxtral_encoder audioflamingo3_encoder",
                  read_whisper_encoder},
                 {"speech_to_text", read_speech_to_text},
                 {"musicgen_decoder musicgen_melody_decoder", read_musicgen},
                 {"moonshine", read_moonshine},
                 {"speecht5", read_speecht5}});
  return all;
}

}  // namespace posenc::model
