// rope_config.cc: a rotary component from the keys of a configuration.
#include "model/families/rope_config.h"

#include <algorithm>

#include "model/text.h"

namespace posenc::model {
namespace {

bool has_entries(const Json& json) {
  const auto* members = json.object();
  return members && !members->empty() &&
         std::all_of(members->begin(), members->end(), [](const auto& member) {
           return member.second.object() || member.second.is_null();
         });
}

bool is_empty(const Json* json) { return !json || (json->object() && json->object()->empty()); }

// The object that holds the numbers: of rope_scaling where there is one, as transformers 5 reads
// files that have both.
std::optional<Config> whole_entry(const Config& config) {
  const Json* older = config.json().find("rope_scaling");
  const Json* newer = config.json().find("rope_parameters");
  if (is_empty(older) && is_empty(newer)) return {};
  if (is_empty(older)) return config.inside({"rope_parameters"});
  if (!is_empty(newer)) {
    config.journal().note(NoteKind::conflict, "",
                          config.path() + "rope_parameters is not read: rope_scaling is");
    config.pass({"rope_parameters"});
  }
  return config.inside({"rope_scaling"});
}

// The object of one kind of layer.
void pick_entry(RopeKeys& keys, const Config& whole, std::string_view kind) {
  keys.nested = true;
  const auto& members = *whole.json().object();
  const auto at = std::find_if(members.begin(), members.end(),
                               [&](const auto& member) { return member.first == kind; });
  if (at == members.end())
    fail(ErrorKind::data, "read", "expected ", whole.path(), kind,
         ", for layers of that kind, got ", files::listed(whole.keys()));
  keys.none = at->second.is_null();
  if (!keys.none) keys.entry = whole.inside({kind});
}

void note_other(const RopeKeys& keys, std::string_view key) {
  const Json *inner = keys.entry ? keys.entry->json().find(key) : nullptr,
             *outer = keys.config.json().find(key);
  if (!inner || !outer || same_value(*inner, *outer)) return;
  keys.config.journal().note(NoteKind::conflict, "",
                             keys.config.path() + std::string(key) + " = " + files::brief(*outer) +
                                 " and " + keys.entry->path() + std::string(key) + " = " +
                                 files::brief(*inner) + " differ");
}

double base_of(const RopeKeys& keys, const RopeRule& rule, const RopePart& part) {
  const Config& config = keys.config;
  if (part.given) return *part.given;
  const double supplied = part.base.value_or(rule.base);
  const bool own_key = !part.reads_base && !keys.nested;
  if (!own_key && keys.entry && keys.entry->has("rope_theta")) {
    if (part.reads_base) {
      note_other(keys, "rope_theta");
      config.pass({"rope_theta"});
    }
    return *keys.entry->number({"rope_theta"});
  }
  if (!part.reads_base) return config.number({part.base_key}, supplied, by_class);
  const std::string_view own = part.base_key.empty() ? rule.base_key : part.base_key;
  if (!own.empty() && config.has(own)) return *config.number({own});
  return config.number(
      {"rope_theta", "rotary_emb_base", "rope_embedding_base", "rotary_embedding_base"}, supplied,
      by_class);
}

double fraction_of(const RopeKeys& keys, const RopeRule& rule) {
  const Config& config = keys.config;
  note_other(keys, "partial_rotary_factor");
  if (const auto top = config.number({"partial_rotary_factor"})) {
    if (keys.entry) keys.entry->pass({"partial_rotary_factor"});
    return *top;
  }
  if (keys.entry)
    if (const auto inner = keys.entry->number({"partial_rotary_factor"})) return *inner;
  if (const auto older = config.number({"rotary_pct", "rotary_emb_fraction", "rope_pct"}))
    return *older;
  return rule.fraction == 1 ? 1 : config.number({"partial_rotary_factor"}, rule.fraction, by_class);
}

void ignore_fraction(const RopeKeys& keys) {
  const auto ignore = [](const Config& config) {
    const auto value = config.number({"partial_rotary_factor"});
    if (value && *value != 1)
      config.ignore({"partial_rotary_factor"}, "this model's code turns the whole head");
  };
  ignore(keys.config);
  if (keys.entry) ignore(*keys.entry);
}

int64_t turning_of(const RopeKeys& keys, const RopeRule& rule, int64_t head) {
  const Config& config = keys.config;
  const Config::Names sizes{"rotary_dim", "rotary_emb_dim"};
  if ((rule.fraction > 0 || rule.turning > 0) && config.has(sizes)) {
    const int64_t out = config.needed(sizes, "the features that turn");
    if (out > head)
      fail(ErrorKind::data, "read", "expected ", config.path(), "rotary_dim of at most the head's ",
           head, ", got ", out);
    config.pass({"partial_rotary_factor"});
    if (keys.entry) keys.entry->pass({"partial_rotary_factor"});
    return out;
  }
  if (rule.turning > 0) return config.whole(sizes, rule.turning, by_class);
  if (rule.fraction == 0) {
    ignore_fraction(keys);
    return head;
  }
  const double fraction = fraction_of(keys, rule);
  if (!(fraction > 0 && fraction <= 1))
    fail(ErrorKind::data, "read", "expected ", config.path(),
         "partial_rotary_factor above 0 and at most 1, got ", fraction);
  return static_cast<int64_t>(static_cast<double>(head) * fraction);
}

int64_t head_of(const Config& config, const RopeRule& rule, const RopePart& part) {
  if (part.head) return *part.head;
  if (rule.head_key.empty()) return head_dim_of(config, rule.sizes);
  if (rule.sizes.head > 0 && !config.has(rule.head_key))
    return config.whole({rule.head_key}, rule.sizes.head, by_class);
  return config.needed({rule.head_key}, "the part of a head that turns");
}

constexpr std::string_view orders[] = {
    "", "chunked: pairs split into sections t,h,w in order",
    "interleaved: pair k uses h if k%3==1 and k<3*sec[1], w if k%3==2 and k<3*sec[2], else t",
    "h and w in turn over the first two sections, then t"};

// Which coordinate turns which pair.
void add_coordinates(const RopeKeys& keys, const RopeRule& rule, Component& out, Rope& rope) {
  if (rule.coordinates == Coordinates::one) {
    if (keys.entry)
      keys.entry->ignore({"mrope_section"}, "this model's code counts tokens along one axis");
    return;
  }
  std::vector<double> sections(rule.sections.begin(), rule.sections.end());
  if (keys.entry && keys.entry->has("mrope_section")) {
    sections = *keys.entry->numbers({"mrope_section"});
    keys.entry->pass({"mrope_interleaved"});
  } else if (sections[0] > 0) {
    keys.config.journal().note(NoteKind::assumed, "",
                               keys.config.path() + "mrope_section is absent: " +
                                   text::write(sections) + ", " + std::string(by_class));
  } else {
    fail(ErrorKind::data, "read", "expected ", keys.config.path(),
         "rope_parameters.mrope_section, the pairs of each axis, got none");
  }
  out.facts.emplace_back("mrope_section", sections);
  out.facts.emplace_back("mrope", std::string(orders[static_cast<size_t>(rule.coordinates)]));
  out.facts.emplace_back("position_axes", std::ssize(sections));
  if (rule.coordinates == Coordinates::chunked)
    rope.axes = Chunked{std::move(sections)};
  else if (rule.coordinates == Coordinates::ernie)
    rope.axes = ErnieAxes{std::move(sections)};
  else
    rope.axes = Alternating{std::move(sections)};
  out.positions = "three coordinates: time, height, width; those of a text token are equal";
}

void add_temperature(const RopeScaling& scaling, Component& out, Rope& rope) {
  if (!scaling.temperature) return;
  rope.temperature = *scaling.temperature;
  out.facts.emplace_back("llama4_q_scale",
                         std::string("q *= 1+beta*log(1+floor(pos/original_max))"));
}

Component no_turn(const RopePart& part) {
  Component out{.where = part.where, .scheme = "none", .facts = {}, .layers = part.layers};
  out.facts.emplace_back("note", std::string("rope_parameters is null for these layers"));
  return out;
}

}  // namespace

bool has_rope_entries(const Config& config, const RopeRule& rule) {
  if (!is_empty(config.json().find("rope_scaling"))) return false;
  const Json* written = config.json().find("rope_parameters");
  if (!is_empty(written)) return has_entries(*written);
  return !rule.scaling.empty() && has_entries(files::parse_json("read", rule.scaling));
}

RopeKeys rope_keys(const Config& config, const RopeRule& rule, const RopePart& part,
                   Journal& assumed, Json& supplied) {
  RopeKeys out{config};
  if (rule.fixed) return out;
  auto whole = whole_entry(config);
  if (!whole && !rule.scaling.empty()) {
    supplied = files::parse_json("read", rule.scaling);
    whole = Config(supplied, assumed, "rope_parameters.");
    config.journal().note(NoteKind::assumed, "",
                          config.path() + "rope_parameters is absent: " +
                              std::string(rule.scaling) + ", " + std::string(by_class));
  }
  if (whole && has_entries(whole->json()))
    pick_entry(out, *whole, part.entry);
  else if (whole && part.scaled)
    out.entry = whole;
  return out;
}

Rope* rope_of(Component& component) {
  return component.ready ? std::get_if<Rope>(&*component.ready) : nullptr;
}

Component rope_component(const Reading& reading, const RopeRule& rule, const RopePart& part) {
  const Config& config = reading.config;
  Journal assumed;
  Json supplied;
  const RopeKeys keys = rope_keys(config, rule, part, assumed, supplied);
  if (keys.none) return no_turn(part);
  if (rule.fixed) ignore_rope(config, "this model's code has a base of its own");

  Component out{.where = part.where, .scheme = "rope", .facts = {}, .layers = part.layers};
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
  add_coordinates(keys, rule, out, rope);
  add_temperature(scaling, out, rope);
  if (scaling.softmax_factor != 1) out.facts.emplace_back("softmax_factor", scaling.softmax_factor);
  if (rope.rotary_dim == rope.dim) rope.rotary_dim.reset(), rope.rotary_offset = 0;
  out.ready = checked(rope);
  add_rope_traps(reading, rule, rope);
  return out;
}

}  // namespace posenc::model
