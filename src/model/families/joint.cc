// joint.cc: models made of several, each with a configuration inside the whole one.
#include "base/text.h"
#include "model/families/model_row.h"
#include "model/families/rope_config.h"

namespace posenc::model {
namespace {

bool is_whole(const Config& config) {
  return config.has({"text_config", "llm_config", "language_config"});
}

std::string said_type(const Config& config) { return config.text({"model_type"}).value_or(""); }

// A name that a row gives to a part of a model of that type.
std::string called(std::string_view name, std::string_view type) {
  return name.starts_with('_') ? std::string(type) + std::string(name) : std::string(name);
}

// What a part beside the text is. The name of a whole model stands for its picture encoder, as
// "siglip" does.
std::string type_beside(const Reading& outer, const Config& inside, std::string_view otherwise) {
  std::string type = said_type(inside);
  const bool vague = type == "vision" && !otherwise.empty();
  if (type.empty() || type == outer.type || vague) return std::string(otherwise);
  for (const auto rows : joint_rows().lists)
    for (const ModelRow& row : rows)
      if (!row.read && !is_whole(inside) && is_among(row.types, type))
        return called(with_class(row, class_keys(row.types, type)).joint.vision, type);
  return type;
}

// How films and sounds move the first of a token's coordinates.
void add_rate(const Reading& reading, const TimeRate& rate) {
  if (rate.key.empty()) return;
  if (rate.inside.empty()) return add_time_rate(reading, reading.config, rate.key, rate.otherwise);
  if (const auto inside = reading.config.inside({rate.inside}))
    add_time_rate(reading, *inside, rate.key, rate.otherwise);
}

}  // namespace

void read_joint(const Reading& reading, const ModelRow& row) {
  const Joint& parts = row.joint;
  read_joint_text(reading, called(parts.text, reading.type), parts.flat, parts.filled);
  add_rate(reading, parts.rate);
  read_beside(reading, {"vision_config", "image_config", "vit_config"}, "vision",
              called(parts.vision, reading.type), parts.prefix);
  read_beside(reading, {"audio_config"}, "audio", called(parts.audio, reading.type));
}

void add_time_rate(const Reading& reading, const Config& config, std::string_view key,
                   int64_t otherwise) {
  if (reading.components.empty()) return;
  const int64_t rate = config.whole({key}, otherwise, by_class);
  reading.components.back().facts.emplace_back("positions_per_second", rate);
  add_keys(reading);
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
  if (!inside) reading.lacks("text_config");
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
  inside->note(NoteKind::ignored,
               "model_type " + files::in_quotes(type) + ": no rule covers this part",
               std::string(where));
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

}  // namespace posenc::model
