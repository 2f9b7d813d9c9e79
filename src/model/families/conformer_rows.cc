// conformer_rows.cc: encoders of sound whose attention knows distances between frames.
#include "model/families/model_row.h"

namespace posenc::model {
namespace {

// What the attention of a conformer knows.
struct Conformer {
  int64_t width, heads;
  std::string kind;
};

void add_turn(const Reading& reading, const Conformer& c) {
  const Config& config = reading.config;
  const int64_t dim = head_size(config, c.width, c.heads);
  const double base = positive_of(config, "rotary_embedding_base");
  Component out = described("rope",
                            {{"layout", "half"},
                             {"head_dim", dim},
                             {"rotary_dim", dim},
                             {"rotated_part", "first"},
                             {"base", base},
                             {"scaling.type", "default"},
                             {"max_position", length_of(config, "max_source_positions")},
                             {"applied_to", "hidden states BEFORE the q/k projections"}},
                            "frames, from 0");
  reading.trap("hidden states are rotated before the projections to queries and keys, not after");
  reading.add(with_scheme(out, Rope{.dim = dim, .layout = Layout::half, .base = base}));
}

constexpr std::string_view in_turn = "sin and cos in turn, base 10000, over the width";

TransformerXl recurrent(const Config& config, int64_t width, int64_t heads) {
  TransformerXl out{.dim = head_size(config, width, heads), .heads = heads};
  out.sinusoids = {.dim = width};
  return out;
}

Component by_frames(const TransformerXl& scheme, std::string_view order, Facts more) {
  return recurrent_terms(scheme, order, std::move(more), "distances between frames");
}

void add_distances(const Reading& reading, const Conformer& c) {
  const Config& config = reading.config;
  const Shaw shaw{.dim = head_size(config, c.width, c.heads),
                  .left = size_of(config, "left_max_position_embeddings"),
                  .right = size_of(config, "right_max_position_embeddings")};
  reading.add(distance_rows(shaw,
                            {{"formula", "score += q . E[clip(j-i)] / sqrt(d_head)"},
                             {"weight", "self_attn.distance_embedding.weight"}},
                            "distances between frames"));
}

void add_conformer(const Reading& reading, const Conformer& c) {
  if (c.kind == "rotary") return add_turn(reading, c);
  if (c.kind == "relative") {
    const TransformerXl scheme = recurrent(reading.config, c.width, c.heads);
    return reading.add(
        by_frames(scheme, in_turn,
                  {{"weights", "self_attn.{linear_pos.weight,pos_bias_u,pos_bias_v}"},
                   {"distances", "T-1 .. -(T-1)"}}));
  }
  if (c.kind == "relative_key") return add_distances(reading, c);
  reading.config.fail("position_embeddings_type rotary, relative or relative_key, got ", c.kind);
}

void add_wav2vec2(const Reading& reading, const char* class_kind) {
  const Config& config = reading.config;
  const Json* kind = config.json().find("position_embeddings_type");
  const std::string said = config.text({"position_embeddings_type"}).value_or(class_kind);
  config.ignore({"num_conv_pos_embeddings", "num_conv_pos_embedding_groups"},
                "the code creates this convolution but never calls it");
  if (!kind) config.assume("position_embeddings_type", said, by_class);
  add_conformer(reading,
                {size_of(config, "hidden_size"), size_of(config, "num_attention_heads"), said});
  if (said != "rotary") config.ignore({"rotary_embedding_base"}, "nothing is rotated");
  config.pass({"max_source_positions"});
}
void read_wav2vec2_conformer(const Reading& reading, const ModelRow&) {
  add_wav2vec2(reading, "relative");
}
void read_wav2vec2_bert(const Reading& reading, const ModelRow&) {
  add_wav2vec2(reading, "relative_key");
}

// A conformer for speech; sinusoids for text on both sides.
template <bool second>
void read_seamless(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "hidden_size");
  const std::string said =
      config.text({"position_embeddings_type"}).value_or(second ? "relative_key" : "relative");
  add_conformer({config, reading.type, "speech encoder", reading.components},
                {width, size_of(config, "speech_encoder_attention_heads"), said});
  const int64_t pad = count_of(config, "pad_token_id");
  const int64_t length = length_of(config, "max_position_embeddings");
  // Those with a learned factor are handed no ids, from which to know padding.
  const auto add = [&](const char* side, int64_t rows, int64_t padding, bool scaled) {
    Sinusoidal waves = whisper_waves(width);
    waves.offset = padding + 1;
    waves.learned_scale = scaled;
    if (!scaled) waves.padding = padding;
    reading.add(
        side, sinusoidal_table(waves, rows + 2,
                               (scaled ? "padding counts" : "padding is skipped") +
                                   ("; the first token has number " + text::write(waves.offset))));
  };
  for (const char* side : {"text encoder", "text decoder"}) add(side, length, pad, false);
  const int64_t unit_length = length_of(config, "t2u_max_position_embeddings");
  const int64_t unit_pad = count_of(config, "t2u_pad_token_id");
  if (second) add("characters", unit_length, unit_pad, true);
  add("unit decoder", unit_length, unit_pad, second);
}

// Conformers that know distances only.
void read_parakeet(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  config.pass({"max_position_embeddings"});
  const int64_t width = size_of(config, "hidden_size");
  const int64_t heads = size_of(config, "num_attention_heads");
  Component out = by_frames(recurrent(config, width, heads), in_turn,
                            {{"weights", "self_attn.{relative_k_proj.weight,bias_u,bias_v}"}});
  if (const int64_t window = row.window.size; window > 0) {
    out.facts.emplace_back("window", size_of(config, "sliding_window", window));
    out.facts.emplace_back("lookahead", count_of(config, "default_num_lookahead_tokens"));
  }
  reading.add(std::move(out));
}

// Gemma's: no biases, and frequencies that end at 1/10000.
void add_gemma_audio(const Reading& reading, std::string weight) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "hidden_size");
  const int64_t heads = size_of(config, "conf_num_attention_heads num_attention_heads");
  TransformerXl scheme = recurrent(config, width, heads);
  scheme.sinusoids.rule = TimescalesRule{};
  scheme.sinusoids.order = Order::halves;
  scheme.biases = false;
  Component out = by_frames(scheme, "sin block then cos block, 10000^(-i/(d/2-1)), over the width",
                            {{"weights", std::move(weight)}});
  out.facts.emplace_back("context_left",
                         size_of(config, "conf_attention_context_left attention_context_left"));
  reading.add(std::move(out));
}

void read_gemma3n_audio(const Reading& reading, const ModelRow&) {
  add_gemma_audio(reading, "attn.relative_position_embedding.pos_proj.weight");
}
void read_gemma4_audio(const Reading& reading, const ModelRow&) {
  add_gemma_audio(reading, "self_attn.relative_k_proj.weight");
}

// ESPnet's: sines and cosines in turn, of distances.
void read_fastspeech(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  for (const char* side : {"encoder", "decoder"}) {
    const auto inside = config.inside({std::string(side) + "_config"});
    const int64_t heads = inside ? size_of(*inside, "num_attention_heads", 2) : 2;
    const int64_t width = size_of(config, "hidden_size");
    reading.add(
        side, by_frames(recurrent(config, width, heads), in_turn,
                        {{"weights",
                          "conformer_layers.N.self_attn.{linear_pos.weight,pos_bias_u,pos_bias_v}"},
                         {"distances", "T-1 .. -(T-1)"}}));
  }
  config.pass({"positionwise_conv_kernel_size", "max_source_positions"});
}

}  // namespace

std::span<const ModelRow> conformer_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "wav2vec2-conformer", .where = "audio", .read = read_wav2vec2_conformer},
      {.types = "wav2vec2-bert", .where = "audio", .read = read_wav2vec2_bert},
      {.types = "seamless_m4t", .read = read_seamless<false>, .idle = "max_source_positions"},
      {.types = "seamless_m4t_v2", .read = read_seamless<true>},
      {.types = "parakeet_encoder nemotron_asr_streaming_encoder",
       .where = "audio",
       .read = read_parakeet},
      {.types = "gemma3n_audio", .where = "audio", .read = read_gemma3n_audio},
      {.types = "gemma4_audio", .where = "audio", .read = read_gemma4_audio},
      {.types = "fastspeech2_conformer", .read = read_fastspeech},
  };
  return rows;
}

}  // namespace posenc::model
