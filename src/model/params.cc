// params.cc: the params.json of Meta's and Mistral's own releases.
//
// Their weights pair neighbours, (2i, 2i + 1); those on the Hugging Face Hub are reordered to
// halves.
#include <algorithm>
#include <cmath>

#include "model/families/families.h"
#include "model/formats.h"
#include "model/ready.h"

namespace posenc::model {
namespace {

constexpr int64_t most_params_layers = 4096;

bool is_mistral(const Config& config) {
  return config.has({"hidden_dim", "yarn", "sliding_window"});
}
bool is_llama4(const Config& config) {
  return config.has({"nope_layer_interval", "moe_args", "attention_chunk_size"});
}

int64_t head_dim_of(const Config& config) {
  if (config.has("head_dim")) return config.needed({"head_dim"}, "the features of a head");
  const int64_t dim = config.needed({"dim"}, "the features of a token");
  const int64_t heads = config.needed({"n_heads"}, "the number of heads");
  if (heads > dim || dim % heads != 0)
    fail(ErrorKind::data, "read", "expected dim that n_heads divides, got ", dim, " and ", heads);
  return dim / heads;
}

// Llama 3.2's two small models have the keys of Llama 3.1.
bool is_small_llama3_2(const Config& config) {
  const auto dim = config.whole({"dim"}), layers = config.whole({"n_layers"});
  return (dim == 2048 && layers == 16) || (dim == 3072 && layers == 28);
}

double llama3_factor(const Config& config) {
  const char* why = "the value in Meta's code";
  double otherwise = 8;
  if (is_llama4(config)) {
    otherwise = 16;
  } else if (is_small_llama3_2(config)) {
    otherwise = 32;
    why = "as the configurations of Llama 3.2 1B and 3B say; Meta's own code has 8 for every model";
  }
  return config.number({"rope_scaling_factor", "rope_scale_factor"}, otherwise, why);
}

void read_llama3(const Config& config, Facts& facts, Rope& rope) {
  if (!config.flag({"use_scaled_rope"}).value_or(false)) {
    facts.emplace_back("scaling.type", "default");
    return;
  }
  Llama3 rule;
  rule.factor = llama3_factor(config);
  rule.high_freq_factor = config.number({"rope_high_freq_factor"}, is_llama4(config) ? 1 : 4,
                                        "the value in Meta's code");
  facts.emplace_back("scaling.type", "llama3");
  facts.emplace_back("scaling.factor", rule.factor);
  facts.emplace_back("scaling.low_freq_factor", rule.low_freq_factor);
  facts.emplace_back("scaling.high_freq_factor", rule.high_freq_factor);
  facts.emplace_back("scaling.original_max_position_embeddings",
                     rule.original_max_position_embeddings);
  rope.scaling = rule;
}

// Mistral's: beta and alpha are the turns at the fast and at the slow end of the ramp.
void read_yarn(const Config& inside, Facts& facts, Rope& rope) {
  Yarn rule;
  rule.factor = inside.number({"factor"}, 1, "no lengthening");
  rule.original_max_position_embeddings =
      inside.needed({"original_max_position_embeddings"}, "the length it was trained on");
  rule.beta_fast = inside.number({"beta"}, 32, "YaRN's default");
  rule.beta_slow = inside.number({"alpha"}, 1, "YaRN's default");
  const bool applied = inside.flag({"apply_scale"}, true, "the magnitude is applied");
  rule.attention_factor = applied ? rule.magnitude(1) : 1;
  facts.emplace_back("scaling.type", "yarn");
  facts.emplace_back("scaling.factor", rule.factor);
  facts.emplace_back("scaling.original_max_position_embeddings",
                     rule.original_max_position_embeddings);
  facts.emplace_back("scaling.beta_fast", rule.beta_fast);
  facts.emplace_back("scaling.beta_slow", rule.beta_slow);
  facts.emplace_back("scaling.truncate", rule.truncate);
  facts.emplace_back("scaling.attention_factor", *rule.attention_factor);
  rope.scaling = rule;
}

// Queries of long texts grow: Ministral 3, Mistral Large 3.
void read_temperature(const Config& config, Facts& facts, Rope& rope) {
  const auto inside = config.inside({"llama_4_scaling"});
  if (!inside) return;
  const double scale = inside->number({"beta"}, 0.1, "the usual value");
  const int64_t floor =
      inside->needed({"original_max_position_embeddings"}, "the length it was trained on");
  facts.emplace_back("attn_scale", scale);
  facts.emplace_back("floor_scale", floor);
  rope.temperature = LogTemperature{scale, static_cast<double>(floor), 0};
}

// Llama 4: every so many layers one does not turn.
void read_nope(const Reading& in, Component& part) {
  const auto interval = in.config.whole({"nope_layer_interval"});
  const int64_t layers = in.config.needed({"n_layers"}, "how many layers there are");
  if (layers > most_params_layers)
    fail(ErrorKind::data, "read", "expected at most ", most_params_layers, " layers, got ", layers);
  if (!interval) return;
  if (*interval < 1)
    fail(ErrorKind::data, "read", "expected nope_layer_interval of at least 1, got ", *interval);
  std::vector<double> nope;
  for (int64_t i = 0; i < layers; ++i)
    if ((i + 1) % *interval == 0)
      nope.push_back(static_cast<double>(i));
    else
      part.layers.push_back(i);
  part.facts.emplace_back("nope_layers", std::move(nope));
  if (!in.config.flag({"attn_temperature_tuning"}).value_or(false)) return;
  part.facts.emplace_back("attn_temperature_tuning", true);
  part.facts.emplace_back("floor_scale", in.config.number({"floor_scale"}, 8192, "Meta's default"));
  part.facts.emplace_back("attn_scale", in.config.number({"attn_scale"}, 0.1, "Meta's default"));
  in.trap("only layers without rotation multiply their queries by the temperature");
}

double base_of(const Config& config) {
  return config.number({"rope_theta"}, 10000,
                       is_mistral(config) ? "Mistral's default"
                                          : "as for Llama 1 and 2; files of Llama 3 say theirs");
}

void read_text_params(const Reading& in) {
  const Config& config = in.config;
  Rope rope;
  rope.layout = Layout::interleaved, rope.base = base_of(config);
  Component part{in.where, "rope", {}};
  part.positions = "from 0";
  const bool latent = config.has("qk_rope_head_dim");
  rope.dim = latent ? config.needed({"qk_rope_head_dim"}, "the features that rotate")
                    : head_dim_of(config);
  part.facts = {{"layout", "interleaved"},
                {"head_dim", rope.dim},
                {"rotary_dim", rope.dim},
                {"rotated_part", latent ? "last qk_rope_head_dim of each q head; one shared k_pe "
                                          "per token"
                                        : "first"},
                {"base", rope.base}};
  if (const auto yarn = config.inside({"yarn"}))
    read_yarn(*yarn, part.facts, rope);
  else
    read_llama3(config, part.facts, rope);
  if (const auto longest = config.whole({"max_position_embeddings", "max_seq_len"}))
    part.facts.emplace_back("max_position", *longest);
  if (const Json* window = config.json().find("sliding_window"); window && !window->list())
    part.facts.emplace_back("window", config.needed({"sliding_window"}, "the window"));
  read_temperature(config, part.facts, rope);
  read_nope(in, part);
  config.pass({"sliding_window", "qk_nope_head_dim", "n_kv_heads", "attention_chunk_size"});
  set_ready(part, rope);
  in.add(std::move(part));
  in.trap(
      "this release's weights pair neighbours, (2i, 2i + 1); the same model on the Hugging Face "
      "Hub "
      "has rows of q and k reordered to halves");
}

void tell_encoders(const Config& config) {
  for (const char* key : {"vision_args", "vision_encoder", "multimodal", "vision_chunk_size"})
    if (const Json* json = config.json().find(key);
        json &&
        !(std::holds_alternative<int64_t>(json->value) && std::get<int64_t>(json->value) < 0))
      config.ignore({key}, "params.json is read for the text model only");
}

}  // namespace

Model read_params(const Config& params) {
  Model out;
  out.format = "params.json";
  out.family = is_mistral(params) ? "mistral" : is_llama4(params) ? "llama4" : "llama";
  read_text_params({params, out.family, "text", out.components});
  tell_encoders(params);
  params.report_unread();
  out.notes = params.journal().notes;
  return out;
}

}  // namespace posenc::model
