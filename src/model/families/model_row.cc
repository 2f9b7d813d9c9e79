// model_row.cc: reading a row: what a model has, and what it is made of.
#include "model/families/model_row.h"

#include <algorithm>

#include "base/text.h"

namespace posenc::model {
namespace {

// A number, or a list of them; what coordinates are multiplied by may be none, which is 2 pi.
Value fact_value(const Config& config, const FactFromKeys& fact) {
  const Json *json = config.json().find(words_of(fact.keys)[0]),
             *of_class = class_value(config, fact.keys);
  if (fact.name == "scale" && !of_class)
    return json ? Value(positive_of(config, fact.keys)) : "2*pi";
  const auto& stages = fact.otherwise.stages;
  const bool lists = stages[0] == 0 ? of_class && of_class->list() : stages[1] > 0;
  if (json ? !json->list() : !lists) return length_of(config, fact.keys, stages[0]);
  const auto end = std::find(stages.begin(), stages.end(), 0);
  const auto sizes = sizes_of(config, fact.keys, {stages.begin(), end});
  return fact.last ? Value(sizes.back()) : as_list(sizes);
}

int64_t number(const Component& part, std::string_view fact, int64_t otherwise = 0) {
  const Value* value = part.find(fact);
  const auto* whole = value ? std::get_if<int64_t>(value) : nullptr;
  return whole ? *whole : otherwise;
}

ClippedForm clipped_form(const Component& part) {
  const Value* symmetric = part.find("symmetric");
  return symmetric && *symmetric == Value(true) ? ClippedForm::symmetric : ClippedForm::half_open;
}

std::optional<Scheme> scheme_of(const Component& part, Computed computed) {
  const int64_t dim = number(part, "dim"), temperature = number(part, "temperature", 10000);
  const int64_t rows = number(part, "rows_per_axis");
  const Sides sides{rows, number(part, "columns_per_axis", rows)};
  const auto base = static_cast<double>(temperature);
  if (number(part, "temperature_width", temperature) != temperature) return {};
  switch (computed) {
    case Computed::pairs:
    case Computed::grounded:
      return rows_then_columns(dim, GridOrder::interleaved, base);
    case Computed::quarters:
      return rows_then_columns(dim, GridOrder::halves, base);
    case Computed::sum:
      return Axial{.dim = dim, .rows = sides.list(), .combine = Combine::sum};
    case Computed::beside:
      return columns_then_rows(dim, sides);
    case Computed::segments:
      return SegmentBuckets{number(part, "heads"), number(part, "num_buckets"),
                            number(part, "max_distance"), number(part, "segment_types")};
    case Computed::clipped:
      return Clipped{number(part, "heads"), number(part, "max_distance"), clipped_form(part)};
    case Computed::random:
      return Gaussian{.features = number(part, "hidden") / 2};
    case Computed::boxes:
      return BoxRelation{number(part, "heads"), dim, static_cast<double>(number(part, "base")),
                         static_cast<double>(number(part, "scale"))};
    case Computed::no:
      break;
  }
  return {};
}

// "a.b" is the configuration b inside a; the outer one where there is none.
Config inside_of(Config config, std::string_view path) {
  while (!path.empty()) {
    const size_t dot = std::min(path.find('.'), path.size());
    const std::string_view key = path.substr(0, dot);
    const Json* of_class = config.class_value(key);
    const auto inner = config.inside({key});
    if (inner) config = *inner;
    if (of_class) config = config.of_class(*of_class);
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return config;
}

Component component_of(const Config& outer, const ComponentRow& row) {
  Config config = inside_of(outer, row.inside);
  const Json* type = row.inside.empty() ? nullptr : config.class_value("model_type");
  const ClassKeys inner = type ? class_keys("", std::get<std::string>(type->value)) : ClassKeys{};
  if (type) config = config.of_class(inner.keys);
  if (row.computed == Computed::grounded && is_learned(config))
    return learned_places(size_of(config, row.facts[0].keys, row.facts[0].otherwise.stages[0]));
  if (row.computed == Computed::boxes &&
      !config.flag({"has_spatial_attention_bias"}).value_or(true))
    return {"", "none", {{"note", "has_spatial_attention_bias is false: boxes give no biases"}}};
  Component out{"", std::string(row.scheme), {}};
  if (row.scheme == "learned" && !row.facts[1].name.empty())
    out = learned_table({length_of(config, row.facts[0].keys, row.facts[0].otherwise.stages[0]),
                         size_of(config, row.facts[1].keys, row.facts[1].otherwise.stages[0])});
  else
    for (const FactFromKeys& fact : row.facts)
      if (!fact.name.empty()) out.facts.emplace_back(fact.name, fact_value(config, fact));
  if (row.computed == Computed::clipped)
    out.facts.emplace_back("symmetric", config.flag({"bias_symmetric"}).value_or(false));
  if (!row.note.empty()) out.facts.emplace_back("note", std::string(row.note));
  if (!row.weights.empty()) out.facts.emplace_back("weight", std::string(row.weights));
  out.positions = row.positions;
  const auto scheme = scheme_of(out, row.computed);
  return scheme ? with_scheme(out, *scheme) : out;
}

void add_frame_rope(const Reading& outer, const ModelRow& row) {
  const Reading reading = named(outer, row.frame_rope.where);
  if (!reading.config.flag({"use_rotary_embedding"}).value_or(true))
    return reading.add({"", "none", {{"note", "use_rotary_embedding is false"}}});
  RopePart part;
  if (row.frame_rope.turning) part.turning = row.frame_rope.turning(reading.config);
  Component out = rope_component(reading, row.rope, part);
  add_own_window(reading, row.window, {}, out);
  out.positions = row.frame_rope.positions;
  reading.add(std::move(out));
  if (!row.frame_rope.trap.empty()) reading.trap(std::string(row.frame_rope.trap));
}

// "detector, vision", where the whole is a part itself.
std::string inner_name(const Reading& reading, const SubConfigRow& inner) {
  std::string own(inner.where);
  if (reading.where == "text" || reading.where == own) return own;
  return own.empty() ? reading.where : reading.where + ", " + own;
}

void read_parts(const Reading& reading, const ModelRow& row) {
  const size_t before = reading.components.size();
  for (const SubConfigRow& inner : row.sub_configs)
    read_beside(reading, {inner.key}, inner_name(reading, inner), inner.type, inner.prefix);
  if (reading.config.has("memory_attention_hidden_size")) add_memory_turn(reading);
  if (row.more) row.more(reading);
  if (!row.frame_rope.where.empty()) add_frame_rope(reading, row);
  for (const ComponentRow& part : row.components) {
    const bool told = reading.components.size() > before && !part.own;
    if (part.scheme != "none" || !told) add_component(reading, part);  // else by the part inside
  }
}

std::string inner_keys(const ModelRow& row) {
  std::vector<std::string> out;
  for (const SubConfigRow& inner : row.sub_configs) out.emplace_back(inner.key);
  return join(out, " or ");
}

// A row has one reader: its own, that of what it adds, or that of its group.
ModelReader* reader_of(const ModelRow& row, ModelReader* otherwise) {
  if (row.read) return row.read;
  if (!row.grid.coordinates.empty()) return read_grid;
  if (row.table.start != FirstRow::none) return read_table;
  if (row.sinusoids.start != FirstRow::none) return read_sinusoids;
  if (!row.patches.weight.empty()) return read_patches;
  return row.convolution.kernel > 0 ? read_convolution : otherwise;
}

}  // namespace

void add_component(const Reading& reading, const ComponentRow& part) {
  const std::string place = part.own ? std::string(part.where) : named(reading, part.where).where;
  const Reading inside{reading.config, reading.type, place, reading.components};
  inside.add(component_of(reading.config, part));
  if (!part.trap.empty()) inside.trap(std::string(part.trap));
}

void read_parts_alone(const Reading&, const ModelRow&) {}

Sides patches_of(const Config& config, const PatchRow& row, Keys patch_keys) {
  if (const auto keys = words_of(row.grid_keys); !keys.empty()) {
    const int64_t height = size_of(config, keys.front());
    return {height, size_of(config, keys.back())};
  }
  const Sides picture = sides_of(config, row.picture_keys, row.picture);
  return grid_of(config, picture, sides_of(config, patch_keys, {row.patch, row.patch}));
}

void read_row(const Reading& outer, const ModelRow& given, ModelReader* otherwise) {
  const ClassKeys filled = class_keys(given.types, outer.type);
  const ModelRow row = with_class(given, filled);
  const Config config = outer.config.of_class(filled.keys, filled.written());
  const Reading whole{config, outer.type, outer.where, outer.components};
  const bool turns = !given.grid.coordinates.empty();
  const Reading reading = named(whole, turns ? "vision" : given.where);
  const size_t before = reading.components.size();
  if (!row.trap.empty()) reading.trap(std::string(row.trap));
  reader_of(row, otherwise)(reading, row);
  if (!row.bias.weight.empty()) add_bias(reading, row);
  read_parts(whole, row);
  if (reading.components.size() == before && row.sub_configs.count > 0)
    reading.lacks(inner_keys(row));
}

}  // namespace posenc::model
