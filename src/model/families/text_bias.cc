// text_bias.cc: text models that bias scores by distance (ALiBi).
#include <cmath>

#include "model/families/parts.h"
#include "model/families/text_readers.h"
#include "relative/forms.h"

namespace posenc::model {
namespace {

std::string paper_slopes(const Alibi& scheme) {
  return "2^(-" + text::write(scheme.bias_max) +
         " h/n) for the largest power of two n of the heads, then every second one of 2n";
}

Component alibi(const Reading& reading, const Alibi& scheme, std::string_view bias,
                const ClassSizes& sizes) {
  Component out{reading.where, "alibi"};
  out.facts = {{"heads", scheme.heads},
               {"alibi_bias_max", scheme.bias_max},
               {"symmetric", scheme.form == AlibiForm::symmetric},
               {"slopes", paper_slopes(scheme)},
               {"bias", std::string(bias)}};
  if (const auto length = length_of(reading.config, sizes))
    out.facts.emplace_back("max_position", *length);
  out.positions = "from 0";
  out.ready = checked(scheme);
  return out;
}

void forget_rope(const Reading& reading) {
  ignore_rope(reading.config, "the model biases scores by distance");
}

}  // namespace

void read_bloom(const Reading& reading, const ModelRow& rule) {
  const Alibi scheme{.heads = heads_of(reading.config, rule.rope.sizes), .form = AlibiForm::keys};
  forget_rope(reading);
  reading.config.pass({"seq_length"});
  Component out = alibi(reading, scheme, "slope*key_index", rule.rope.sizes);
  out.positions = "tokens that the mask shows, from 0";
  reading.trap(
      "The bias is the slope times the key's own position, so rows differ from the "
      "paper's by a constant; padding on the left shifts it unless positions follow the "
      "mask.");
  reading.add(std::move(out));
}

void read_falcon(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  // Files of the first Falcons call the sizes n_head and n_layer.
  if (!config.flag({"alibi"}, false, by_class)) return read_alike(reading, rule);
  Alibi scheme{.heads = heads_of(config, rule.rope.sizes), .form = AlibiForm::keys};
  checked(scheme);
  const int64_t head = head_dim_of(config, rule.rope.sizes);
  std::vector<double> slopes;
  for (int64_t h = 0; h < scheme.heads; ++h)
    slopes.push_back(forms::rounded(scheme.slope(h), AlibiRounding::bf16) /
                     std::sqrt(static_cast<double>(head)));
  scheme.slopes = std::move(slopes);
  forget_rope(reading);
  Component out = alibi(reading, scheme, "slope*key_index/sqrt(head_dim)", rule.rope.sizes);
  set_fact(out, "head_dim", head);
  reading.trap(
      "The bias is added before the scores are divided by sqrt(head_dim), so it is divided "
      "too; slopes are rounded to bfloat16.");
  reading.add(std::move(out));
}

void add_table(const Reading& reading, int64_t rows, int64_t dim, int64_t offset) {
  TrainedTable table{.rows = rows, .dim = dim, .offset = offset};
  if (offset > 0) {
    table.padding = offset - 1;
    table.positions = "padding is skipped; the first token reads row " + std::to_string(offset);
  }
  reading.add(learned_table(table));
}

void read_mpt(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const auto attention = config.inside({"attn_config"});
  const bool biased = attention ? attention->flag({"alibi"}, true, by_class) : true;
  if (!biased) {
    if (attention->flag({"rope"}) == true)
      return reading.add(
          rope_component({*attention, reading.type, reading.where, reading.components},
                         {.sizes = {.head = head_dim_of(config, rule.rope.sizes)}}));
    reading.trap(
        "transformers adds ALiBi to every MPT, even where alibi is false as here; the "
        "model's own code does not.");
    if (!config.flag({"learned_pos_emb"}, true, by_class))
      return add_none(reading, "neither alibi nor rope nor learned_pos_emb is true");
    const auto rows = length_of(config, rule.rope.sizes);
    return add_table(reading, *rows, width_of(config, rule.rope.sizes), 0);
  }
  Alibi scheme{.heads = heads_of(config, rule.rope.sizes), .form = AlibiForm::keys};
  if (attention) scheme.bias_max = attention->number({"alibi_bias_max"}, 8, by_class);
  if (scheme.bias_max != 8)
    reading.trap(
        "transformers does not read alibi_bias_max and takes 8; the model's own code has " +
        text::write(scheme.bias_max) + ".");
  config.unused({"learned_pos_emb"}, "there is no table where alibi is on");
  forget_rope(reading);
  Component out = alibi(reading, scheme, "slope*(j-(klen-1))", rule.rope.sizes);
  out.positions = "the last key is at 0, those before it at -1, -2, ...";
  reading.add(std::move(out));
}

void read_jina_alibi(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  config.text({"position_embedding_type"});
  const Alibi scheme{.heads = heads_of(config, rule.rope.sizes)};
  reading.trap(
      "The type says bert, but there is no table: scores get -slope |i - j| on both sides.");
  Component out = alibi(reading, scheme, "-slope*|i-j|", rule.rope.sizes);
  config.pass({"model_max_length"});
  reading.add(std::move(out));
}

// 40 layers of width 5120 are the 13B model, which has ALiBi; no key says so.
void read_baichuan(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const int64_t width = width_of(config, rule.rope.sizes);
  const bool large = layers_of(config, rule.rope.sizes) == 40 || width == 5120;
  config.pass({"model_max_length"});
  if (!large) {
    reading.trap(
        "Baichuan has rope at 7B and ALiBi at 13B; no key says which, only the size does.");
    return read_alike(reading, rule);
  }
  config.journal().note(NoteKind::assumed, "",
                        "ALiBi, because 40 layers or a width of 5120 are those of Baichuan-13B");
  const Alibi scheme{.heads = heads_of(config, rule.rope.sizes), .form = AlibiForm::keys};
  forget_rope(reading);
  reading.add(alibi(reading, scheme, "slope*key_index", rule.rope.sizes));
}

// A small projection of each token gives its own bias for every distance.
void read_inkling(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const Kinds kinds = layer_kinds(config, rule.rope.sizes, rule.layers);
  Component out{reading.where, "relative-logits"};
  out.facts = {{"heads", heads_of(config, rule.rope.sizes)},
               {"dim", config.whole({"d_rel"}, 16, by_class)},
               {"rows", config.whole({"rel_extent"}, 1024, by_class)},
               {"formula", "score += (r W)[i-j], r = a projection of the token to heads x d_rel"},
               {"weights", "self_attn.{r_proj,rel_logits_proj.proj}"}};
  if (config.has("sliding_window_size") || !is_written(config, "sliding_window_size"))
    out.facts.emplace_back("window",
                           config.whole({"sliding_window_size"}, rule.window.size, by_class));
  const auto windowed =
      layers_where(kinds, [](std::string_view kind) { return kind == "hybrid_sliding"; });
  out.facts.emplace_back("window_layers", std::vector<double>(windowed.begin(), windowed.end()));
  out.positions = "distances between tokens; beyond rel_extent there is no bias";
  if (config.whole({"log_scaling_n_floor"}))
    reading.trap("Past log_scaling_n_floor queries grow with the logarithm of the position.");
  config.pass({"max_position_embeddings", "local_layer_ids", "model_max_length"});
  reading.add(std::move(out));
}

}  // namespace posenc::model
