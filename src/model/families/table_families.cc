// table_families.cc: text models that add one trained table of positions.
#include "model/families/class_defaults.h"
#include "model/families/parts.h"

namespace posenc::model {
namespace {

// Which row the first token reads.
enum class Start : uint8_t {
  first,     // row 0
  third,     // row 2 of a table with two rows more than positions
  unmasked,  // the same, counting only tokens that are not masked
  padding,   // the row after that of padding, counting only tokens that are no padding
};

// Length, width and padding are those of the class, for files that leave them out.
struct SingleTable {
  std::string_view types;
  Start start;
  Keys length_keys;
  int64_t length;
  Keys width_keys;
  int64_t width;
  std::string_view weight;
  int64_t pad = 1;
};

constexpr Keys max_positions = "max_position_embeddings n_positions";
constexpr Keys n_positions = "n_positions max_position_embeddings n_ctx";
constexpr Keys hidden = "hidden_size d_model dim";
constexpr Keys embedding = "embedding_size";
constexpr std::string_view bert_weight = "embeddings.position_embeddings.weight";
constexpr std::string_view clip_weight = "text_model.embeddings.position_embedding.weight";
constexpr std::string_view wpe = "transformer.wpe.weight";
constexpr std::string_view decoder_weight = "model.decoder.embed_positions.weight";

constexpr SingleTable single_tables[] = {
    {"bert roc_bert ernie qdqbert realm splinter align_text_model chinese_clip_text_model "
     "flava_text_model blip_text_model dpr retribert fnet",
     Start::first, max_positions, 512, hidden, 768, bert_weight},
    {"instructblip_qformer instructblipvideo_qformer", Start::first, max_positions, 512, hidden,
     768, bert_weight},
    {"big_bird", Start::first, max_positions, 4096, hidden, 768, bert_weight},
    {"git_text_model", Start::first, max_positions, 1024, hidden, 768, bert_weight},
    {"megatron-bert bert-generation", Start::first, max_positions, 512, hidden, 1024, bert_weight},
    {"mobilebert", Start::first, max_positions, 512, hidden, 512, bert_weight},
    {"albert electra", Start::first, max_positions, 512, embedding, 128, bert_weight},
    {"convbert squeezebert", Start::first, max_positions, 512, embedding, 768, bert_weight},
    {"rembert", Start::first, max_positions, 512, "input_embedding_size", 256, bert_weight},
    {"clip_text_model clipseg_text_model xclip_text_model metaclip_2_text_model", Start::first,
     max_positions, 77, hidden, 512, clip_weight},
    {"groupvit_text_model", Start::first, max_positions, 77, hidden, 256, clip_weight},
    {"aimv2_text_model", Start::first, max_positions, 77, hidden, 768, clip_weight},
    {"owlvit_text_model owlv2_text_model", Start::first, max_positions, 16, hidden, 512,
     clip_weight},
    {"siglip_text_model siglip2_text_model", Start::first, max_positions, 64, hidden, 768,
     clip_weight},
    {"gpt2 gpt_bigcode gpt-sw3", Start::first, n_positions, 1024, "n_embd hidden_size", 768, wpe},
    {"gpt_neo", Start::first, max_positions, 2048, hidden, 2048, wpe},
    {"imagegpt", Start::first, n_positions, 1024, "n_embd hidden_size", 512, wpe},
    {"decision_transformer", Start::first, "max_ep_len", 4096, "hidden_size", 128,
     "embed_timestep.weight"},
    {"openai-gpt", Start::first, n_positions, 512, "n_embd hidden_size", 768,
     "transformer.positions_embed.weight"},
    {"nystromformer", Start::third, max_positions, 510, hidden, 768, bert_weight},
    {"yoso", Start::third, max_positions, 4096, hidden, 768, bert_weight},
    {"mra", Start::third, max_positions, 512, hidden, 768, bert_weight},
    {"opt", Start::unmasked, max_positions, 2048, hidden, 768, decoder_weight},
    {"biogpt", Start::unmasked, max_positions, 1024, hidden, 1024, "biogpt.embed_positions.weight"},
    {"roberta xlm-roberta camembert longformer roberta-prelayernorm data2vec-text ibert xmod luke "
     "mluke",
     Start::padding, max_positions, 512, hidden, 768, bert_weight},
    {"clap_text_model", Start::padding, max_positions, 514, hidden, 768,
     "text_model.embeddings.position_embeddings.weight"},
    {"bridgetower_text_model", Start::padding, max_positions, 514, hidden, 768, bert_weight},
    {"altclip_text_model", Start::padding, max_positions, 514, hidden, 1024, bert_weight},
    {"xlm-roberta-xl", Start::padding, max_positions, 514, hidden, 2560, bert_weight},
    {"markuplm", Start::padding, max_positions, 512, hidden, 768, bert_weight, 0},
};

TrainedTable table_of(const Reading& reading, const SingleTable& row) {
  const Config& config = reading.config;
  const int64_t length = length_of(config, row.length_keys, row.length);
  TrainedTable out{length, size_of(config, row.width_keys, row.width)};
  out.weight = row.weight;
  if (row.start == Start::third || row.start == Start::unmasked) {
    out.rows = length + 2;
    out.offset = 2;
    out.positions = row.start == Start::third
                        ? "the first token reads row 2"
                        : "masked tokens are not counted; the first other token reads row 2";
    reading.trap(
        "the table has two rows more than max_position_embeddings, and the first token "
        "reads row 2: a table read from row 0 gives other vectors without an error");
  } else if (row.start == Start::padding) {
    const int64_t pad = count_of(config, "pad_token_id", row.pad);
    out.padding = pad;
    out.offset = pad + 1;
    out.positions = "padding is skipped; the first token reads row " + text::write(out.offset);
    reading.trap("max_position_embeddings counts rows, not tokens: the first token reads row " +
                 text::write(out.offset) + ", so the longest text has " +
                 text::write(out.rows - out.offset) + " tokens");
  }
  return out;
}

// BERT of transformers 4 with a row of features for each distance, of which the scores read one.
void add_relative_key(const Reading& reading, const SingleTable& row, const std::string& kind) {
  const Config& config = reading.config;
  const int64_t length = length_of(config, row.length_keys, row.length);
  const int64_t width = size_of(config, hidden, row.width);
  const int64_t heads = size_of(config, "num_attention_heads n_heads num_heads", 12);
  Component out{"", "shaw", {}};
  Shaw shaw{.dim = head_size(config, width, heads), .left = length - 1, .right = length - 1};
  shaw.order = RowOrder::query_minus_key;
  out.facts = {{"clip_left", shaw.left},
               {"clip_right", shaw.right},
               {"rows", shaw.rows()},
               {"dim", shaw.dim},
               {"usable", length},
               {"keys_too", kind == "relative_key_query"},
               {"formula", "score += q . E[i-j+max-1]" +
                               std::string(kind == "relative_key" ? "" : " + k . E[i-j+max-1]")},
               {"weight", "attention.self.distance_embedding.weight"}};
  out.positions = "distances between tokens";
  reading.trap("position_embedding_type " + kind +
               " is read by transformers 4 only: version 5 loads the model as if it had a table");
  reading.add(kind == "relative_key" ? with_scheme(out, shaw) : out);
}

// The kind of encoding where BERT's key names one.
std::string kind_of(const Config& config) {
  const auto kind = config.text({"position_embedding_type"});
  if (!kind) return "absolute";
  for (const char* known : {"absolute", "relative_key", "relative_key_query"})
    if (*kind == known) return *kind;
  config.refuse("position_embedding_type", "absolute, relative_key or relative_key_query",
                *config.json().find("position_embedding_type"));
}

void read_single(const Reading& reading) {
  const SingleTable& row = row_of(single_tables, reading.type);
  if (const std::string kind = kind_of(reading.config); kind != "absolute")
    return add_relative_key(reading, row, kind);
  reading.add(learned_table(table_of(reading, row)));
}

// RoBERTa's table, and a bias for each bucket of distances.
void read_mpnet(const Reading& reading) {
  const SingleTable row{"", Start::padding, max_positions, 512, hidden, 768, bert_weight};
  reading.add(learned_table(table_of(reading, row)));
  const Config& config = reading.config;
  const T5Bias bias{
      .heads = size_of(config, "num_attention_heads", 12),
      .buckets = size_of(config, "relative_attention_num_buckets", 32),
  };
  Component out = bucket_bias(bias, "encoder.relative_attention_bias.weight");
  if (bias.buckets != 32) {
    out.ready.reset();
    reading.trap("the code counts 32 buckets whatever relative_attention_num_buckets says");
  }
  reading.add(std::move(out));
}

// The rows of BERT's table start again in every cell of a table of texts.
void read_tapas(const Reading& reading) {
  const SingleTable row{"", Start::first, max_positions, 1024, hidden, 768, bert_weight};
  TrainedTable table = table_of(reading, row);
  if (reading.config.flag({"reset_position_index_per_cell"}, true, "the default of its class")) {
    table.positions = "from 0 in every cell";
    reading.trap("positions start again in every cell: counting through gives other vectors");
  }
  reading.add(learned_table(table));
}

// As many rows as characters have hash buckets.
void read_canine(const Reading& reading) {
  const Config& config = reading.config;
  config.ignore({"max_position_embeddings"}, "the table has num_hash_buckets rows");
  TrainedTable table{length_of(config, "num_hash_buckets", 16384), size_of(config, hidden, 768)};
  table.weight = "char_embeddings.char_position_embeddings.weight";
  table.positions = "characters, from 0";
  reading.add(learned_table(table));
}

// Sinusoids where the key says so, otherwise trained; both are stored under the same name.
void add_stored(const Reading& reading, const char* weight) {
  const Config& config = reading.config;
  const auto fixed = config.flag({"sinusoidal_pos_embds", "sinusoidal_embeddings"});
  TrainedTable table{length_of(config, max_positions, 512),
                     size_of(config, "dim emb_dim hidden_size", class_sizes(reading.type).width)};
  table.weight = weight;
  if (!fixed.value_or(false)) {
    Component out = learned_table(table);
    out.facts.emplace_back("sinusoidal_init", false);
    return reading.add(std::move(out));
  }
  Component out = sinusoidal_table({.dim = table.dim}, table.rows, "from 0");
  out.facts.emplace_back("stored_weight", table.weight);
  reading.add(std::move(out));
}
void read_distilbert(const Reading& reading) {
  add_stored(reading, "distilbert.embeddings.position_embeddings.weight");
}
void read_xlm(const Reading& reading) {
  add_stored(reading, "transformer.position_embeddings.weight");
}

}  // namespace

std::vector<Family> single_table_list() {
  return joined(families_of(single_tables, read_single),
                std::vector<Family>{{"mpnet", read_mpnet},
                                    {"tapas", read_tapas},
                                    {"canine", read_canine},
                                    {"distilbert", read_distilbert},
                                    {"xlm flaubert", read_xlm}});
}

std::span<const Family> table_families() {
  static const auto all =
      joined(single_table_list(), paired_table_list(), bias_list(), layout_list(), singular_list());
  return all;
}

}  // namespace posenc::model
