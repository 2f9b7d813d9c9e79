// joint_families.cc: models made of several, each with a configuration inside the whole one.
#include "base/text.h"
#include "model/families/joint.h"
#include "model/families/rope_config.h"

namespace posenc::model {
namespace {

bool is_whole(const Config& config) {
  return config.has({"text_config", "llm_config", "language_config"});
}

std::string said_type(const Config& config) { return config.text({"model_type"}).value_or(""); }

// What a part beside the text is. The name of a whole model stands for its picture encoder, as
// "siglip" does.
std::string type_beside(const Reading& outer, const Config& inside, std::string_view otherwise) {
  std::string type = said_type(inside);
  const bool vague = type == "vision" && !otherwise.empty();
  if (type.empty() || type == outer.type || vague) return std::string(otherwise);
  for (const Joint& row : joint_rows())
    if (!is_whole(inside) && is_among(row.types, type)) return std::string(row.vision);
  return type;
}

const Joint& joint_of(std::string_view type) {
  for (const Joint& row : joint_rows())
    if (is_among(row.types, type)) return row;
  return joint_rows()[0];
}

// How films and sounds move the first of a token's coordinates.
void add_time_rates(const Reading& reading) {
  const Config& config = reading.config;
  const auto vision = config.inside({"vision_config"});
  if (reading.type == "qwen2_5_vl" && vision)
    add_time_rate(reading, *vision, "tokens_per_second", 4);
  if (is_among("qwen2_5_omni_thinker qwen3_omni_moe_thinker", reading.type))
    add_time_rate(reading, config, "position_id_per_seconds", 25);
}

void read_joint(const Reading& reading) {
  const Joint& row = joint_of(reading.type);
  const Config& config = reading.config;
  read_joint_text(reading, row.text, row.flat, row.filled);
  add_time_rates(reading);
  read_beside(reading, {"vision_config", "image_config", "vit_config"}, "vision", row.vision,
              row.prefix);
  read_beside(reading, {"audio_config"}, "audio", row.audio);
  if (reading.type.starts_with("instructblip"))
    read_beside(reading, {"qformer_config"}, "qformer", "instructblip_qformer", "qformer.");
  read_more(reading);
  if (const auto name = config.text({"mm_vision_tower"}))
    reading.add({"vision", "unknown", {{"model", *name}}});
}

}  // namespace

void add_time_rate(const Reading& reading, const Config& config, std::string_view key,
                   int64_t otherwise) {
  if (reading.components.empty()) return;
  Component& part = reading.components.back();
  part.facts.emplace_back("positions_per_second", config.whole({key}, otherwise, by_class));
  auto& keys = config.journal().keys;
  part.keys.insert(part.keys.end(), keys.begin(), keys.end());
  keys.clear();
}

void prefix_weights(const Reading& reading, size_t first, std::string_view prefix) {
  for (size_t i = first; i < reading.components.size(); ++i)
    for (auto& [name, value] : reading.components[i].facts)
      if (auto* weight = std::get_if<std::string>(&value); weight && name == "weight")
        weight->insert(0, prefix);
}

void read_joint_text(const Reading& reading, std::string_view otherwise, bool flat,
                     std::string_view filled) {
  const Config& config = reading.config;
  const auto inside = config.inside({"text_config", "llm_config", "language_config"});
  if (!inside && flat)
    return read_part({config, std::string(otherwise), "text", reading.components});
  if (!inside)
    fail(ErrorKind::data, "read", "expected text_config in a model of type ", reading.type,
         ", got none");
  const bool says = inside->has({"model_type", "architectures"});
  std::string type = says ? type_of_config(*inside) : "";
  if (type.empty() || type == filled) type = otherwise;
  read_part({*inside, std::move(type), "text", reading.components});
}

void read_beside(const Reading& outer, Config::Names keys, std::string_view where,
                 std::string_view otherwise, std::string_view prefix) {
  const auto inside = outer.config.inside(keys);
  if (!inside) return;
  const std::string type = type_beside(outer, *inside, otherwise);
  const size_t first = outer.components.size();
  const Reading part{*inside, type, std::string(where), outer.components};
  if (is_known(type) || is_whole(*inside)) {
    read_part(part);
    return prefix_weights(outer, first, prefix);
  }
  outer.config.journal().note(
      NoteKind::ignored, std::string(where),
      inside->path() + "model_type " + files::in_quotes(type) + ": no rule covers this part");
  part.add({"", "unknown", {{"model_type", type}}});
}

void read_unnamed_joint(const Reading& reading) {
  const Config& config = reading.config;
  config.journal().note(NoteKind::assumed, "",
                        "no rule covers model_type " + files::in_quotes(reading.type) +
                            " as a whole: each part is read by its own");
  read_joint_text(reading, is_known(reading.type) ? reading.type : "", false);
  read_beside(reading, {"vision_config", "image_config"}, "vision", "");
  read_beside(reading, {"audio_config"}, "audio", "");
}

namespace {

std::vector<Family> named_joints() {
  std::vector<Family> out;
  for (const Joint& row : joint_rows()) out.push_back({row.types, read_joint});
  return out;
}

}  // namespace

std::span<const Family> joint_families() {
  static const auto all = joined(named_joints(), compound_list(), remote_joint_list());
  return all;
}

}  // namespace posenc::model
