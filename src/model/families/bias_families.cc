// bias_families.cc: text models whose scores know distances: T5, DeBERTa, Transformer-XL.
#include <algorithm>

#include "model/families/class_defaults.h"
#include "model/families/parts.h"

namespace posenc::model {
namespace {

std::string block_weight(std::string_view side, bool every_layer) {
  return std::string(side) + ".block." + (every_layer ? "N" : "0") +
         ".layer.0.SelfAttention.relative_attention_bias.weight";
}

struct T5Row {
  std::string_view types;
  bool every = false;    // layer has a table of its own
  bool windows = false;  // are what the encoder attends in
};
constexpr T5Row t5_rows[] = {
    {"t5 byt5 pop2piano flan-t5 myt5"},
    {"mt5"},
    {"switch_transformers"},
    {.types = "longt5", .windows = true},
    {.types = "umt5", .every = true},
};

void add_buckets(const Reading& reading, std::string_view side, int64_t heads, bool every) {
  const Config& config = reading.config;
  const T5Bias bias{.heads = heads,
                    .buckets = size_of(config, "relative_attention_num_buckets", 32),
                    .max_distance = size_of(config, "relative_attention_max_distance", 128),
                    .bidirectional = side == "encoder"};
  Component out = bucket_bias(bias, block_weight(side, every));
  out.where = reading.where.ends_with(side) ? reading.where : std::string(side);
  out.facts.emplace_back(
      "table", every ? "own table in every layer" : "first layer only, shared by all layers");
  reading.add(std::move(out));
}

// The sides a configuration is for: an encoder may stand alone, or inside another model.
bool is_encoder_only(const Reading& reading) {
  const Config& config = reading.config;
  return has_architecture(config, "EncoderModel") ||
         has_architecture(config, "ForTokenClassification") || reading.where.ends_with("encoder") ||
         config.whole({"num_decoder_layers"}).value_or(1) == 0;
}

void read_t5(const Reading& outer) {
  const Reading reading = named(outer, "");
  const Config& config = reading.config;
  const T5Row& row = row_of(t5_rows, reading.type);
  const int64_t heads = size_of(config, "num_heads num_attention_heads n_heads",
                                class_defaults(row.types, reading.type).sizes.heads);
  config.ignore({"n_positions"}, "distances have no end here");
  if (reading.where != "decoder") add_buckets(reading, "encoder", heads, row.every);
  if (!is_encoder_only(reading)) add_buckets(reading, "decoder", heads, row.every);
  reading.trap(
      "scores are not divided by the root of the head size, and the bias is added to them as they "
      "are");
  if (row.windows)
    reading.trap(
        "the encoder attends in windows; with encoder_attention_type transient-global tokens that "
        "stand for a block have a second table");
}

// The decoder of a model that reads pictures of texts.
void read_pix2struct_text(const Reading& reading) {
  const T5Bias bias{.heads = size_of(reading.config, "num_heads num_attention_heads", 12),
                    .buckets = size_of(reading.config, "relative_attention_num_buckets", 32),
                    .max_distance = size_of(reading.config, "relative_attention_max_distance", 128),
                    .bidirectional = false};
  reading.add(
      bucket_bias(bias, "decoder.layer.0.self_attention.attention.relative_attention_bias.weight"));
}

// "p2c|c2p", or a list.
std::vector<std::string> terms_of(const Config& config, std::string_view otherwise) {
  const Json* json = config.json().find("pos_att_type");
  if (json && json->list()) return *config.texts({"pos_att_type"});
  std::vector<std::string> out;
  const std::string all = config.text({"pos_att_type"}).value_or(std::string(otherwise));
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find('|', at), all.size());
    out.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

Deberta disentangled(const Config& config, const Disentangled& otherwise,
                     const std::vector<std::string>& terms) {
  const auto has = [&](const char* term) {
    return std::find(terms.begin(), terms.end(), term) != terms.end();
  };
  Deberta out{.heads = size_of(config, "num_attention_heads", otherwise.heads)};
  const int64_t width = size_of(config, "hidden_size", otherwise.width);
  out.dim = config.has("attention_head_size") ? size_of(config, "attention_head_size", 0)
                                              : head_size(config, width, out.heads);
  const int64_t count = config.whole({"position_buckets"}).value_or(otherwise.position_buckets);
  const bool grows = otherwise.buckets && count > 0;
  out.buckets = grows ? size_of(config, "position_buckets", otherwise.position_buckets) : 0;
  const int64_t said = config.whole({"max_relative_positions"}).value_or(-1);
  out.max_distance = said >= 1 ? size_of(config, "max_relative_positions", 0)
                               : size_of(config, "max_position_embeddings", 512);
  out.c2p = has("c2p");
  out.p2c = has("p2c");
  return out;
}

}  // namespace

void add_disentangled(const Reading& reading, const Disentangled& otherwise) {
  const Config& config = reading.config;
  const auto terms = terms_of(config, otherwise.terms);
  const Deberta scheme = disentangled(config, otherwise, terms);
  Component out{"", "deberta", {}};
  if (scheme.buckets > 0) out.facts.emplace_back("position_buckets", scheme.buckets);
  out.facts.insert(
      out.facts.end(),
      {{"max_relative_positions", scheme.max_distance},
       {"rel_embedding_rows", 2 * scheme.span()},
       {"heads", scheme.heads},
       {"head_dim", scheme.dim},
       {"pos_att_type", join(terms, "|")},
       {"share_att_key", config.flag({"share_att_key"}).value_or(otherwise.shares_keys)},
       {"norm_rel_ebd", config.text({"norm_rel_ebd"}).value_or(std::string(otherwise.norm))},
       {"scale_factor", int64_t{1} + scheme.c2p + scheme.p2c},
       {"weight", "encoder.rel_embeddings.weight"}});
  if (const auto kernel = config.whole({"conv_kernel_size"}))
    out.facts.emplace_back("conv_kernel_size", *kernel);
  out.positions = "distances between tokens";
  reading.trap(
      "every term, content and position, is divided by sqrt(head size x scale_factor), not "
      "by sqrt(head size)");
  reading.add(scheme.c2p || scheme.p2c ? with_scheme(out, scheme) : out);
}

namespace {

void read_deberta(const Reading& reading, bool v1) {
  const Config& config = reading.config;
  const ClassSizes otherwise = class_sizes(reading.type);
  if (config.flag({"relative_attention"}, false, "the default of its class"))
    add_disentangled(reading, {!v1, otherwise.width, otherwise.heads});
  if (v1) config.ignore({"position_buckets"}, "version 1 has a row for every distance");
  if (config.flag({"position_biased_input"}, true, "the default of its class")) {
    const Keys width = config.has("embedding_size") ? "embedding_size" : "hidden_size";
    TrainedTable table{length_of(config, "max_position_embeddings", 512),
                       size_of(config, width, otherwise.width)};
    table.weight = "embeddings.position_embeddings.weight";
    reading.add(learned_table(table));
  }
}
void read_deberta_v1(const Reading& reading) { read_deberta(reading, true); }
void read_deberta_v2(const Reading& reading) { read_deberta(reading, false); }

// Sines, then cosines of the distance, over the model's whole width.
TransformerXl recurrent(const Config& config, int64_t width, int64_t heads, int64_t dim) {
  TransformerXl out{.dim = dim, .heads = heads};
  out.sinusoids.dim = width;
  const auto clamp = config.whole({"clamp_len"});
  if (clamp && *clamp > 0) out.clamp_len = size_of(config, "clamp_len", 0);
  return out;
}

Component recurrent_part(const TransformerXl& scheme, std::string weights) {
  Component out{"", "transformer-xl", {}};
  out.facts = {{"d_model", scheme.sinusoids.dim},
               {"heads", scheme.heads},
               {"d_head", scheme.dim},
               {"sin_cos", "sin block then cos block, base 10000, over d_model"},
               {"clamp_len", scheme.clamp_len > 0 ? scheme.clamp_len : -1},
               {"weights", std::move(weights)}};
  out.positions = "distances between tokens";
  return with_scheme(out, scheme);
}

void read_xlnet(const Reading& reading) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "d_model hidden_size", 1024);
  const int64_t heads = size_of(config, "n_head num_attention_heads", 16);
  const int64_t dim =
      config.has("d_head") ? size_of(config, "d_head", 0) : head_size(config, width, heads);
  Component out = recurrent_part(recurrent(config, width, heads, dim),
                                 "layer.N.rel_attn.{r,r_w_bias,r_r_bias,r_s_bias,seg_embed}");
  const bool both = config.flag({"bi_data"}, false, "the default of its class");
  const std::string kind = config.text({"attn_type"}).value_or("bi");
  out.facts.emplace_back("distances", kind == "bi" ? "klen .. -qlen" : "klen .. -1");
  out.facts.emplace_back("bi_data", both);
  out.facts.emplace_back("untie_r", config.flag({"untie_r"}).value_or(true));
  if (both) {
    out.ready.reset();
    reading.trap("bi_data: the second half of a batch counts distances backwards");
  }
  reading.add(std::move(out));
}

void read_transfo_xl(const Reading& reading) {
  const Config& config = reading.config;
  const int64_t width = size_of(config, "d_model hidden_size", 1024);
  const int64_t heads = size_of(config, "n_head num_attention_heads", 16);
  const int64_t dim = size_of(config, "d_head", 64);
  Component out = recurrent_part(recurrent(config, width, heads, dim),
                                 "layers.N.dec_attn.{r_net.weight,r_w_bias,r_r_bias}");
  out.facts.emplace_back("distances", "klen-1 .. 0");
  out.facts.emplace_back("untie_r", config.flag({"untie_r"}).value_or(true));
  reading.trap(
      "scores above the diagonal are masked: the shift that makes distances out of rows "
      "gives other numbers there");
  reading.add(std::move(out));
}

}  // namespace

std::vector<Family> bias_list() {
  return joined(families_of(t5_rows, read_t5),
                std::vector<Family>{{"pix2struct_text_model", read_pix2struct_text},
                                    {"deberta", read_deberta_v1},
                                    {"deberta-v2", read_deberta_v2},
                                    {"xlnet", read_xlnet},
                                    {"transfo-xl", read_transfo_xl}});
}

}  // namespace posenc::model
