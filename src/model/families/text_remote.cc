// text_remote.cc: text models outside transformers whose keys one family alone has.
#include <algorithm>
#include <cmath>

#include "model/families/parts.h"
#include "model/families/text_readers.h"

namespace posenc::model {
namespace {

// Whether a layer of DeciLM's list has attention.
bool has_attention(const Json& block) {
  const Json* attention = block.find("attention");
  const auto says = [&](std::string_view key) {
    const Json* value = attention ? attention->find(key) : nullptr;
    const bool* flag = value ? std::get_if<bool>(&value->value) : nullptr;
    return flag && *flag;
  };
  return attention && !says("no_op") && !says("replace_with_linear");
}

void add_alibi(const Reading& reading, const Alibi& scheme, std::string_view bias) {
  Component out{reading.where, "alibi"};
  out.facts = {{"heads", scheme.heads}, {"bias", std::string(bias)}};
  if (const auto length = length_of(reading.config, ClassSizes{}))
    out.facts.emplace_back("max_position", *length);
  out.positions = "from 0";
  ignore_rope(reading.config, "the model biases scores by distance");
  reading.add(with_scheme(out, scheme));
}

// A table for as many tokens as the model may read.
void add_length_table(const Reading& reading) {
  const auto length = length_of(reading.config, ClassSizes{});
  if (!length) reading.config.fail("n_positions, the rows of the table, got none");
  ignore_rope(reading.config, "the model has a table");
  add_table(reading, *length, width_of(reading.config, {}), 0);
}

// The layers that turn by a base of their own.
void add_group(const Reading& reading, const RopeRule& rule, RopePart part, int64_t window) {
  if (part.layers.empty()) return;
  Component out = rope_component(reading, rule, part);
  if (window > 0) set_fact(out, "window", window);
  reading.add(std::move(out));
}

void add_picture_table(const Reading& reading, int64_t side, int64_t width,
                       const std::string& weight) {
  Component out = patch_table({side, side}, 1, width, weight);
  out.where = "vision";
  reading.add(std::move(out));
}

}  // namespace

// Puzzle's models: a list says of every layer whether it attends. Two names of
// position_embedding_type turn neighbours.
void read_decilm(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const int64_t all = layers_of(config, rule.rope.sizes);
  const Json* blocks = config.json().find("block_configs");
  RopePart part;
  std::vector<double> still;
  if (blocks && blocks->list()) {
    if (std::ssize(*blocks->list()) < all)
      config.fail("block_configs for ", all, " layers, got ", blocks->list()->size());
    for (int64_t i = 0; i < all; ++i)
      if (has_attention((*blocks->list())[static_cast<size_t>(i)]))
        part.layers.push_back(i);
      else
        still.push_back(static_cast<double>(i));
    if (part.layers.empty()) return add_none(reading, "no layer has attention");
  }
  RopeRule rope = rule.rope;
  const std::string kind = config.text({"position_embedding_type"}).value_or("rope");
  if (kind == "mistral_yarn" || kind == "rope_llama4") rope.layout = Layout::interleaved;
  if (still.empty()) part.layers.clear();
  Component out = rope_component(reading, rope, part);
  if (!still.empty()) set_fact(out, "layers_without_attention", std::move(still));
  reading.add(std::move(out));
}

// The base is that of the trained length in units of base_seqlen, by NTK's rule.
void read_telechat(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const auto trained = config.whole({"training_seqlen"});
  const int64_t unit =
      config.whole({"base_seqlen"}, 4096, "a constant of the first TeleChat's code");
  Component out = rope_component(reading, rule.rope);
  if (trained) set_fact(out, "trained_length", *trained);
  if (trained && *trained > 0 && unit > 0) {
    const double ratio = static_cast<double>(*trained) / static_cast<double>(unit);
    const double factor = std::max(std::exp2(std::ceil(std::log2(ratio) + 1)) - 1, 1.0);
    if (rope_of(out) && factor != 1) set_scaling(out, "ntk", Ntk{.factor = factor});
  }
  reading.add(std::move(out));
  reading.trap(
      "Past training_seqlen the base grows in steps and cosines and sines are multiplied by "
      "0.1 ln(length / training_seqlen) + 1, which is not implemented here: the encoding is right "
      "up to that length.");
}

void read_index(const Reading& reading, const ModelRow& rule) {
  RopePart part;
  if (const auto ratio = reading.config.number({"rope_ratio"})) part.given = 10000 * *ratio;
  add_rope(reading, rule.rope, part);
}

void read_llada(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const bool biased = config.flag({"alibi"}).value_or(false);
  config.pass({"alibi_bias_max", "rope_full_precision"});
  if (config.flag({"rope"}, false, by_class)) return read_alike(reading, rule);
  if (!biased) return add_length_table(reading);
  const double most = config.number({"alibi_bias_max"}).value_or(8);
  add_alibi(reading, {.heads = heads_of(config, {}), .bias_max = most}, "-slope*distance");
}

void read_codeshell(const Reading& reading, const ModelRow& rule) {
  const std::string kind = reading.config.text({"position_embedding_type"}).value_or("rope");
  kind == "rope" ? read_alike(reading, rule) : add_length_table(reading);
}

void read_jais(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  if (config.text({"position_embedding_type"}).value_or("learned") != "alibi")
    return add_length_table(reading);
  add_alibi(reading, {.heads = heads_of(config, {})}, "-slope*distance");
  if (config.has("alibi_scaling"))
    reading.trap("alibi_scaling divides the slopes of long texts, which is not done here.");
  config.pass({"alibi_scaling"});
}

void read_step1(const Reading& reading, const ModelRow&) {
  add_alibi(reading, {.heads = heads_of(reading.config, {}), .square_root = true},
            "-slope*sqrt(distance)");
  reading.trap("The bias falls with the square root of the distance, not with the distance.");
}

// Sliding layers may have other heads, and so other sizes of them.
void read_baichuan_m1(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const Kinds kinds = layer_kinds(config, rule.rope.sizes, rule.layers);
  const int64_t width = width_of(config, {});
  const int64_t heads = heads_of(config, {});
  add_group(reading, rule.rope,
            {.where = reading.where + ", full layers", .layers = layers_where(kinds, is_full)}, 0);
  const int64_t others = config.whole({"num_swa_attention_heads"}).value_or(heads);
  const int64_t window = config.whole({"sliding_window"}).value_or(0);
  add_group(reading, rule.rope,
            {.where = reading.where + ", sliding layers",
             .layers = layers_where(kinds, is_sliding),
             .head = head_size(config, width, others)},
            window);
}

// One layer of mamba_step attends; of those, the ones in full_attention_idx see everything.
void read_plamo2(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const int64_t all = layers_of(config, rule.rope.sizes);
  const bool mamba = config.flag({"mamba_enabled"}, true, by_class);
  const int64_t step = mamba ? size_or(config, "mamba_step", 2, "the period of attention") : 1;
  const auto whole = config.numbers({"full_attention_idx"}).value_or(std::vector<double>{});
  RopePart wide{.where = reading.where + ", full layers"};
  RopePart narrow{.where = reading.where + ", sliding layers", .base_key = "rope_local_theta"};
  narrow.reads_base = !config.has("rope_local_theta");
  if (narrow.reads_base) narrow.base_key = {};
  wide.head = narrow.head = size_or(config, "hidden_size_per_head", 128, "the size of a head");
  for (int64_t i = 0; i < all; ++i) {
    if (all <= step / 2 ? i != all - 1 : i % step != step / 2) continue;
    const bool full_layer =
        std::find(whole.begin(), whole.end(), static_cast<double>(i)) != whole.end();
    (full_layer ? wide : narrow).layers.push_back(i);
  }
  add_group(reading, rule.rope, std::move(wide), 0);
  add_group(reading, rule.rope, std::move(narrow),
            config.whole({"attention_window_size"}, 2048, by_class));
}

// The picture encoder of both is CLIP's ViT-L/14 at 336 pixels, whatever keys say.
void read_phi3_v(const Reading& reading, const ModelRow& rule) {
  read_alike(reading, rule);
  add_picture_table(reading, 24, 1024,
                    "model.vision_embed_tokens.img_processor.vision_model.embeddings."
                    "position_embedding.weight");
}

void read_molmo(const Reading& reading, const ModelRow& rule) {
  read_alike(reading, rule);
  add_picture_table(reading, 24, 1024, "model.vision_backbone.image_vit.positional_embedding");
}

}  // namespace posenc::model
