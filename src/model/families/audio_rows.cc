// audio_rows.cc: encoders of sound by neighbours, sinusoids or buckets; sound into text and back.
#include "model/families/model_row.h"
#include "model/families/rope_config.h"
#include "model/ready.h"

namespace posenc::model {
namespace {

void read_sew_d(const Reading& reading, const ModelRow& row) {
  read_convolution(reading, row);
  if (reading.config.flag({"relative_attention"}, true, by_class))
    add_disentangled(reading, {true, "p2c|c2p", "layer_norm", true});
}

void read_whisper(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "d_model hidden_size");
  Component encoder =
      sinusoidal_table(whisper_waves(width), length_of(config, "max_source_positions"), "from 0");
  encoder.facts.emplace_back("stored_weight",
                             "model.encoder.embed_positions.weight (stored, frozen)");
  reading.add("encoder", std::move(encoder));
  reading.add("decoder", learned_table({.rows = length_of(config, "max_target_positions"),
                                        .dim = width,
                                        .weight = "model.decoder.embed_positions.weight"}));
}

// Whisper's encoder inside another model.
void read_whisper_encoder(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "d_model hidden_size");
  const int64_t rows = length_of(config, "max_source_positions max_position_embeddings");
  reading.add(sinusoidal_table(whisper_waves(width), rows, "frames, from 0"));
}

void read_qwen_audio(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "n_state", 1280);
  const int64_t rows = length_of(config, "n_ctx", 1500);
  reading.add(sinusoidal_table(whisper_waves(width), rows, "frames, from 0"));
}

// Sinusoids on both sides; padding counts on neither.
void read_speech_to_text(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t pad = count_of(config, "pad_token_id");
  Sinusoidal waves = whisper_waves(size_of(config, "d_model hidden_size"));
  waves.offset = pad + 1;
  waves.padding = pad;
  const std::string positions =
      "padding is skipped; the first has number " + text::write(waves.offset);
  for (const auto& [side, key] :
       {std::pair{"encoder", "max_source_positions"}, std::pair{"decoder", "max_target_positions"}})
    reading.add(side, sinusoidal_table(waves, length_of(config, key) + 2, positions));
}

// Cosines come first.
void read_musicgen_decoder(const Reading& reading, const ModelRow&) {
  Sinusoidal waves = whisper_waves(size_of(reading.config, "hidden_size"));
  waves.first = First::cosine;
  reading.add(
      sinusoidal_table(waves, length_of(reading.config, "max_position_embeddings"), "from 0"));
  reading.trap("cosines come before sines: most code has them the other way round");
}

// A share of each head, in neighbouring pairs, on both sides.
void read_moonshine(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "hidden_size");
  for (const auto& [side, key] : {std::pair{"encoder", "encoder_num_attention_heads"},
                                  std::pair{"decoder", "decoder_num_attention_heads"}}) {
    RopePart part{.where = side};
    part.head = head_size(config, width, size_of(config, key));
    add_rope(reading, row.rope, part);
  }
}

// Sinusoids times a learned factor where text comes in, a convolution and sinusoids where sound
// does, and Shaw's distances in the encoder.
void read_speecht5(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "hidden_size");
  reading.add("text", sinusoidal_table({.dim = width, .learned_scale = true},
                                       length_of(config, "max_text_positions"), "from 0"));
  const Reading sound{config, reading.type, "audio", reading.components};
  read_convolution(sound, row);
  const int64_t pad = count_of(config, "pad_token_id");
  Sinusoidal waves = whisper_waves(width);
  waves.offset = pad + 1;
  waves.padding = pad;
  sound.add(
      sinusoidal_table(waves, length_of(config, "max_speech_positions") + pad + 3,
                       "padding is skipped; the first frame has number " + text::write(pad + 1)));
  const int64_t longest = size_of(config, "encoder_max_relative_position");
  const Shaw shaw{.dim = head_size(config, width, size_of(config, "encoder_attention_heads")),
                  .left = longest - 1,
                  .right = longest,
                  .order = RowOrder::query_minus_key};
  reading.add(
      "encoder",
      distance_rows(shaw, {{"formula", "score += q . E[clip(i-j)]"},
                           {"weight", "encoder.wrapped_encoder.embed_positions.pe_k.weight"}}));
}

// What posenc's convolution lacks to be this one, or nothing.
std::string lacking(const Component& part) {
  const Value* activation = part.find("activation");
  if (activation && text::write(*activation) != "gelu") return "no activation but gelu";
  if (part.find("batch_norm")) return "no batch norm";
  const Value* stride = part.find("stride");
  return stride && *stride != Value(int64_t{1}) ? "no stride" : "";
}

std::string conv_weights(bool many, bool batch_norm) {
  if (many) return "encoder.pos_conv_embed.layers.N.conv.{weight,bias}";
  if (batch_norm) return "encoder.pos_conv_embed.{batch_norm,conv}.{weight,bias}";
  return "encoder.pos_conv_embed.conv.{weight_g,weight_v,bias} (or "
         "parametrizations.weight.original0/1)";
}

}  // namespace

void read_convolution(const Reading& reading, const ModelRow& given) {
  const Config& config = reading.config;
  const ConvolutionRow& row = given.convolution;
  const bool many = row.layers > 0;
  const bool batch_norm = row.batch_norm && config.flag({"conv_pos_batch_norm"}).value_or(false);
  const Convolution conv{
      .dim = size_of(config, "hidden_size"),
      .kernel =
          size_of(config, many ? "conv_pos_kernel_size" : "num_conv_pos_embeddings", row.kernel),
      .groups = size_of(config, "num_conv_pos_embedding_groups"),
      .layers = many ? size_of(config, "num_conv_pos_embeddings", row.layers) : 1,
      .weight_norm = !many,
      .layer_norm = many};
  Component out{"", "conv", {}};
  out.facts = {{"kernel", conv.kernel},
               {"groups", conv.groups},
               {"hidden", conv.dim},
               {"activation", config.text({"feat_extract_activation"}).value_or("gelu")}};
  if (many) {
    out.facts.emplace_back("layers", conv.layers);
    reading.trap("num_conv_pos_embeddings counts convolutions here, not the taps of one");
  }
  if (batch_norm) out.facts.emplace_back("batch_norm", "of the input, instead of weight norm");
  if (row.stride > 1)
    out.facts.emplace_back("stride", size_of(config, "squeeze_factor", row.stride));
  out.facts.emplace_back("weights", conv_weights(many, batch_norm));
  out.positions = "frames, by what is around them";
  if (conv.kernel % 2 == 0)
    reading.trap("an even kernel pads by half on both sides, and the last frame is cut off");
  if (const std::string what = lacking(out); what.empty())
    set_ready(out, conv);
  else
    out.facts.emplace_back("note", "posenc's convolution has " + what);
  reading.add(std::move(out));
}

std::span<const ModelRow> audio_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "wavlm",
       .where = "audio",
       .convolution = {.kernel = 128},
       .bias = {.weight = "encoder.layers.0.attention.rel_attn_embed.weight",
                .bucket_key = "num_buckets",
                .distance_key = "max_bucket_distance",
                .gated = true}},
      {.types = "sew-d",
       .where = "audio",
       .convolution = {.kernel = 128, .stride = 2},
       .read = read_sew_d},
      {.types = "whisper", .read = read_whisper},
      {.types = "qwen2_audio_encoder qwen2_5_omni_audio_encoder qwen3_omni_moe_audio_encoder "
                "qwen3_asr_encoder voxtral_encoder audioflamingo3_encoder",
       .where = "audio",
       .read = read_whisper_encoder},
      {.types = "qwen_audio", .where = "audio", .read = read_qwen_audio},
      {.types = "speech_to_text", .read = read_speech_to_text},
      {.types = "musicgen_decoder musicgen_melody_decoder",
       .where = "decoder",
       .read = read_musicgen_decoder},
      {.types = "moonshine", .rope = {.layout = Layout::interleaved}, .read = read_moonshine},
      {.types = "speecht5", .convolution = {.kernel = 128}, .read = read_speecht5},
      {.types = "wav2vec2 unispeech unispeech-sat",
       .where = "audio",
       .convolution = {.kernel = 128}},
      {.types = "hubert", .where = "audio", .convolution = {.kernel = 128, .batch_norm = true}},
      {.types = "sew", .where = "audio", .convolution = {.kernel = 128, .stride = 2}},
      {.types = "data2vec-audio", .where = "audio", .convolution = {.kernel = 19, .layers = 5}},
  };
  return rows;
}

}  // namespace posenc::model
