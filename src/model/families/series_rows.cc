// series_rows.cc: numbers over time, and sounds in the same ways.
#include <cmath>

#include "model/families/model_row.h"

namespace posenc::model {
namespace {

// Sines, then cosines, fixed, over the past and what is to be told.
void read_series(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t told = config.has("prediction_length") ? length_of(config, "prediction_length") : 0;
  const int64_t past = config.has("context_length") ? length_of(config, "context_length") : told;
  const Sinusoidal waves{.dim = size_of(config, "d_model"), .order = Order::halves};
  for (const char* side : {"encoder", "decoder"})
    reading.add(side, sinusoidal_table(waves, past + told, "points in time, from 0"));
  reading.trap("the decoder counts on from context_length: its first point is not at 0");
}

// Patches of a series: trained rows, or sinusoids moved to a mean of 0 and made small.
void add_patches(const Reading& reading, int64_t rows) {
  const Config& config = reading.config;
  const int64_t dim = size_of(config, "d_model");
  const std::string kind = config.text({"positional_encoding_type"}).value_or("sincos");
  if (kind == "random") {
    return reading.add(learned_table({.rows = rows, .dim = dim, .positions = "patches, from 0"}));
  }
  if (kind != "sincos") config.refuse("positional_encoding_type", "sincos or random");
  reading.add(with_scheme(
      described("sinusoidal",
                {{"rows", rows},
                 {"dim", dim},
                 {"order", "sin and cos in turn"},
                 {"freq", "10000^(-2i/d), i=0..d/2-1"},
                 {"note", "less the mean of the whole table, divided by ten of its deviations"}},
                "patches, from 0"),
      Sinusoidal{.dim = dim, .normalize_rows = rows}));
}

template <bool asked>
void read_patched(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  if (asked && !config.flag({"use_positional_encoding"}).value_or(false)) {
    config.pass({"positional_encoding_type"});
    return reading.add({"", "none", {{"note", "layers mix patches by position"}}});
  }
  const int64_t length = length_of(config, "context_length");
  const int64_t patch = length_of(config, "patch_length");
  const int64_t stride = length_of(config, "patch_stride", patch);
  if (patch > length) config.fail("context_length of at least a patch, ", patch, ", got ", length);
  const bool first = config.flag({"use_cls_token"}).value_or(false);
  add_patches(reading, (length - patch) / stride + 1 + (first ? 1 : 0));
}

void read_timesfm(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  if (!config.flag({"use_positional_embedding"}, false, by_class))
    return reading.add({"", "none", {{"note", "use_positional_embedding is false"}}});
  Sinusoidal waves = whisper_waves(size_of(config, "hidden_size"));
  waves.rule = TimescalesRule{.min_timescale = positive_of(config, "min_timescale"),
                              .max_timescale = positive_of(config, "max_timescale")};
  waves.scale = 1;
  reading.add(sinusoidal_table(waves, 0, "patches, from 0"));
}

// Sines, then cosines, divided by the root of the width.
void read_canary(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  Sinusoidal waves{.dim = size_of(config, "hidden_size"), .order = Order::halves};
  waves.scale = 1 / std::sqrt(static_cast<double>(waves.dim));
  Component out = sinusoidal_table(waves, length_of(config, "max_position_embeddings"), "from 0");
  out.facts.emplace_back("scale", waves.scale);
  reading.trap("the sinusoids are divided by the root of the width");
  reading.add(std::move(out));
}

// Sinusoids as wide as the stacked frames, counted from 1.
void read_fun_asr(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t bins = size_of(config, "num_mel_bins");
  Sinusoidal waves = whisper_waves(bins * size_of(config, "num_stacked_frames"));
  waves.offset = 1;
  reading.add(sinusoidal_table(waves, length_of(config, "max_position_embeddings"),
                               "frames; the first has number 1"));
}

// Blocks of frames, inside which a row for each distance is read.
void read_granite(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t longest = size_of(config, "max_pos_emb max_position_embeddings");
  const Shaw shaw{.dim = size_of(config, "dim_head head_dim", 128),
                  .left = longest,
                  .right = longest,
                  .order = RowOrder::query_minus_key};
  reading.add(distance_rows(shaw,
                            {{"block", size_of(config, "context_size")},
                             {"formula", "score += q . E[i-j] / sqrt(d_head)"},
                             {"weight", "layers.N.attn.rel_pos_emb.weight"}},
                            "distances between frames of a block; blocks do not see each other"));
}

}  // namespace

// What the encoder hands over turns by the window and by the frame inside it, both times seconds.
void add_time_turn(const Reading& outer) {
  const Reading reading{outer.config, outer.type, "audio, time", outer.components};
  const Config& config = reading.config;
  const auto audio = config.inside({"audio_config"});
  const int64_t width = audio ? size_of(*audio, "hidden_size d_model", 1280) : 1280;
  const auto rope = config.inside({"rope_parameters"});
  const double part = positive_of(rope ? *rope : config, "partial_rotary_factor", 0.2);
  const auto each = static_cast<int64_t>(static_cast<double>(width) * std::min(part, 0.5));
  reading.add(described(
      "rope-time",
      {{"layout", "interleaved"},
       {"head_dim", width},
       {"rotary_dim", 2 * each},
       {"rotated_part", "first"},
       {"base", plain_base(config)},
       {"position_axes", int64_t{2}},
       {"applied_to", "the encoder's output, all of its width, not queries and keys"}},
      "the number of a window and that of the frame inside it, divided by base, each angle times "
      "-2 pi times the seconds of the frame"));
  reading.trap(
      "angles are products of two times: no pair rotates by the distance between two frames");
}

std::span<const ModelRow> series_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "informer autoformer time_series_transformer", .read = read_series},
      {.types = "patchtst", .where = "series", .read = read_patched<false>},
      {.types = "patchtsmixer", .where = "series", .read = read_patched<true>},
      {.types = "timesfm", .where = "series", .read = read_timesfm},
      {.types = "canary_decoder", .where = "decoder", .read = read_canary},
      {.types = "fun_asr_nano_encoder", .where = "audio", .read = read_fun_asr},
      {.types = "granite_speech_encoder granite_speech_plus_encoder granite_speech5_encoder",
       .where = "audio",
       .read = read_granite},
  };
  return rows;
}

}  // namespace posenc::model
