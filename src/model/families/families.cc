// families.cc: the rule for a part of a model, found by its type.
#include <algorithm>

#include "base/text.h"
#include "model/families/model_row.h"

namespace posenc::model {
namespace {

struct FoundRow {
  const ModelRow* row = nullptr;
  const RowGroup* group = nullptr;
};

FoundRow find_in(const RowGroup& group, std::string_view type) {
  for (const auto rows : group.lists)
    for (const ModelRow& row : rows)
      if (is_among(row.types, type)) return {&row, &group};
  return {};
}

FoundRow find_rule(std::string_view type) {
  if (type.empty()) return {};
  for (const RowGroup* group : row_groups())
    if (const FoundRow found = find_in(*group, type); found.row) return found;
  return {};
}

// A configuration with a text model inside is a joint one, even where its name is also that of a
// text model, whose row says then what its parts are (ministral3).
bool is_joint(const Config& config) {
  return config.has({"text_config", "llm_config", "language_config"});
}
FoundRow find_rule(const Reading& reading) {
  FoundRow out = find_rule(reading.type);
  const bool has_parts = out.row && !out.row->read && !out.row->joint.text.empty();
  if (has_parts && is_joint(reading.config)) out.group = &joint_rows();
  return out;
}

// A text model by name, whose numbers are all in the configuration inside.
bool is_hollow(const Config& config, const FoundRow& rule) {
  return rule.group == &text_rows() && !config.has({"hidden_size", "n_embd", "d_model", "dim"});
}

// What keys about positions are there, for a model that no rule covers.
std::string found_in(const Config& config) {
  std::vector<std::string> found;
  for (const std::string& key : config.keys())
    if (is_about_positions(key)) found.push_back(key);
  return found.empty() ? "no key about positions" : "keys about positions: " + join(found, ", ");
}

// The rule that most models without one of their own follow.
constexpr std::string_view commonest = "llama";

// What the keys would mean under it, and how to ask for that; nothing where none is about turning.
std::string would_mean(const Reading& reading) {
  if (!reading.config.has({"rope_theta", "rope_scaling", "rope_parameters", "rotary_emb_base"}))
    return "";
  std::string facts;
  try {
    Journal journal;
    const Config config(reading.config.json(), journal, reading.config.path());
    std::vector<Component> parts;
    if (config.has({"hidden_size", "n_embd", "d_model", "head_dim"}))
      read_part({config, std::string(commonest), reading.where, parts});
    for (const Component& part : parts)
      for (const std::string_view fact : {"layout", "head_dim", "base", "scaling.type"})
        if (const Value* value = part.find(fact))
          facts += ", " + std::string(fact) + " " + text::write(*value);
  } catch (const Error&) {  // nothing that the rule can read
  }
  return "; the commonest rule, " + std::string(commonest) + "'s, would read" +
         (facts.empty() ? " them" : " rope" + facts) + ": as_type " + files::in_quotes(commonest) +
         " asks for it (posenc explain MODEL --as " + std::string(commonest) + ")";
}

// As a model of another type, which is said of every component.
void read_as(const Reading& reading, const std::string& type) {
  const size_t first = reading.components.size();
  read_part({reading.config, type, reading.where, reading.components});
  for (size_t i = first; i < reading.components.size(); ++i)
    reading.components[i].facts.emplace_back("assumed", "read as " + type + ", as asked");
  reading.config.journal().note(
      NoteKind::assumed, reading.where,
      "all of this follows the rule of " + type + ", which was asked for: model_type " +
          (reading.type.empty() ? "is absent" : "is " + files::in_quotes(reading.type)));
}

void read_unknown(const Reading& reading) {
  const std::string& type = reading.config.journal().as_type;
  if (!type.empty()) return read_as(reading, type);
  fail(ErrorKind::data, "read", "not known: no rule covers model_type ",
       reading.type.empty() ? "(none)" : files::in_quotes(reading.type), " of ", reading.where,
       "; found ", found_in(reading.config), would_mean(reading));
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

bool is_among(std::string_view names, std::string_view name) {
  const auto words = words_of(names);
  return std::find(words.begin(), words.end(), name) != words.end();
}

bool is_known(std::string_view type) { return find_rule(type).row != nullptr; }

std::vector<std::string_view> known_types() {
  std::vector<std::string_view> out;
  for (const RowGroup* group : row_groups())
    for (const auto rows : group->lists)
      for (const ModelRow& row : rows)
        for (const std::string_view type : words_of(row.types)) out.push_back(type);
  return out;
}

void Reading::add(Component component) const {
  if (component.where.empty()) component.where = where;
  component.keys = std::move(config.journal().keys);
  config.journal().keys.clear();
  components.push_back(std::move(component));
}

void add_keys(const Reading& reading) {
  auto &keys = reading.config.journal().keys, &told = reading.components.back().keys;
  told.insert(told.end(), keys.begin(), keys.end());
  keys.clear();
}

void Reading::add(std::string_view place, Component component) const {
  component.where = place;
  add(std::move(component));
}

void Reading::trap(std::string text) const {
  config.journal().note(NoteKind::trap, where, std::move(text));
}

void Reading::lacks(std::string_view keys) const {
  fail(ErrorKind::data, "read", "expected ", keys, " in a model of type ", type, ", got none");
}

void read_part(const Reading& reading) {
  const FoundRow rule = find_rule(reading);
  if (is_joint(reading.config) && (!rule.row || is_hollow(reading.config, rule)))
    return read_unnamed_joint(reading);
  if (!rule.row) return read_unknown(reading);
  read_row(reading, *rule.row, rule.group->read);
  if (rule.group->also) rule.group->also(reading);
  for (const std::string_view key : words_of(rule.row->idle)) reading.config.pass({key});
}

void read_whole(const Reading& reading) {
  const std::string& type = reading.config.journal().as_type;
  if (type.empty()) return read_part(reading);
  if (!is_known(type))
    fail(ErrorKind::option, "read", "expected a model_type that a rule covers as as_type, got ",
         files::in_quotes(type));
  if (!is_joint(reading.config)) return read_as(reading, type);
  read_part(reading);
  const auto assumed = [](const Component& part) { return part.find("assumed") != nullptr; };
  if (std::none_of(reading.components.begin(), reading.components.end(), assumed))
    fail(ErrorKind::option, "read", "expected a part that no rule covers, to be read as ", type,
         ", got none");
}

bool read_inside(const Reading& outer, Config::Names keys, std::string_view where,
                 std::string_view otherwise) {
  const auto inside = outer.config.inside(keys);
  if (!inside) return false;
  std::string type = type_of_config(*inside);
  if (type.empty()) type = otherwise;
  read_part({*inside, std::move(type), std::string(where), outer.components});
  return true;
}

}  // namespace posenc::model
