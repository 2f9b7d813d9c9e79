// rope_scaling.cc: the length rules as configurations spell them.
#include <cmath>

#include "base/text.h"
#include "model/families/rope_config.h"

namespace posenc::model {
namespace {

// What a rule is read from: its object, and what stands beside it.
struct ScalingSource {
  const RopeKeys& keys;
  const RopeRule& rule;
  std::optional<int64_t> length;

  const Config& entry() const { return *keys.entry; }

  double needed(std::string_view key) const {
    const auto out = entry().number({key});
    if (!out) entry().fail(key, ", got none");
    if (!std::isfinite(*out) || *out <= 0) entry().fail(key, " above 0, got ", *out);
    return *out;
  }

  int64_t needed_length(std::string_view why) const {
    if (!length) keys.config.fail("max_position_embeddings, for ", why, ", got none");
    return *length;
  }

  // The trained length: beside the object (Phi-3) before the one inside.
  int64_t original() const {
    constexpr std::string_view key = "original_max_position_embeddings";
    const Config& beside = keys.config;
    if (!keys.nested && (beside.has(key) || rule.trained > 0)) {
      const int64_t out = beside.has(key) ? beside.needed({key}, "the trained length")
                                          : beside.whole({key}, rule.trained, by_class);
      const Json* inner = entry().json().find(key);
      if (inner && !same_value(*inner, Json{out}))
        beside.journal().note(NoteKind::conflict, "",
                              entry().path() + std::string(key) + " = " + files::brief(*inner) +
                                  " is not read: " + beside.path() + std::string(key) + " = " +
                                  text::write(out) + " is");
      entry().pass({key});
      return out;
    }
    if (entry().has(key)) return entry().needed({key}, "the trained length");
    return entry().whole({key}, needed_length("the trained length"), "max_position_embeddings");
  }

  // 0 and null mean the default.
  double nonzero(std::string_view key, double otherwise) const {
    const double out = entry().number({key}).value_or(0);
    return out == 0 ? otherwise : out;
  }
};

RopeScaling told(std::string_view type, const Scaling& rule) {
  return {rule, scaling_facts(type, rule), 1, {}};
}

RopeScaling linear(const ScalingSource& from) {
  return told("linear", Linear{.factor = from.needed("factor")});
}

// HunYuan's alpha is a constant factor; a factor alone grows with the text.
RopeScaling dynamic(const ScalingSource& from) {
  if (from.entry().number({"alpha"}).value_or(0) != 0) {
    from.entry().pass({"factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim"});
    const Ntk rule{.factor = from.needed("alpha")};
    return {rule, {{"scaling.type", "dynamic"}, {"scaling.alpha", rule.factor}}, 1, {}};
  }
  return told("dynamic",
              DynamicNtk{.factor = from.needed("factor"),
                         .max_position_embeddings = from.needed_length("dynamic scaling")});
}

RopeScaling ntk(const ScalingSource& from) {
  return told(
      "ntk", VllmNtk{.factor = from.needed("factor"), .mixed_b = from.entry().number({"mixed_b"})});
}

RopeScaling llama3(const ScalingSource& from) {
  return told("llama3", Llama3{.factor = from.needed("factor"),
                               .low_freq_factor = from.needed("low_freq_factor"),
                               .high_freq_factor = from.needed("high_freq_factor"),
                               .original_max_position_embeddings = from.original()});
}

RopeScaling proportional(const ScalingSource& from) {
  const Config& entry = from.entry();
  constexpr std::string_view key = "partial_rotary_factor";
  Proportional rule;
  const bool beside = from.rule.share == ShareKey::anywhere && from.keys.config.has(key);
  const double whole = from.rule.fraction > 0 ? from.rule.fraction : 1;
  note_other(from.keys, key);
  if (entry.has(key)) from.keys.config.pass({key});
  rule.partial_rotary_factor = beside && !entry.has(key)
                                   ? *from.keys.config.number({key})
                                   : entry.number({key}, whole, "as transformers reads it");
  rule.factor = entry.number({"factor"}).value_or(1);
  return {rule,
          {{"scaling.type", "proportional"},
           {"scaling.factor", rule.factor},
           {"scaling.partial_rotary_factor", rule.partial_rotary_factor}},
          1,
          {}};
}

// The ratio of the lengths where no factor is given.
double stretch(const ScalingSource& from, int64_t original) {
  if (from.entry().has("factor")) return from.needed("factor");
  const double ratio = static_cast<double>(from.needed_length("the factor of the length rule")) /
                       static_cast<double>(original);
  return from.entry().number({"factor"}, ratio, "max_position_embeddings by the trained length");
}

RopeScaling longrope(const ScalingSource& from) {
  const Config& entry = from.entry();
  LongRope rule;
  rule.original_max_position_embeddings = from.original();
  rule.factor = stretch(from, rule.original_max_position_embeddings);
  rule.attention_factor = entry.number({"attention_factor"});
  rule.short_factor = entry.numbers({"short_factor"}).value_or(std::vector<double>{});
  rule.long_factor = entry.numbers({"long_factor"}).value_or(std::vector<double>{});
  RopeScaling out{
      rule,
      {{"scaling.type", "longrope"},
       {"scaling.original_max_position_embeddings", rule.original_max_position_embeddings},
       {"scaling.factor", rule.factor},
       {"scaling.attention_factor", rule.cos_sin_factor(0)},
       {"scaling.short_factor_len", std::ssize(rule.short_factor)},
       {"scaling.long_factor_len", std::ssize(rule.long_factor)}},
      1,
      {}};
  if (!from.rule.mscales) {
    entry.ignore({"short_mscale", "long_mscale"}, "this model's code computes the magnitude");
    return out;
  }
  rule.short_mscale = from.needed("short_mscale");
  rule.long_mscale = from.needed("long_mscale");
  out.rule = rule;
  out.facts.emplace_back("scaling.short_mscale", *rule.short_mscale);
  out.facts.emplace_back("scaling.long_mscale", *rule.long_mscale);
  return out;
}

void add_beta(const ScalingSource& from, const Yarn& rule, RopeScaling& out) {
  constexpr std::string_view key = "llama_4_scaling_beta";
  if (!from.rule.temperature)
    return from.entry().ignore({key}, "this model's code does not scale queries");
  const auto beta = from.entry().number({key});
  if (!beta) return;
  out.facts.emplace_back("scaling.llama_4_scaling_beta", *beta);
  out.temperature =
      LogTemperature{*beta, static_cast<double>(rule.original_max_position_embeddings), 0};
}

bool truncates(const ScalingSource& from) {
  if (!from.keys.nested) return from.entry().flag({"truncate"}).value_or(true);
  from.entry().ignore({"truncate"}, "transformers looks for it outside the objects of layers");
  return true;
}

// Both say how long a text may be.
void compare_lengths(const ScalingSource& from, const Yarn& rule) {
  const double stretched = rule.factor * static_cast<double>(rule.original_max_position_embeddings);
  if (!from.length || std::abs(stretched / static_cast<double>(*from.length) - 1) < 0.01) return;
  from.keys.config.journal().note(
      NoteKind::conflict, "",
      from.entry().path() + "factor stretches " +
          text::write(rule.original_max_position_embeddings) + " tokens to " +
          text::write(stretched) + ", max_position_embeddings is " + text::write(*from.length) +
          ": some engines take one, some the other as the longest text");
}

RopeScaling yarn(const ScalingSource& from) {
  const Config& entry = from.entry();
  Yarn rule;
  rule.original_max_position_embeddings = from.original();
  rule.factor = stretch(from, rule.original_max_position_embeddings);
  compare_lengths(from, rule);
  rule.beta_fast = from.nonzero("beta_fast", rule.beta_fast);
  rule.beta_slow = from.nonzero("beta_slow", rule.beta_slow);
  rule.truncate = truncates(from);
  rule.attention_factor = entry.number({"attention_factor"});
  if (!rule.attention_factor) rule.attention_factor = from.rule.magnitude;
  rule.mscale = entry.number({"mscale"});
  rule.mscale_all_dim = entry.number({"mscale_all_dim"});
  Yarn stated = rule;
  stated.attention_factor = rule.cos_sin_factor(0);
  RopeScaling out{{}, scaling_facts("yarn", stated), 1, {}};
  if (from.rule.latent) {
    out.softmax_factor = rule.softmax_factor();
  } else {
    rule.attention_factor = stated.attention_factor;
    rule.mscale = rule.mscale_all_dim = {};
  }
  add_beta(from, rule, out);
  out.rule = rule;
  return out;
}

RopeScaling nothing(const ScalingSource&) { return told("default", NoScaling{}); }

constexpr struct {
  std::string_view type;
  RopeScaling (*read)(const ScalingSource&);
} rules[] = {{"default", nothing}, {"mrope", nothing},      {"linear", linear},
             {"dynamic", dynamic}, {"xdrope", dynamic},     {"ntk", ntk},
             {"yarn", yarn},       {"deepseek_yarn", yarn}, {"longrope", longrope},
             {"su", longrope},     {"llama3", llama3},      {"proportional", proportional}};

std::string type_of(const RopeKeys& keys, const RopeRule& rule) {
  const auto type = keys.entry->text({"rope_type", "type"});
  if (!type && keys.entry->has("factor"))
    keys.config.journal().note(NoteKind::conflict, "",
                               keys.entry->path() +
                                   "rope_type is absent: transformers 5 reads it as default, and "
                                   "does not read the factor");
  const bool renamed = rule.yarn_is_longrope && type == "yarn";
  return renamed ? "longrope" : type.value_or("default");
}

}  // namespace

Facts scaling_facts(std::string_view type, const Scaling& rule) {
  Facts out{{"scaling.type", std::string(type)}};
  const auto options = std::visit([](const auto& r) { return options_of(r); }, rule);
  for (const Option& option : options) {
    if (option.name == "extrapolation_factor") break;  // models have YaRN's options up to here
    const bool trained = option.name == "max_position_embeddings";
    if (!std::holds_alternative<std::monostate>(option.value))
      out.emplace_back("scaling." + (trained ? "trained_length" : option.name), option.value);
  }
  return out;
}

void set_scaling(Component& component, std::string_view type, const Scaling& rule) {
  Rope& rope = *rope_of(component);
  rope.scaling = rule;
  checked(rope);
  for (auto& [name, value] : scaling_facts(type, rule)) set_fact(component, name, std::move(value));
}

RopeScaling rope_scaling(const RopeKeys& keys, const RopeRule& rule,
                         std::optional<int64_t> length) {
  if (!keys.entry) return told("default", NoScaling{});
  const std::string type = type_of(keys, rule);
  std::vector<std::string> known;
  for (const auto& row : rules) {
    if (row.type == type) return row.read({keys, rule, length});
    known.emplace_back(row.type);
  }
  fail(ErrorKind::data, "read", "expected ", join(known, ", "), " as ", keys.entry->path(),
       keys.entry->has("rope_type") ? "rope_type" : "type", ", got ", files::in_quotes(type));
}

}  // namespace posenc::model
