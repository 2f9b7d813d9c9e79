// spellings.cc: options of rope in the words of Hugging Face's configurations.
#include "spellings.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "options_json.h"
#include "posenc/rotary/rope.h"

namespace posenc {
namespace {

std::string own_name(const std::string& name) {
  const size_t dot = std::min(name.find('.'), name.size());
  const std::string head = name.substr(0, dot);
  if (head == "rope_scaling" || head == "rope_parameters")
    return own_name("scaling" + name.substr(dot));
  if (name == "rope_theta" || name == "scaling.rope_theta") return "base";
  if (name == "scaling.rope_type" || name == "scaling.type") return "scaling";
  return name;
}

// "mrope" says that there are several axes, which are not a rule.
Value own_rule(const Value& value) {
  const auto* word = std::get_if<std::string>(&value);
  if (value.index() == 0 || (word && (*word == "default" || *word == "mrope")))
    return std::string("none");
  return word && *word == "su" ? Value(std::string("longrope")) : value;
}

double number_of(const Value& value, const char* name) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  fail(ErrorKind::option, "options", "expected ", name, " to be a number");
}

bool is_given(const Settings& given, std::string_view name) {
  return std::any_of(given.begin(), given.end(),
                     [&](auto& s) { return own_name(s.first) == name; });
}

bool has_rule(const Settings& given, std::string_view rule) {
  return std::any_of(given.begin(), given.end(), [&](auto& setting) {
    return own_name(setting.first) == "scaling" &&
           own_rule(setting.second) == Value(std::string(rule));
  });
}

// Whether the part of each head that turns is said beside a rule that has no such option itself.
bool is_part(const std::string& name, const Settings& given) {
  if (name != "scaling.partial_rotary_factor") return name == "partial_rotary_factor";
  return !has_rule(given, Proportional::name);
}

// Gemma's rope_parameters hold an object for each kind of layer.
void refuse_kinds_of_layers(const Settings& given) {
  std::vector<std::string> kinds;
  for (const auto& [said, value] : given) {
    const std::string name = own_name(said);
    const size_t dot = name.find('.', std::min(name.find('.'), name.size() - 1) + 1);
    if (!name.starts_with("scaling.") || dot == std::string::npos) continue;
    const std::string kind = name.substr(8, dot - 8);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  if (!kinds.empty())
    fail(ErrorKind::option, "options", "expected the rope parameters of one kind of layer, got ",
         join(kinds, " and "), ": pass one of them, such as rope_parameters[\"", kinds[0], "\"]");
}

// Qwen-VL's sections: the axes follow one another, or alternate where mrope_interleaved says so.
// Beside axes of another order, which the caller names, they are the sections of those.
std::string axes_of(const Settings& given) {
  const bool alternate = std::any_of(given.begin(), given.end(), [](auto& setting) {
    return setting.first.ends_with("mrope_interleaved") && setting.second == Value(true);
  });
  return alternate ? "alternating" : "chunked";
}

// rotary_dim, of the dim that stands beside it.
Value rotary_dim(const Settings& settings, const Value& factor) {
  for (const auto& [name, value] : settings)
    if (name == "dim")
      return static_cast<int64_t>(
          std::floor(number_of(value, "dim") * number_of(factor, "partial_rotary_factor")));
  fail(ErrorKind::option, "options", "expected dim with partial_rotary_factor, got none");
}

}  // namespace

std::vector<std::string> other_options(std::string_view scheme) {
  if (scheme != Rope::name) return {};
  return {"rope_theta",    "rope_scaling",     "rope_parameters", "partial_rotary_factor",
          "mrope_section", "mrope_interleaved"};
}

Settings in_own_words(std::string_view scheme, const Settings& given) {
  if (scheme != Rope::name) return given;
  refuse_kinds_of_layers(given);
  Settings out;
  const auto add = [&](const std::string& name, const Value& own, const std::string& said) {
    const auto same =
        std::find_if(out.begin(), out.end(), [&](auto& o) { return o.first == name; });
    if (same == out.end())
      out.emplace_back(name, own);
    else if (text::write(same->second) != text::write(own))
      fail(ErrorKind::option, "options", "expected ", name, " once, got ",
           text::write(same->second), " and, as ", said, ", ", text::write(own));
  };
  for (const auto& [said, value] : given) {
    const std::string name = own_name(said);
    if (name.ends_with("mrope_interleaved")) continue;
    if (name.ends_with("mrope_section")) {
      if (!is_given(given, "axes")) add("axes", axes_of(given), said);
      add("axes.sections", value, said);
    } else if (is_part(name, given)) {
      add("rotary_dim", rotary_dim(given, value), said);
    } else if (name == "scaling.original_max_position_embeddings" &&
               has_rule(given, DynamicNtk::name)) {
      add("scaling.max_position_embeddings", value, said);
    } else {
      add(name, name == "scaling" ? own_rule(value) : value, said);
    }
  }
  // The rule comes before its options.
  std::stable_partition(out.begin(), out.end(), [](auto& o) { return o.first == "scaling"; });
  return out;
}

Options with_objects_read(std::string_view scheme, const Options& given) {
  std::string json;
  for (const auto& [name, value] : given)
    if (scheme == Rope::name && own_name(name) == "scaling" && value.starts_with('{'))
      json += (json.empty() ? "{" : ", ") + ("\"" + name + "\": " + value);
  if (json.empty()) return given;
  Options out;
  for (const auto& [name, value] : given)
    if (own_name(name) != "scaling" || !value.starts_with('{')) out.emplace_back(name, value);
  for (const auto& [name, value] : out)
    if (name == "dim") json += ", \"dim\": " + value;  // of which partial_rotary_factor is a part
  for (const auto& [name, value] : in_own_words(scheme, read_json(json + "}")))
    if (name != "dim") out.emplace_back(name, text::write(value));
  return out;
}

}  // namespace posenc
