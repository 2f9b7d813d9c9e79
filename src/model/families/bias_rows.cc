// bias_rows.cc: text models whose scores know distances: T5, DeBERTa, Transformer-XL.
#include <algorithm>

#include "base/text.h"
#include "model/families/model_row.h"
#include "model/ready.h"

namespace posenc::model {
namespace {

// The sides a configuration is for: an encoder may stand alone, or inside another model.
bool is_encoder_only(const Reading& reading) {
  const Config& config = reading.config;
  return has_architecture(config, "EncoderModel") ||
         has_architecture(config, "ForTokenClassification") || reading.where.ends_with("encoder") ||
         config.whole({"num_decoder_layers"}).value_or(1) == 0;
}

// A gate of each query and head multiplies the bias.
void add_gate(const Reading& reading, const T5Bias& bias, Component& out) {
  out.facts.emplace_back("gated", "gru_rel_pos gate per query");
  reading.trap(
      "the bias is multiplied by a gate of each query and head (gru_rel_pos) before it is "
      "added; the table is layer 0's, the gates are each layer's own");
  const int64_t width = size_of(reading.config, "hidden_size");
  const int64_t dim = head_size(reading.config, width, bias.heads);
  set_ready(out, GatedT5{dim, bias.heads, bias.buckets, bias.max_distance});
}

void add_buckets(const Reading& reading, const BiasRow& row, int64_t heads, std::string_view side) {
  T5Bias bias{.heads = heads,
              .buckets = size_of(reading.config, row.bucket_key),
              .bidirectional = side != "decoder"};
  if (!row.distance_key.empty()) bias.max_distance = size_of(reading.config, row.distance_key);
  const bool both = row.sides == BiasSides::both;
  Component out = bucket_bias(bias, (both ? std::string(side) : "") + std::string(row.weight));
  if (both)
    out.facts.emplace_back("table", row.every_layer ? "own table in every layer"
                                                    : "first layer only, shared by all layers");
  if (row.gated) add_gate(reading, bias, out);
  if (row.fixed > 0 && bias.buckets != row.fixed) {
    out.ready.reset();
    reading.trap("the code counts " + text::write(row.fixed) + " buckets whatever " +
                 std::string(row.bucket_key) + " says");
  }
  reading.add(both && !reading.where.ends_with(side) ? side : reading.where, std::move(out));
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
  Deberta out{.heads = size_of(config, "num_attention_heads")};
  const int64_t width = size_of(config, "hidden_size");
  out.dim = config.has("attention_head_size") ? size_of(config, "attention_head_size")
                                              : head_size(config, width, out.heads);
  const int64_t none = static_cast<int64_t>(class_number(config, "position_buckets").value_or(-1));
  const bool grows = otherwise.buckets && config.whole({"position_buckets"}).value_or(none) > 0;
  out.buckets = grows ? size_of(config, "position_buckets") : 0;
  const int64_t said = config.whole({"max_relative_positions"}).value_or(-1);
  out.max_distance = said >= 1 ? size_of(config, "max_relative_positions")
                               : size_of(config, "max_position_embeddings");
  out.c2p = has("c2p");
  out.p2c = has("p2c");
  return out;
}

}  // namespace

void add_bias(const Reading& reading, const ModelRow& given) {
  const BiasRow& row = given.bias;
  const int64_t heads = size_of(reading.config, row.head_keys, given.rope.sizes.heads);
  if (row.sides != BiasSides::both)
    return add_buckets(reading, row, heads, row.sides == BiasSides::decoder ? "decoder" : "");
  reading.config.ignore_unless({"n_positions"}, 512, "distances have no end here");
  if (reading.where != "decoder") add_buckets(reading, row, heads, "encoder");
  if (!is_encoder_only(reading)) add_buckets(reading, row, heads, "decoder");
  reading.trap(
      "scores are not divided by the root of the head size, and the bias is added to them as they "
      "are");
}

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

template <bool v1>
void read_deberta(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  if (config.flag({"relative_attention"}, false, by_class)) add_disentangled(reading, {!v1});
  if (v1) config.ignore({"position_buckets"}, "version 1 has a row for every distance");
  if (config.flag({"position_biased_input"}, true, by_class)) {
    const Keys width = config.has("embedding_size") ? "embedding_size" : "hidden_size";
    reading.add(learned_table({.rows = length_of(config, "max_position_embeddings"),
                               .dim = size_of(config, width),
                               .weight = "embeddings.position_embeddings.weight"}));
  }
}

// Sines, then cosines of the distance, over the model's whole width.
Component recurrent_part(const Config& config, int64_t class_head, std::string weights,
                         Facts more = {}) {
  TransformerXl scheme;
  scheme.sinusoids.dim = size_of(config, "d_model hidden_size", 1024);
  scheme.heads = size_of(config, "n_head num_attention_heads", 16);
  scheme.dim = class_head > 0 || config.has("d_head")
                   ? size_of(config, "d_head", class_head)
                   : head_size(config, scheme.sinusoids.dim, scheme.heads);
  const auto clamp = config.whole({"clamp_len"});
  if (clamp && *clamp > 0) scheme.clamp_len = size_of(config, "clamp_len");
  more.insert(more.begin(), {{"clamp_len", scheme.clamp_len > 0 ? scheme.clamp_len : -1},
                             {"weights", std::move(weights)}});
  return recurrent_terms(scheme, "sin block then cos block, base 10000, over d_model",
                         std::move(more), "distances between tokens");
}

void read_xlnet(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  Component out =
      recurrent_part(config, 0, "layer.N.rel_attn.{r,r_w_bias,r_r_bias,r_s_bias,seg_embed}");
  const bool both = config.flag({"bi_data"}, false, by_class);
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

void read_transfo_xl(const Reading& reading, const ModelRow&) {
  Component out =
      recurrent_part(reading.config, 64, "layers.N.dec_attn.{r_net.weight,r_w_bias,r_r_bias}",
                     {{"distances", "klen-1 .. 0"}});
  out.facts.emplace_back("untie_r", reading.config.flag({"untie_r"}).value_or(true));
  reading.trap(
      "scores above the diagonal are masked: the shift that makes distances out of rows "
      "gives other numbers there");
  reading.add(std::move(out));
}

void tell_blocks(const Reading& outer) {
  const Reading reading = named(outer, "");
  reading.trap(
      "the encoder attends in windows; with encoder_attention_type transient-global tokens that "
      "stand for a block have a second table");
}

constexpr BiasRow t5(bool every_layer) {
  return {.weight = every_layer ? ".block.N.layer.0.SelfAttention.relative_attention_bias.weight"
                                : ".block.0.layer.0.SelfAttention.relative_attention_bias.weight",
          .sides = BiasSides::both,
          .head_keys = "num_heads num_attention_heads n_heads",
          .every_layer = every_layer};
}

}  // namespace

std::span<const ModelRow> bias_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "t5 byt5 pop2piano flan-t5 myt5 mt5 switch_transformers",
       .where = "",
       .bias = t5(false)},
      {.types = "longt5", .where = "", .bias = t5(false), .more = tell_blocks},
      {.types = "umt5", .where = "", .bias = t5(true)},
      {.types = "pix2struct_text_model",
       .bias = {.weight = "decoder.layer.0.self_attention.attention.relative_attention_bias.weight",
                .sides = BiasSides::decoder,
                .head_keys = "num_heads num_attention_heads"}},
      {.types = "deberta", .read = read_deberta<true>},
      {.types = "deberta-v2", .read = read_deberta<false>},
      {.types = "xlnet", .read = read_xlnet},
      {.types = "transfo-xl", .read = read_transfo_xl},
  };
  return rows;
}

}  // namespace posenc::model
