// class_defaults.cc: what classes of transformers fill in where a file is silent.
#include <algorithm>

#include "model/families/model_row.h"

namespace posenc::model {
namespace {

struct ClassRow {
  std::string_view type, keys;
  std::string_view rope{};  // rope_parameters that are read before a rope_theta beside them
};

// tests/model/class_defaults.py writes them from an installed transformers.
constexpr ClassRow class_rows[] = {
#include "model/families/class_defaults.inc"
};

const ClassRow* find(std::string_view type) {
  for (const ClassRow& row : class_rows)
    if (row.type == type) return &row;
  return nullptr;
}

int64_t whole(const Json& keys, std::string_view key) {
  const Json* json = keys.find(key);
  const auto* out = json ? std::get_if<int64_t>(&json->value) : nullptr;
  return out ? *out : 0;
}

double number(const Json& keys, std::string_view key) {
  const Json* json = keys.find(key);
  const auto* out = json ? std::get_if<double>(&json->value) : nullptr;
  return out ? *out : static_cast<double>(whole(keys, key));
}

// The type of a part that says none.
std::string_view type_of_part(const Json& keys, std::string_view part) {
  const Json* inside = keys.find(part);
  const Json* type = inside ? inside->find("model_type") : nullptr;
  return type ? std::string_view(std::get<std::string>(type->value)) : "";
}

// Kinds of layers that repeat: all but one are alike.
void fill_layers(const Json& keys, LayerRule& layers) {
  const Json* listed = keys.find("layer_types");
  if (!listed || layers.period > 0 || !layers.cycle.empty()) return;
  std::vector<std::string_view> kinds;
  for (const Json& kind : *listed->list()) kinds.push_back(std::get<std::string>(kind.value));
  const auto is_single = [&](std::string_view kind) {
    return kinds.size() == 2 ? kind == full : std::count(kinds.begin(), kinds.end(), kind) == 1;
  };
  const auto single = std::find_if(kinds.begin(), kinds.end(), is_single);
  if (single == kinds.end()) return;
  layers.period = std::ssize(kinds);
  layers.shift = (kinds.end() - single) % layers.period;
  layers.kind = *single;
  layers.other = single == kinds.begin() ? kinds[1] : kinds[0];
}

template <class T>
void fill(T& mine, const T& of_class) {
  if (mine == T{}) mine = of_class;
}

double base_of_kind(const Json& entries, std::string_view kind) {
  const Json* entry = entries.find(kind);
  return entry ? number(*entry, "rope_theta") : 0;
}

// Bases and shares: a class with names of its own for them has no object that is read before those.
void fill_rope(const ClassKeys& otherwise, ModelRow& row) {
  const Json& keys = otherwise.keys;
  const Json entry = otherwise.rope.empty() ? Json{} : files::parse_json("read", otherwise.rope);
  const Json* written = keys.find("rope_parameters");
  const Json& kinds = written ? *written : entry;
  RopeRule& rope = row.rope;
  const bool named = !rope.base_key.empty() || !row.local.key.empty();
  if (rope.base == usual_base && keys.find("rope_theta")) rope.base = number(keys, "rope_theta");
  if (!named) fill(rope.scaling, otherwise.rope);
  if (!rope.latent) {  // there qk_rope_head_dim says what turns
    const Json* first = named && kinds.find(full) ? kinds.find(full) : &keys;
    fill(rope.fraction, number(*first, "partial_rotary_factor"));
    if (entry.find("partial_rotary_factor")) fill(rope.fraction, 1.0);
  }
  if (const Json* sections = keys.find("mrope_section"); sections && rope.sections[0] == 0)
    for (size_t i = 0; i < 3; ++i)
      rope.sections[i] = static_cast<double>(std::get<int64_t>((*sections->list())[i].value));
  fill(rope.turning, whole(keys, "rotary_dim"));
  fill(rope.trained, whole(keys, "original_max_position_embeddings"));
  fill(row.local.full_base, base_of_kind(kinds, full));
  if (row.local.base == usual_base && base_of_kind(kinds, sliding) > 0)
    row.local.base = base_of_kind(kinds, sliding);
}

}  // namespace

Json ClassKeys::written() const {
  const Json* kinds = keys.find("rope_parameters");
  Json entry = !rope.empty() ? files::parse_json("read", rope) : kinds ? *kinds : Json{};
  if (entry.is_null())
    for (const char* key : {"rope_theta", "partial_rotary_factor"})
      if (const Json* value = keys.find(key)) entry[key] = *value;
  if (entry.is_null()) return keys;
  Json typed = entry;
  for (const auto& [kind, inner] : *entry.object())
    if (inner.object() && !inner.find("rope_type")) typed[kind]["rope_type"] = "default";
  if (!entry.find("rope_type")) typed["rope_type"] = "default";
  Json out = keys;
  out["rope_parameters"] = std::move(typed);
  return out;
}

ClassKeys class_keys(std::string_view types, std::string_view type) {
  const ClassRow* row = find(type);
  if (!row && !types.empty()) row = find(words_of(types)[0]);
  if (!row) return {};
  return {files::parse_json("read", row->keys), row->rope};
}

ModelRow with_class(ModelRow row, const ClassKeys& otherwise) {
  const Json& keys = otherwise.keys;
  const ClassSizes sizes{whole(keys, "hidden_size"), whole(keys, "num_attention_heads"),
                         whole(keys, "num_hidden_layers"), whole(keys, "max_position_embeddings"),
                         whole(keys, "head_dim")};
  RopeRule& rope = row.rope;
  if (rope.sizes.width == 0 && rope.sizes.heads == 0 && sizes.width > 0) rope.sizes = sizes;
  fill_rope(otherwise, row);
  fill_layers(keys, row.layers);
  fill(row.window.size, whole(keys, row.window.key));
  fill(row.window.size, whole(keys, "sliding_window"));
  fill(row.window.size, whole(keys, "attention_window_size"));
  fill(row.window.late, whole(keys, "max_window_layers"));
  fill(row.window.asked, keys.find("use_sliding_window") != nullptr);
  fill(row.joint.text, type_of_part(keys, "text_config"));
  fill(row.joint.vision, type_of_part(keys, "vision_config"));
  fill(row.joint.audio, type_of_part(keys, "audio_config"));
  return row;
}

}  // namespace posenc::model
