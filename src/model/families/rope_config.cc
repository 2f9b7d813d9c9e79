// rope_config.cc: a rotary component from the keys of a configuration.
#include "model/families/rope_config.h"

#include <cmath>

#include "base/text.h"
#include "model/families/parts.h"

namespace posenc::model {
namespace {

void ignore_share(const Config& config, std::string_view why) {
  const auto value = config.compared("partial_rotary_factor");
  if (value && *value != 1) config.ignore({"partial_rotary_factor"}, why);
}

// What the object says before what stands beside it; a class with names of its own reads those.
double fraction_of(const RopeKeys& keys, const RopeRule& rule) {
  const Config& config = keys.config;
  const bool outside = rule.share == ShareKey::anywhere, inside = rule.share != ShareKey::nowhere;
  constexpr std::string_view unread = "neither this model's own code nor transformers 5 does";
  if (outside)
    note_other(keys, "partial_rotary_factor");
  else
    ignore_share(config, inside ? "this model's class reads the one in rope_parameters" : unread);
  if (!inside && keys.entry) ignore_share(*keys.entry, unread);
  const auto inner =
      inside && keys.entry ? keys.entry->number({"partial_rotary_factor"}) : std::nullopt;
  if (inner) return config.pass({"partial_rotary_factor", "rotary_pct"}), *inner;
  if (!rule.base_key.empty())
    config.ignore({"partial_rotary_factor"}, "this model's class reads rotary_pct");
  else if (const auto beside = outside ? config.number({"partial_rotary_factor"}) : std::nullopt)
    return *beside;
  if (const auto older = config.number({"rotary_pct", "rotary_emb_fraction", "rope_pct"}))
    return *older;
  if (rule.fraction == 1) return 1;
  if (!outside) {
    config.note(NoteKind::assumed, "rope_parameters has no partial_rotary_factor: " +
                                       text::write(rule.fraction) + ", " + std::string(by_class));
    return rule.fraction;
  }
  const std::string_view key = rule.base_key.empty() ? "partial_rotary_factor" : "rotary_pct";
  return config.number({key}, rule.fraction, by_class);
}

// Whether a share says what qk_rope_head_dim does: of head_dim, or with the part that is
// not rotated.
bool is_latent_share(const Config& config, double share, int64_t turning) {
  const auto is_share_of = [&](double head) {
    return std::abs(share * head - static_cast<double>(turning)) < 1e-6;
  };
  const auto size = [&](std::string_view key) {
    const auto said = config.compared(key);
    return said ? *said : class_number(config, key).value_or(0);
  };
  return is_share_of(size("head_dim")) ||
         is_share_of(size("qk_nope_head_dim") + static_cast<double>(turning));
}

void ignore_fraction(const RopeKeys& keys, const RopeRule& rule, int64_t head) {
  for (const Config* config : {&keys.config, keys.entry ? &*keys.entry : nullptr}) {
    if (!config) continue;
    const auto share = config->compared("partial_rotary_factor");
    if (!rule.latent)
      ignore_share(*config, "this model's code rotates the whole head");
    else if (!share || !is_latent_share(keys.config, *share, head))
      ignore_share(*config, "qk_rope_head_dim says how many features rotate");
  }
}

int64_t turning_of(const RopeKeys& keys, const RopeRule& rule, int64_t head) {
  const Config& config = keys.config;
  const Config::Names sizes{"rotary_dim", "rotary_emb_dim"};
  if ((rule.fraction > 0 || rule.turning > 0) && config.has(sizes)) {
    const int64_t out = config.needed(sizes, "the features that rotate");
    if (out > head) config.fail("rotary_dim of at most the head's ", head, ", got ", out);
    config.pass({"partial_rotary_factor"});
    if (keys.entry) keys.entry->pass({"partial_rotary_factor"});
    return out;
  }
  if (rule.turning > 0) return config.whole(sizes, rule.turning, by_class);
  if (rule.fraction == 0) {
    ignore_fraction(keys, rule, head);
    return head;
  }
  const double fraction = fraction_of(keys, rule);
  if (!(fraction > 0 && fraction <= 1))
    config.fail("partial_rotary_factor above 0 and at most 1, got ", fraction);
  return static_cast<int64_t>(static_cast<double>(head) * fraction);
}

int64_t head_of(const Config& config, const RopeRule& rule, const RopePart& part) {
  if (part.head) return *part.head;
  if (!rule.latent) return head_dim_of(config, rule.sizes);
  constexpr std::string_view key = "qk_rope_head_dim";
  const auto of_class = class_number(config, key);
  const int64_t supplied = of_class ? static_cast<int64_t>(*of_class) : rule.sizes.head;
  if (supplied > 0 && !config.has(key)) return config.whole({key}, supplied, by_class);
  return config.needed({key}, "the part of a head that rotates");
}

void add_temperature(const RopeScaling& scaling, Component& out, Rope& rope) {
  if (!scaling.temperature) return;
  rope.temperature = *scaling.temperature;
  out.facts.emplace_back("llama4_q_scale",
                         std::string("q *= 1+beta*log(1+floor(pos/original_max))"));
}

// A share of a head, or a head of a width that is no multiple of the heads, may be odd:
// transformers then turns one feature more, with exponents over the odd number. False where there
// is none more.
bool turn_odd(const RopeKeys& keys, Component& out, Rope& rope) {
  const int64_t odd = *rope.rotary_dim;
  if (odd % 2 == 0 || keys.config.has({"rotary_dim", "rotary_emb_dim"})) return true;
  const bool room = odd < rope.dim && std::holds_alternative<NoScaling>(rope.scaling);
  const std::string& path = keys.config.path();
  keys.config.journal().note(
      NoteKind::conflict, "",
      (path.empty() ? "" : "in " + path.substr(0, path.size() - 1) + " ") + text::write(odd) +
          " features of a head of " + text::write(rope.dim) +
          " are to rotate, which do not form pairs: " +
          (room ? "transformers rotates one more" : "this model's code fails when it is run"));
  if (!room) return false;
  ListedFrequencies listed;
  for (int64_t i = 0; i < odd; i += 2)
    listed.values.push_back(
        std::pow(rope.base, -static_cast<double>(i) / static_cast<double>(odd)));
  rope.frequencies = std::move(listed);
  rope.rotary_dim = odd + 1;
  set_fact(out, "rotary_dim", odd + 1);
  set_fact(out, "freq_denominator", odd);
  return true;
}

Component no_turn(const RopePart& part) {
  Component out{part.where, "none"};
  out.layers = part.layers;
  out.facts.emplace_back("note", std::string("rope_parameters is null for these layers"));
  return out;
}

}  // namespace

Rope* rope_of(Component& component) {
  return component.ready ? std::get_if<Rope>(&*component.ready) : nullptr;
}

Component rope_component(const Reading& reading, const RopeRule& rule, const RopePart& part) {
  const Config& config = reading.config;
  Journal assumed;
  Json supplied;
  const RopeKeys keys = rope_keys(config, rule, part, assumed, supplied);
  if (keys.none) return no_turn(part);
  if (rule.fixed) ignore_rope(config, "this model's code has its own base");

  Component out{part.where, "rope"};
  out.layers = part.layers;
  out.positions = "from 0";
  const auto length = length_of(config, rule.sizes);
  const RopeScaling scaling = rope_scaling(keys, rule, length);
  const bool proportional = std::holds_alternative<Proportional>(scaling.rule);
  Rope rope{.dim = head_of(config, rule, part), .layout = rule.layout};
  rope.rotary_dim = part.turning   ? *part.turning
                    : proportional ? rope.dim
                                   : turning_of(keys, rule, rope.dim);
  rope.base = rule.fixed ? rule.base : base_of(keys, rule, part);
  rope.scaling = scaling.rule;
  rope.sign = rule.sign;
  if (rule.last) rope.rotary_offset = -*rope.rotary_dim;

  out.facts = {{"layout", std::string(enum_name(rule.layout))},
               {"head_dim", rope.dim},
               {"rotary_dim", *rope.rotary_dim},
               {"rotated_part", std::string(rule.last ? "last" : "first")},
               {"base", rope.base}};
  out.facts.insert(out.facts.end(), scaling.facts.begin(), scaling.facts.end());
  if (length) out.facts.emplace_back("max_position", *length);
  const bool fits = turn_odd(keys, out, rope) && add_coordinates(keys, rule, out, rope);
  add_temperature(scaling, out, rope);
  if (scaling.softmax_factor != 1) out.facts.emplace_back("softmax_factor", scaling.softmax_factor);
  if (rope.rotary_dim == rope.dim) rope.rotary_dim.reset(), rope.rotary_offset = 0;
  if (fits) out.ready = checked(rope);
  add_rope_traps(reading, rule, rope);
  return out;
}

}  // namespace posenc::model
