// gguf_scaling.cc: how llama.cpp lengthens texts, from the keys and tensors of a GGUF file.
//
// Keys say none, linear, yarn or longrope. The rule of Llama 3 and Gemma 4's resting pairs are no
// keys: their files hold a divisor for each frequency, rope_freqs.weight.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/families/rope_config.h"
#include "model/gguf/gguf_rules.h"

namespace posenc::model {
namespace {

constexpr double resting = 1e29;  // a divisor of this size stops a pair

double positive(const Config& config, std::string_view key, double value) {
  if (!(value > 0) || !std::isfinite(value))
    fail(ErrorKind::data, "read", "expected a positive number as ", config.path(), key, ", got ",
         value);
  return value;
}

// How many times longer; 0 and nothing mean 1.
double factor_of(const GgufReading& in) {
  const double factor =
      in.config().number({"rope.scaling.factor", "rope.scale_linear"}).value_or(0);
  return factor == 0 ? 1 : positive(in.config(), "rope.scaling.factor", factor);
}

double attention_factor_of(const GgufReading& in) {
  return positive(in.config(), "rope.scaling.attn_factor",
                  in.config().number({"rope.scaling.attn_factor"}).value_or(1));
}

int64_t context_of(const GgufReading& in) {
  return in.config().needed({"context_length"}, "the longest text");
}

int64_t original_of(const GgufReading& in) {
  constexpr std::string_view key = "rope.scaling.original_context_length";
  if (in.config().has(key)) return in.config().needed({key}, "the length it was trained on");
  return in.config().whole({key}, context_of(in), "as context_length");
}

// The divisors of a tensor, which may have those of layers where more turns.
std::vector<double> divisors(const GgufReading& in, std::string_view name, int64_t pairs) {
  const files::GgufTensor* tensor = in.file.find(name);
  if (!tensor) return {};
  const int64_t count = files::bits_of(tensor->shape, 1);
  if (count > 4096 || (in.is.halved ? count < pairs : count != pairs))
    in.source.refuse("tensor ", name, ": expected ", pairs, " numbers, one for each pair, got ",
                     files::shape_text(tensor->shape));
  std::vector<double> out = files::gguf_numbers(in.source, *tensor);
  out.resize(static_cast<size_t>(pairs));
  for (const double f : out)
    if (!(f > 0) || !std::isfinite(f))
      in.source.refuse("tensor ", name, ": expected positive divisors, got ", f);
  return out;
}

void tell(GgufScaling& out, std::string name, Value value) {
  out.facts.emplace_back("scaling." + std::move(name), std::move(value));
}

GgufScaling linear(const GgufReading& in, double factor, double attention) {
  GgufScaling out;
  if (factor != 1) {
    out.rule = Linear{factor};
    if (!in.config().has("rope.scaling.type"))
      in.config().assume("rope.scaling.type", "linear",
                         "as llama.cpp reads a factor without a type");
  }
  out.facts = scaling_facts(factor == 1 ? "default" : "linear", out.rule);
  if (attention != 1) {
    tell(out, "attention_factor", attention);
    out.implemented = false;
  }
  return out;
}

GgufScaling ntk(double alpha) {
  GgufScaling out;
  out.rule = Ntk{alpha};
  out.facts = scaling_facts("ntk", out.rule);
  return out;
}

// 1 + 0.1 weight ln(factor).
double magnitude(double factor, double weight) {
  return factor <= 1 ? 1 : 0.1 * weight * std::log(factor) + 1;
}

// The weight that the file calls a logarithm's multiplier; 0: none.
double log_multiplier(const GgufReading& in) {
  if (!in.is.log_multiplier) {
    in.config().ignore({"rope.scaling.yarn_log_multiplier"},
                       "llama.cpp reads it for deepseek2, deepseek32 and mistral3 only");
    return 0;
  }
  const double stored = in.config().number({"rope.scaling.yarn_log_multiplier"}).value_or(0);
  if (!in.is.log_tenth) return stored;
  return std::round(stored / 0.1 * 1e6) / 1e6;  // a tenth of it in f32
}

void read_betas(const GgufReading& in, Yarn& yarn) {
  if (in.is.beta_fast == 0) {
    in.config().ignore({"rope.scaling.yarn_beta_fast", "rope.scaling.yarn_beta_slow"},
                       "llama.cpp takes 32 and 1 for all but grok and mistral3");
  } else {
    yarn.beta_fast =
        in.config().number({"rope.scaling.yarn_beta_fast"}, in.is.beta_fast, "llama.cpp's default");
    yarn.beta_slow = in.config().number({"rope.scaling.yarn_beta_slow"}, 1, "llama.cpp's default");
  }
  if (in.is.extrapolates) {
    yarn.extrapolation_factor = in.config().number({"rope.scaling.yarn_ext_factor"}).value_or(1);
    in.config().ignore({"rope.scaling.yarn_attn_factor"}, "llama.cpp works it out from the factor");
  } else {
    in.config().ignore({"rope.scaling.yarn_ext_factor", "rope.scaling.yarn_attn_factor"},
                       "llama.cpp reads it for grok only");
  }
}

GgufScaling yarn(const GgufReading& in, const GgufPart& part, double factor, double attention) {
  Yarn rule;
  rule.factor = factor;
  rule.original_max_position_embeddings = original_of(in);
  read_betas(in, rule);
  const double weight = log_multiplier(in);
  // llama.cpp does not keep the other weight, mscale: 1, or the same for DeepSeek-V2.
  const double mscale = in.is.mscale && weight != 1 ? weight : 1;
  const double net =
      weight == 0 ? magnitude(factor, 1) : magnitude(factor, mscale) / magnitude(factor, weight);
  rule.attention_factor = part.plain_magnitude ? 1 : net * attention;

  GgufScaling out;
  out.facts = scaling_facts("yarn", rule);
  if (weight != 0) {
    tell(out, "mscale", mscale);
    tell(out, "mscale_all_dim", weight);
  }
  if (weight != 0 && in.is.latent) {
    rule.mscale_all_dim = weight;
    out.softmax_scale = std::pow(net * magnitude(factor, weight), 2);
  }
  out.rule = rule;
  in.reading.trap(
      "llama.cpp rounds the ends of yarn's ramp to whole pairs; a model whose own code does not "
      "(truncate = false, gpt-oss) has other frequencies there");
  return out;
}

GgufScaling longrope(const GgufReading& in, std::vector<double> shorter, std::vector<double> longer,
                     double factor, double attention) {
  LongRope rule;
  rule.original_max_position_embeddings = original_of(in);
  rule.factor = static_cast<double>(context_of(in)) /
                static_cast<double>(rule.original_max_position_embeddings);
  rule.attention_factor = attention;
  for (auto* list : {&shorter, &longer})
    for (double& f : *list) f *= factor;
  rule.short_factor = std::move(shorter), rule.long_factor = std::move(longer);
  GgufScaling out;
  tell(out, "type", "longrope");
  tell(out, "original_max_position_embeddings", rule.original_max_position_embeddings);
  tell(out, "factor", rule.factor);
  tell(out, "attention_factor", attention);
  tell(out, "short_factor", rule.short_factor);
  tell(out, "long_factor", rule.long_factor);
  out.rule = std::move(rule);
  in.reading.trap(
      "llama.cpp picks the long or the short factors once, by the context of the run; keys cached "
      "with one set do not fit queries of the other");
  return out;
}

GgufScaling longrope_without_factors(const GgufReading& in) {
  GgufScaling out;
  tell(out, "type", "longrope");
  out.implemented = false;
  in.config().journal().note(NoteKind::conflict, in.reading.where,
                             "rope.scaling.type is longrope, but this file has no tensors "
                             "rope_factors_long.weight and rope_factors_short.weight");
  return out;
}

// Divisors that only grow, from 1 up to the factor: what Llama 3's rule makes.
bool is_like_llama3(const std::vector<double>& f) {
  return f.front() == 1 && f.back() > 1 && std::is_sorted(f.begin(), f.end());
}

GgufScaling divided(const GgufPart& part, const std::vector<double>& f, double factor) {
  const auto rests = [](double x) { return x >= resting; };
  const auto first = std::find_if(f.begin(), f.end(), rests);
  GgufScaling out;
  if (first != f.end() && std::all_of(f.begin(), first, [](double x) { return x == 1; }) &&
      std::all_of(first, f.end(), rests) && part.rotary_dim == part.head_dim &&
      first != f.begin()) {
    const auto turning = static_cast<double>(first - f.begin());
    out.rule = Proportional{turning / static_cast<double>(f.size()), factor};
    tell(out, "type", "proportional");
    tell(out, "factor", factor);
    out.facts.emplace_back("nonzero_freqs", static_cast<int64_t>(turning));
    return out;
  }
  ListedFrequencies list;
  for (size_t i = 0; i < f.size(); ++i)
    list.values.push_back(
        std::pow(part.base, -2.0 * static_cast<double>(i) / static_cast<double>(part.rotary_dim)) /
        f[i]);
  out.frequencies = std::move(list);
  if (factor != 1) out.rule = Linear{factor};
  tell(out, "type", is_like_llama3(f) ? "llama3, as divisors" : "divisors");
  tell(out, "factor", factor * f.back());
  tell(out, "divisors", f);
  return out;
}

}  // namespace

GgufScaling gguf_scaling(const GgufReading& in, const GgufPart& part) {
  const std::string type = in.config().text({"rope.scaling.type"}).value_or("linear");
  if (type != "none" && type != "linear" && type != "yarn" && type != "longrope")
    fail(ErrorKind::data, "read", "expected none, linear, yarn or longrope as ", in.config().path(),
         "rope.scaling.type, got ", files::in_quotes(type));
  const double factor = factor_of(in), attention = attention_factor_of(in);
  const double scale = part.scaled && type != "none" ? factor : 1;
  if (part.factors && in.is.factors) {
    const int64_t pairs = part.rotary_dim / 2;
    const auto all = divisors(in, "rope_freqs.weight", pairs);
    auto shorter = divisors(in, "rope_factors_short.weight", pairs);
    auto longer = divisors(in, "rope_factors_long.weight", pairs);
    if (!all.empty()) {
      GgufScaling out = divided(part, all, scale);
      if (type == "yarn" || attention != 1) out.implemented = false;
      return out;
    }
    if (!shorter.empty() && !longer.empty())
      return longrope(in, std::move(shorter), std::move(longer), scale, attention);
  }
  if (!part.scaled) return linear(in, 1, 1);
  if (in.is.alpha)
    if (const double alpha = in.config().number({"rope.scaling.alpha"}).value_or(0); alpha > 0)
      return ntk(alpha);
  if (type == "yarn") return yarn(in, part, factor, attention);
  return type == "longrope" ? longrope_without_factors(in) : linear(in, scale, attention);
}

}  // namespace posenc::model
