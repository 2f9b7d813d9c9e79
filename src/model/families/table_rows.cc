// table_rows.cc: text models that add one trained table of positions.
#include "model/families/model_row.h"

namespace posenc::model {
namespace {

TrainedTable table_of(const Reading& reading, const TableRow& row) {
  const Config& config = reading.config;
  const int64_t length = length_of(config, row.length_keys, row.length);
  TrainedTable out{.rows = length,
                   .dim = size_of(config, row.width_keys, row.width),
                   .weight = std::string(row.weight)};
  if (row.start == FirstRow::third || row.start == FirstRow::unmasked) {
    out.rows = length + 2;
    out.offset = 2;
    out.positions = row.start == FirstRow::third
                        ? "the first token reads row 2"
                        : "masked tokens are not counted; the first other token reads row 2";
    tell_extra_rows(reading);
  } else if (row.start == FirstRow::padding) {
    const int64_t pad = row.pad_key ? count_of(config, "pad_token_id", row.pad) : row.pad;
    if (!row.pad_key)
      config.ignore_unless({"pad_token_id"}, pad, "this model's code has " + text::write(pad));
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
void add_relative_key(const Reading& reading, const TableRow& row, const std::string& kind) {
  const Config& config = reading.config;
  const int64_t length = length_of(config, row.length_keys, row.length);
  const int64_t width = size_of(config, "hidden_size d_model dim", row.width);
  const int64_t heads = size_of(config, "num_attention_heads n_heads num_heads");
  const bool keys_too = kind == "relative_key_query";
  const Shaw shaw{.dim = head_size(config, width, heads),
                  .left = length - 1,
                  .right = length - 1,
                  .order = RowOrder::query_minus_key};
  const std::string query = "score += q . E[i-j+max-1]";
  Component out =
      distance_rows(shaw, {{"usable", length},
                           {"keys_too", keys_too},
                           {"formula", keys_too ? query + " + k . E[i-j+max-1]" : query},
                           {"weight", "attention.self.distance_embedding.weight"}});
  if (keys_too) out.ready.reset();
  reading.trap("position_embedding_type " + kind +
               " is read only by transformers 4: version 5 loads the model as if it had a table");
  reading.add(std::move(out));
}

// The kind of encoding where BERT's key names one.
std::string kind_of(const Config& config) {
  const auto kind = config.text({"position_embedding_type"});
  if (!kind) return "absolute";
  for (const char* known : {"absolute", "relative_key", "relative_key_query"})
    if (*kind == known) return *kind;
  config.refuse("position_embedding_type", "absolute, relative_key or relative_key_query");
}

// RoBERTa's table, whatever position_embedding_type says.
void read_mpnet(const Reading& reading, const ModelRow& row) {
  reading.add(learned_table(table_of(reading, row.table)));
}

// The rows of BERT's table start again in every cell of a table of texts.
void read_tapas(const Reading& reading, const ModelRow& row) {
  TrainedTable table = table_of(reading, row.table);
  if (reading.config.flag({"reset_position_index_per_cell"}, true, by_class)) {
    table.positions = "from 0 in every cell";
    reading.trap("positions start again in every cell: counting through gives other vectors");
  }
  reading.add(learned_table(table));
}

// Oscar and VinVL are BERT with regions of a picture: a region's features and, behind them, the
// four sides, the width and the height of its box go through one linear layer.
void add_regions(const Reading& reading) {
  constexpr int64_t box = 6;
  const Config& config = reading.config;
  if (!config.has("img_feature_dim")) return;
  const std::string kind = config.text({"img_feature_type"}).value_or("faster_r-cnn");
  if (kind.starts_with("dis_code"))
    return reading.add(
        "vision", {"", "none", {{"note", "img_feature_type " + kind + ": codes without boxes"}}});
  const int64_t all = size_of(config, "img_feature_dim");
  if (all <= box)
    config.fail("img_feature_dim of more than the ", box, " numbers of a box, got ", all);
  reading.add("vision", described("box-linear",
                                  {{"pos_dim", box},
                                   {"feature_dim", all - box},
                                   {"formula", "W [f|box] + b"},
                                   {"weights", "bert.img_embedding.{weight,bias}"}},
                                  "sides, width and height of a region's box"));
}

// As many rows as characters have hash buckets.
void read_canine(const Reading& reading, const ModelRow& row) {
  reading.config.ignore({"max_position_embeddings"}, "the table has num_hash_buckets rows");
  TrainedTable table = table_of(reading, row.table);
  table.positions = "characters, from 0";
  reading.add(learned_table(table));
}

// Sinusoids where the key says so, otherwise trained; both are stored under the same name.
void read_stored(const Reading& reading, const ModelRow& row) {
  const auto fixed = reading.config.flag({"sinusoidal_pos_embds", "sinusoidal_embeddings"});
  const TrainedTable table = table_of(reading, row.table);
  Component out = fixed.value_or(false) ? sinusoidal_table({.dim = table.dim}, table.rows, "from 0")
                                        : learned_table(table);
  if (fixed.value_or(false))
    out.facts.emplace_back("stored_weight", table.weight);
  else
    out.facts.emplace_back("sinusoidal_init", false);
  reading.add(std::move(out));
}

constexpr std::string_view bert_weight = "embeddings.position_embeddings.weight";
constexpr TableRow bert{.weight = bert_weight, .start = FirstRow::first};
constexpr TableRow roberta{.weight = bert_weight, .start = FirstRow::padding};
constexpr TableRow embedded(Keys width_keys) {
  return {.weight = bert_weight, .start = FirstRow::first, .width_keys = width_keys};
}
constexpr TableRow gpt(std::string_view weight) {
  return {.weight = weight,
          .start = FirstRow::first,
          .length_keys = "n_positions max_position_embeddings n_ctx",
          .width_keys = "n_embd hidden_size"};
}
constexpr TableRow stored(std::string_view weight) {
  return {.weight = weight, .start = FirstRow::first, .width_keys = "dim emb_dim hidden_size"};
}

}  // namespace

void tell_extra_rows(const Reading& reading) {
  reading.trap(
      "the table has two rows more than max_position_embeddings, and the first token reads "
      "row 2: a table read from row 0 gives other vectors without an error");
}

void read_table(const Reading& reading, const ModelRow& row) {
  const std::string kind = kind_of(reading.config);
  if (kind != "absolute") return add_relative_key(reading, row.table, kind);
  reading.add(learned_table(table_of(reading, row.table)));
}

std::span<const ModelRow> table_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "bert roc_bert ernie qdqbert realm splinter align_text_model "
                "chinese_clip_text_model flava_text_model blip_text_model dpr retribert fnet "
                "instructblip_qformer instructblipvideo_qformer big_bird megatron-bert "
                "bert-generation mobilebert",
       .table = bert,
       .more = add_regions},
      {.types = "git_text_model",
       .table = {.weight = bert_weight, .start = FirstRow::first, .length = 1024, .width = 768}},
      {.types = "albert electra convbert squeezebert", .table = embedded("embedding_size")},
      {.types = "rembert", .table = embedded("input_embedding_size")},
      {.types = "clip_text_model clipseg_text_model xclip_text_model metaclip_2_text_model "
                "groupvit_text_model aimv2_text_model owlvit_text_model owlv2_text_model "
                "siglip_text_model siglip2_text_model",
       .table = {.weight = "text_model.embeddings.position_embedding.weight",
                 .start = FirstRow::first}},
      {.types = "gpt2 gpt_bigcode gpt-sw3 imagegpt", .table = gpt("transformer.wpe.weight")},
      {.types = "openai-gpt", .table = gpt("transformer.positions_embed.weight")},
      {.types = "gpt_neo", .table = {.weight = "transformer.wpe.weight", .start = FirstRow::first}},
      {.types = "decision_transformer",
       .table = {.weight = "embed_timestep.weight",
                 .start = FirstRow::first,
                 .length_keys = "max_ep_len",
                 .width_keys = "hidden_size"}},
      {.types = "nystromformer yoso mra",
       .table = {.weight = bert_weight, .start = FirstRow::third}},
      {.types = "opt",
       .table = {.weight = "model.decoder.embed_positions.weight", .start = FirstRow::unmasked}},
      {.types = "biogpt",
       .table = {.weight = "biogpt.embed_positions.weight", .start = FirstRow::unmasked}},
      {.types = "roberta xlm-roberta camembert longformer roberta-prelayernorm data2vec-text ibert "
                "xmod luke mluke bridgetower_text_model altclip_text_model xlm-roberta-xl",
       .table = roberta},
      {.types = "clap_text_model",
       .table = {.weight = "text_model.embeddings.position_embeddings.weight",
                 .start = FirstRow::padding}},
      {.types = "markuplm", .table = {.weight = bert_weight, .start = FirstRow::padding, .pad = 0}},
      {.types = "mpnet",
       .table = {.weight = bert_weight, .start = FirstRow::padding, .pad_key = false},
       .bias = {.weight = "encoder.relative_attention_bias.weight",
                .distance_key = "",
                .fixed = 32},
       .read = read_mpnet},
      {.types = "tapas", .table = bert, .read = read_tapas},
      {.types = "canine",
       .table = {.weight = "char_embeddings.char_position_embeddings.weight",
                 .start = FirstRow::first,
                 .length_keys = "num_hash_buckets"},
       .read = read_canine},
      {.types = "distilbert",
       .table = stored("distilbert.embeddings.position_embeddings.weight"),
       .read = read_stored},
      {.types = "xlm flaubert",
       .table = stored("transformer.position_embeddings.weight"),
       .read = read_stored},
  };
  return rows;
}

}  // namespace posenc::model
