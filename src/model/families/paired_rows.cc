// paired_rows.cc: encoder-decoders with a table on each side, and fixed sinusoids.
#include "model/families/model_row.h"

namespace posenc::model {
namespace {

constexpr Keys d_model = "d_model hidden_size embed_dim n_embd";

// Which sides a configuration is for: both, unless it stands for one side of another model or names
// a class that has one only.
std::vector<std::string> sides_of_model(const Reading& reading) {
  std::vector<std::string> out;
  const bool causal = has_architecture(reading.config, "ForCausalLM");
  if (reading.where != "decoder" && !causal) out.emplace_back("encoder");
  if (reading.where != "encoder") out.emplace_back("decoder");
  return out;
}

void add_table(const Reading& reading, const std::string& side, int64_t length, int64_t width,
               int64_t extra) {
  TrainedTable table{.rows = length + extra,
                     .dim = width,
                     .offset = extra,
                     .weight = "model." + side + ".embed_positions.weight"};
  if (extra > 0) table.positions = "the first token reads row " + text::write(extra);
  reading.add(side, learned_table(table));
}

void read_paired_tables(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const TableRow& table = row.table;
  const auto sides = sides_of_model(reading);
  const int64_t width = size_of(config, d_model, table.width);
  const int64_t extra = table.start == FirstRow::third ? 2 : 0;
  for (const std::string& side : sides) {
    const bool own = side == "decoder" && !table.decoder_keys.empty();
    add_table(reading, side, length_of(config, own ? table.decoder_keys : table.length_keys), width,
              extra);
  }
  if (extra > 0) tell_extra_rows(reading);
}

Component fixed_table(const Reading& reading, const SinusoidRow& row, int64_t length,
                      int64_t width) {
  Sinusoidal waves = whisper_waves(width);
  if (!row.to_base) waves = {.dim = width, .order = Order::halves};
  if (row.start == FirstRow::first) return sinusoidal_table(waves, length, "from 0");
  const int64_t pad = count_of(reading.config, "pad_token_id");
  waves.padding = pad;
  waves.offset = row.start == FirstRow::third ? 2 : pad + 1;
  const std::string first = "the first token has number " + text::write(waves.offset);
  const bool skips = row.start == FirstRow::padding;
  return sinusoidal_table(waves, length + (row.pad_rows ? pad + 1 : 2),
                          skips ? "padding is skipped; " + first : first);
}

// A decoder with the table of BART, or sinusoids.
void read_trocr(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const int64_t length = length_of(config, row.table.length_keys, row.table.length);
  const int64_t width = size_of(config, d_model, row.table.width);
  if (!config.flag({"use_learned_position_embeddings"}, true, by_class))
    return reading.add("decoder", fixed_table(reading, row.sinusoids, length, width));
  add_table(reading, "decoder", length, width, 2);
  tell_extra_rows(reading);
}

// A table for the text and the sum of two buckets' biases on the way: future tokens have streams of
// their own.
void read_prophetnet(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t length = length_of(config, "max_position_embeddings");
  const int64_t width = size_of(config, "hidden_size");
  const int64_t pad = count_of(config, "pad_token_id");
  for (const std::string side : {"encoder", "decoder"})
    reading.add(side, learned_table({.rows = length,
                                     .dim = width,
                                     .offset = pad + 1,
                                     .padding = pad,
                                     .weight = "prophetnet." + side + ".position_embeddings.weight",
                                     .positions = "padding is skipped; the first token reads row " +
                                                  text::write(pad + 1)}));
  reading.add({"decoder",
               "t5",
               {{"num_buckets", size_of(config, "num_buckets")},
                {"max_distance", size_of(config, "relative_max_distance")},
                {"bidirectional", false},
                {"heads", size_of(config, "num_decoder_attention_heads")},
                {"table", "a linear layer of the token's features gives the bias of each bucket"},
                {"weight", "self_attn.relative_pos_embeddings.weight"}}});
}

constexpr TableRow on_both_sides(FirstRow start) {
  return {.start = start, .length_keys = "max_position_embeddings"};
}

}  // namespace

void read_sinusoids(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const int64_t length =
      length_of(config, "max_position_embeddings n_positions n_ctx", row.table.length);
  const int64_t width = size_of(config, d_model, row.table.width);
  const auto* fixed = "the sinusoids are fixed in any case";
  config.ignore_unless({"static_position_embeddings"}, true, fixed);
  config.unused({"extra_pos_embeddings"}, fixed);
  const bool both = row.where.empty();
  for (const std::string& side : both ? sides_of_model(reading) : std::vector<std::string>{""})
    reading.add(side, fixed_table(reading, row.sinusoids, length, width));
  if (row.sinusoids.to_base)
    reading.trap(
        "frequencies end at 1/10000 (tensor2tensor's rule): the paper's base^(-2i/d) gives others");
}

std::span<const ModelRow> paired_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "bart mbart mvp plbart",
       .where = "",
       .table = on_both_sides(FirstRow::third),
       .read = read_paired_tables},
      {.types = "blenderbot blenderbot-small bigbird_pegasus",
       .where = "",
       .table = on_both_sides(FirstRow::first),
       .read = read_paired_tables},
      {.types = "led",
       .where = "",
       .table = {.start = FirstRow::first,
                 .length_keys = "max_encoder_position_embeddings",
                 .decoder_keys = "max_decoder_position_embeddings"},
       .read = read_paired_tables},
      {.types = "marian pegasus",
       .where = "",
       .sinusoids = {.start = FirstRow::first, .to_base = false}},
      {.types = "pegasus_x", .where = "", .sinusoids = {.start = FirstRow::first}},
      {.types = "m2m_100 nllb nllb-moe", .where = "", .sinusoids = {.start = FirstRow::padding}},
      {.types = "fsmt", .where = "", .sinusoids = {.start = FirstRow::padding, .pad_rows = true}},
      {.types = "xglm", .sinusoids = {.start = FirstRow::third}},
      {.types = "kosmos_2_text_model kosmos_2_5_text_model",
       .sinusoids = {.start = FirstRow::padding}},
      {.types = "ctrl videoprism_text_model",
       .sinusoids = {.start = FirstRow::first, .to_base = false}},
      {.types = "tipsv2_text_model", .sinusoids = {.start = FirstRow::first}},
      {.types = "trocr pp_formulanet_text",
       .where = "decoder",
       .table = on_both_sides(FirstRow::third),
       .sinusoids = {.start = FirstRow::padding, .pad_rows = true},
       .read = read_trocr},
      {.types = "prophetnet xlm-prophetnet", .read = read_prophetnet},
  };
  return rows;
}

}  // namespace posenc::model
