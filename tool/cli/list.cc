// list.cc: posenc list.
#include <fmt/core.h>

#include "console.h"
#include "help.h"
#include "json.h"
#include "options.h"

namespace posenc::cli {
namespace {

struct ListOptions {
  bool json = false;
  static Fields fields() {
    return {{"json", &ListOptions::json, "everything about every scheme, as JSON"}};
  }
};

Json field_json(const Option& option) {
  Json out{{"name", option.name},
           {"kind", enum_name(option.kind)},
           {"help", option.help},
           {"default", value_json(option)}};
  if (!option.choices.empty()) out["choices"] = option.choices;
  const auto& [other, choice] = option.only_with;
  if (!other.empty()) out["only_with"] = {{"option", other}, {"choice", choice}};
  if (!option.learned.empty()) out["learned"] = option.learned;
  return out;
}

Json scheme_json(const SchemeInfo& scheme) {
  Json out{{"name", scheme.name},       {"about", scheme.about},    {"family", scheme.family},
           {"acts_on", scheme.acts_on}, {"learned", Json::array()}, {"fields", Json::array()},
           {"presets", Json::array()}};
  for (const Weight& w : scheme.weights)
    out["learned"].push_back({{"name", w.name}, {"shape", w.shape}});
  for (const Option& option : scheme.options) out["fields"].push_back(field_json(option));
  for (const auto& p : scheme.presets)
    out["presets"].push_back({{"name", p.name}, {"help", p.help}});
  return out;
}

std::string overview(const std::vector<SchemeInfo>& all) {
  const auto line = [](auto name, auto family, auto acts, const std::string& learned, auto about) {
    return fmt::format("{:<17} {:<9} {:<17} {:<17} {}\n", name, family, acts, learned, about);
  };
  std::string out = line("scheme", "family", "acts on", "learned", "what it is");
  for (const SchemeInfo& scheme : all) {
    std::vector<std::string> learned;
    for (const Weight& weight : scheme.weights) learned.push_back(weight.name);
    std::string names = learned.empty() ? "-" : join(learned, ", ");
    if (names.size() > 17) names = fmt::format("{} tensors", learned.size());
    out += line(scheme.name, scheme.family, scheme.acts_on, names, scheme.about);
  }
  return out + "\n'posenc list SCHEME' shows the options and presets of one.\n";
}

void run_list(const Call& call) {
  std::vector<SchemeInfo> chosen = schemes();
  if (call.words.empty() && !call.scheme.empty())
    refuse("expected a SCHEME before --", call.scheme[0].first, ", got none");
  if (!call.words.empty()) chosen = {read_info(call)};
  if (read_options<ListOptions>(call).json) {
    Json out = Json::array();
    for (const SchemeInfo& scheme : chosen) out.push_back(scheme_json(scheme));
    return print(dump(out));
  }
  print(call.words.empty() ? overview(chosen) : scheme_text(chosen[0]));
}

}  // namespace

Command list_command() {
  return {"list",
          "the schemes there are, and the options and presets of each",
          "[SCHEME]",
          "With a preset or options after the scheme, the values shown are those that result.\n",
          options_of(ListOptions{}),
          {"posenc list", "posenc list sinusoidal --preset whisper", "posenc list rope",
           "posenc list --json"},
          run_list};
}

}  // namespace posenc::cli
