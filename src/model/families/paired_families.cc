// paired_families.cc: encoder-decoders with a table on each side, and fixed sinusoids.
#include "model/families/class_defaults.h"
#include "model/families/parts.h"

namespace posenc::model {
namespace {

constexpr Keys d_model = "d_model hidden_size embed_dim n_embd";
constexpr Keys most_positions = "max_position_embeddings";

// Which sides a configuration is for: both, unless it stands for one side of another model or names
// a class that has one only.
struct WhichSides {
  bool encoder, decoder;
};

WhichSides sides_of_model(const Reading& reading) {
  const bool causal = has_architecture(reading.config, "ForCausalLM");
  return {reading.where != "decoder" && !causal, reading.where != "encoder"};
}

std::string weight_of(std::string_view side) {
  return "model." + std::string(side) + ".embed_positions.weight";
}

// A trained table; `extra` rows come before that of the first token.
struct PairedTable {
  std::string_view types;
  Keys encoder_keys, decoder_keys;
  int64_t encoder_length, decoder_length, width, extra;
};

constexpr PairedTable tables[] = {
    {"bart mbart mvp", most_positions, most_positions, 1024, 1024, 1024, 2},
    {"plbart", most_positions, most_positions, 1024, 1024, 768, 2},
    {"blenderbot", most_positions, most_positions, 128, 128, 2560, 0},
    {"blenderbot-small", most_positions, most_positions, 512, 512, 512, 0},
    {"bigbird_pegasus", most_positions, most_positions, 4096, 4096, 1024, 0},
    {"led", "max_encoder_position_embeddings", "max_decoder_position_embeddings", 16384, 1024, 1024,
     0},
};

void add_table(const Reading& reading, std::string_view side, int64_t length, int64_t width,
               int64_t extra) {
  TrainedTable table{length + extra, width, extra};
  table.weight = weight_of(side);
  if (extra > 0) table.positions = "the first token reads row " + text::write(extra);
  Component out = learned_table(table);
  out.where = side;
  reading.add(std::move(out));
}

void tell_extra_rows(const Reading& reading) {
  reading.trap(
      "the table has two rows more than max_position_embeddings, and the first token reads "
      "row 2: a table read from row 0 gives other vectors without an error");
}

void read_tables(const Reading& outer) {
  const Reading reading = named(outer, "");
  const Config& config = reading.config;
  const PairedTable& row = row_of(tables, reading.type);
  const WhichSides which = sides_of_model(reading);
  const int64_t width = size_of(config, d_model, row.width);
  if (which.encoder)
    add_table(reading, "encoder", length_of(config, row.encoder_keys, row.encoder_length), width,
              row.extra);
  if (which.decoder)
    add_table(reading, "decoder", length_of(config, row.decoder_keys, row.decoder_length), width,
              row.extra);
  if (row.extra > 0) tell_extra_rows(reading);
}

// Fixed sinusoids.
enum class Begin : uint8_t { first, padding, third };
struct FixedTable {
  std::string_view types;
  bool both;     // sides
  bool halves;   // sines, then cosines
  bool to_base;  // the last frequency is 1/10000; otherwise the paper's rule
  Begin start;
  int64_t length, width, pad;
  std::string_view what{};  // why a reader may go wrong
};

constexpr std::string_view end_of_rule =
    "frequencies end at 1/10000 (tensor2tensor's rule): the paper's base^(-2i/d) gives others";

constexpr FixedTable sinusoids[] = {
    {"marian", true, true, false, Begin::first, 1024, 1024, 0},
    {"pegasus", true, true, false, Begin::first, 1024, 1024, 0},
    {"pegasus_x", true, true, true, Begin::first, 16384, 1024, 0, end_of_rule},
    {"m2m_100 nllb nllb-moe", true, true, true, Begin::padding, 1024, 1024, 1, end_of_rule},
    {"fsmt", true, true, true, Begin::padding, 1024, 1024, 1, end_of_rule},
    {"xglm", false, true, true, Begin::third, 2048, 1024, 1, end_of_rule},
    {"kosmos_2_text_model", false, true, true, Begin::padding, 2048, 2048, 1, end_of_rule},
    {"kosmos_2_5_text_model", false, true, true, Begin::padding, 4096, 1536, 1, end_of_rule},
    {"ctrl", false, true, false, Begin::first, 256, 1280, 0},
    {"tipsv2_text_model", false, true, true, Begin::first, 64, 768, 0, end_of_rule},
    {"videoprism_text_model", false, true, false, Begin::first, 64, 768, 0},
};

Sinusoidal waves_of(const FixedTable& row, int64_t width) {
  Sinusoidal out{.dim = width};
  if (row.halves) out.order = Order::halves;
  if (row.to_base) {
    out.rule = TimescalesRule{};
    out.odd = Odd::zero;
  }
  return out;
}

Component fixed_table(const Reading& reading, const FixedTable& row, int64_t length,
                      int64_t width) {
  Sinusoidal waves = waves_of(row, width);
  if (row.start == Begin::first) return sinusoidal_table(waves, length, "from 0");
  const int64_t pad = count_of(reading.config, "pad_token_id", row.pad);
  waves.padding = pad;
  waves.offset = row.start == Begin::third ? 2 : pad + 1;
  const std::string first = "the first token has number " + text::write(waves.offset);
  const bool skips = row.start == Begin::padding;
  const int64_t rows = row.types == "fsmt" ? length + pad + 1 : length + 2;
  return sinusoidal_table(waves, rows, skips ? "padding is skipped; " + first : first);
}

void read_sinusoids(const Reading& outer) {
  const FixedTable& row = row_of(sinusoids, outer.type);
  const Reading reading = named(outer, row.both ? "" : "text");
  const Config& config = reading.config;
  const int64_t length = length_of(config, "max_position_embeddings n_positions n_ctx", row.length);
  const int64_t width = size_of(config, d_model, row.width);
  config.ignore({"static_position_embeddings", "extra_pos_embeddings"},
                "the sinusoids are fixed in any case");
  const WhichSides which = row.both ? sides_of_model(reading) : WhichSides{false, true};
  for (const auto& [side, there] :
       {std::pair{"encoder", which.encoder}, std::pair{"decoder", which.decoder}}) {
    if (!there) continue;
    Component out = fixed_table(reading, row, length, width);
    if (row.both) out.where = side;
    reading.add(std::move(out));
  }
  if (!row.what.empty()) reading.trap(std::string(row.what));
}

// A decoder with the table of BART, or sinusoids.
void read_trocr(const Reading& outer) {
  const Reading reading = named(outer, "decoder");
  const Config& config = reading.config;
  const ClassSizes otherwise = class_sizes(reading.type);
  const int64_t length = length_of(config, most_positions, otherwise.length);
  const int64_t width = size_of(config, d_model, otherwise.width);
  if (config.flag({"use_learned_position_embeddings"}, true, "the default of its class")) {
    add_table(reading, "decoder", length, width, 2);
    return tell_extra_rows(reading);
  }
  const FixedTable row{"fsmt", false, true, true, Begin::padding, length, width, 1};
  Component out = fixed_table(reading, row, length, width);
  out.where = "decoder";
  reading.add(std::move(out));
}

// A table for the text and the sum of two buckets' biases on the way: future tokens have streams of
// their own.
void read_prophetnet(const Reading& reading) {
  const Config& config = reading.config;
  const int64_t length = length_of(config, most_positions, 512);
  const int64_t width = size_of(config, "hidden_size", 1024);
  const int64_t pad = count_of(config, "pad_token_id", 0);
  for (const char* side : {"encoder", "decoder"}) {
    TrainedTable table{length, width, pad + 1, pad};
    table.weight = "prophetnet." + std::string(side) + ".position_embeddings.weight";
    table.positions = "padding is skipped; the first token reads row " + text::write(pad + 1);
    Component out = learned_table(table);
    out.where = side;
    reading.add(std::move(out));
  }
  Component bias{"decoder", "t5", {}};
  bias.facts = {{"num_buckets", size_of(config, "num_buckets", 32)},
                {"max_distance", size_of(config, "relative_max_distance", 128)},
                {"bidirectional", false},
                {"heads", size_of(config, "num_decoder_attention_heads", 16)},
                {"table", "a linear layer of the token's features gives the bias of each bucket"},
                {"weight", "self_attn.relative_pos_embeddings.weight"}};
  reading.add(std::move(bias));
}

}  // namespace

std::vector<Family> paired_table_list() {
  return joined(families_of(tables, read_tables), families_of(sinusoids, read_sinusoids),
                std::vector<Family>{{"trocr pp_formulanet_text", read_trocr},
                                    {"prophetnet xlm-prophetnet", read_prophetnet}});
}

}  // namespace posenc::model
