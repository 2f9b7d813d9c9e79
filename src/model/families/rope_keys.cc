// rope_keys.cc: where a configuration keeps what it says of turning, and the base by one rule.
#include <algorithm>

#include "base/text.h"
#include "model/families/parts.h"
#include "model/families/rope_config.h"

namespace posenc::model {
namespace {

bool is_empty(const Json* json) { return !json || (json->object() && json->object()->empty()); }

// A key of the numbers themselves, whatever its value.
bool is_number_key(std::string_view key) {
  return is_among(
      "rope_theta rope_type type factor partial_rotary_factor mrope_section "
      "original_max_position_embeddings",
      key);
}

// "text_config.rope_parameters" of the keys inside.
std::string path_of(const Config& config) {
  return config.path().substr(0, config.path().size() - 1);
}

// An object for each kind of layer; null where layers of a kind do not turn. Some files have
// numbers of no layers left beside them.
bool has_entries(const Json& json) {
  const auto* members = json.object();
  if (!members || members->empty()) return false;
  const auto is_object = [](const auto& member) {
    return member.second.object() && !is_number_key(member.first);
  };
  const auto is_null = [](const auto& member) {
    return member.second.is_null() && !is_number_key(member.first);
  };
  return std::any_of(members->begin(), members->end(), is_object) ||
         std::all_of(members->begin(), members->end(), is_null);
}

// The object that holds the numbers: of rope_scaling where there is one, as transformers 5 reads
// files that have both.
std::optional<Config> whole_entry(const Config& config, const RopeRule& rule) {
  const Json* older = config.json().find("rope_scaling");
  const Json* newer = config.json().find("rope_parameters");
  if (!rule.reads_scaling && !is_empty(older)) {
    ignore_entry(config, "rope_scaling", "this model's class in transformers 5 drops it");
    older = nullptr;
  }
  if (!rule.reads_flat && !is_empty(newer) && !has_entries(*newer)) {
    ignore_entry(config, "rope_parameters",
                 "this model's class reads one object for each kind of layer");
    newer = nullptr;
  }
  if (is_empty(older) && is_empty(newer)) return {};
  if (is_empty(older)) return config.inside({"rope_parameters"});
  if (!is_empty(newer)) {
    config.conflict("rope_parameters is not read: rope_scaling is");
    config.pass({"rope_parameters"});
  }
  return config.inside({"rope_scaling"});
}

// The object of one kind of layer.
void pick_entry(RopeKeys& keys, const Config& whole, const RopePart& part) {
  const std::string_view kind = part.entry;
  keys.nested = true;
  const auto& members = *whole.json().object();
  const auto at = std::find_if(members.begin(), members.end(),
                               [&](const auto& member) { return member.first == kind; });
  if (kind.empty())
    fail(ErrorKind::data, "read", "expected one object as ", path_of(whole),
         ", for all layers, got one for each of ", files::listed(whole.keys()));
  if (at == members.end() && part.optional) return;
  if (at == members.end())
    whole.fail(kind, ", for layers of that kind, got ", files::listed(whole.keys()));
  keys.none = at->second.is_null();
  if (!keys.none) keys.entry = whole.inside({kind});
  whole.pass({"rope_theta", "rope_type"});
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
  auto whole = whole_entry(config, rule);
  if (!whole && !rule.scaling.empty()) {
    supplied = files::parse_json("read", rule.scaling);
    whole = Config(supplied, assumed, "rope_parameters.");
    config.assume("rope_parameters", std::string(rule.scaling), by_class);
  }
  if (whole && has_entries(whole->json()))
    pick_entry(out, *whole, part);
  else if (whole && part.scaled)
    out.entry = whole;
  return out;
}

void note_other(const RopeKeys& keys, std::string_view key) {
  const Json *inner = keys.entry ? keys.entry->json().find(key) : nullptr,
             *outer = keys.config.json().find(key);
  if (!inner || !outer || same_value(*inner, *outer)) return;
  keys.config.conflict(std::string(key) + " = " + files::brief(*outer) +
                       " is not read: " + keys.entry->path() + std::string(key) + " = " +
                       files::brief(*inner) + " is");
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
    } else if (const Json* beside = config.json().find(part.base_key);
               beside && same_value(*beside, *keys.entry->json().find("rope_theta"))) {
      config.pass({part.base_key});
    }
    return *keys.entry->number({"rope_theta"});
  }
  if (!part.reads_base) return config.number({part.base_key}, supplied, by_class);
  const std::string_view own = part.base_key.empty() ? rule.base_key : part.base_key;
  if (!rule.base_key.empty())
    config.ignore({"rope_theta"}, "this model's class reads " + std::string(rule.base_key));
  if (!own.empty() && (config.has(own) || !rule.base_key.empty()))
    return config.number({own}, supplied, by_class);
  return config.number(
      {"rope_theta", "rotary_emb_base", "rope_embedding_base", "rotary_embedding_base"}, supplied,
      by_class);
}

double plain_base(const Config& config, double otherwise) {
  Journal assumed;
  Json supplied;
  if (otherwise == 0) otherwise = class_number(config, "rope_theta").value_or(usual_base);
  const RopeRule rule{.base = otherwise};
  const RopeKeys keys = rope_keys(config, rule, {}, assumed, supplied);
  const auto kind = keys.entry ? keys.entry->text({"rope_type", "type"}) : std::nullopt;
  if (kind && *kind != "default" && *kind != "axial")
    keys.entry->fail("rope_type default or axial, got ", files::in_quotes(*kind));
  const double out = base_of(keys, rule, {});
  if (!(out > 0 && out < 1e300)) config.fail("rope_theta above 0, got ", out);
  return out;
}

}  // namespace posenc::model
