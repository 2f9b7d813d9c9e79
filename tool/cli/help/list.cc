// list.cc: posenc list.
#include <fmt/core.h>

#include <algorithm>

#include "cli/console.h"
#include "cli/help/help.h"
#include "cli/help/search.h"
#include "cli/json.h"
#include "cli/options.h"

namespace posenc::cli {
namespace {

struct ListOptions {
  bool json = false, markdown = false;
  static Fields fields() {
    return {{"json", &ListOptions::json, "everything about every scheme, as JSON"},
            {"markdown", &ListOptions::markdown,
             "schemes, who uses them and their presets, as a page"}};
  }
};

Json field_json(const Option& option) {
  Json out{{"name", option.name},
           {"kind", enum_name(option.kind)},
           {"help", option.help},
           {"default", value_tree(option.value)}};
  if (!option.choices.empty()) out["choices"] = option.choices;
  const auto& [other, choice] = option.only_with;
  if (!other.empty()) out["only_with"] = {{"option", other}, {"choice", choice}};
  if (!option.learned.empty()) out["learned"] = option.learned;
  return out;
}

Json scheme_json(const SchemeInfo& scheme) {
  Json out{{"name", scheme.name},         {"about", scheme.about},
           {"used_by", scheme.used_by},   {"family", scheme.family},
           {"acts_on", scheme.acts_on},   {"learned", files::JsonList{}},
           {"fields", files::JsonList{}}, {"presets", files::JsonList{}},
           {"aliases", files::JsonList{}}};
  for (const Weight& w : scheme.weights)
    out["learned"].push_back({{"name", w.name}, {"shape", w.shape}});
  for (const Option& option : scheme.options) out["fields"].push_back(field_json(option));
  for (const auto& p : scheme.presets)
    out["presets"].push_back({{"name", p.name}, {"help", p.help}});
  for (const Alias& alias : known_aliases("list"))
    if (alias.scheme == scheme.name)
      out["aliases"].push_back(
          {{"name", alias.name}, {"option", alias.option}, {"value", alias.value}});
  return out;
}

// Names that are no preset: what they stand for. Presets stand for themselves.
std::string other_names() {
  std::string out = "A preset that only one scheme has is a name too (posenc list mae), as are:\n";
  for (const Alias& alias : known_aliases("list")) {
    if (alias.option == "preset" && alias.value == alias.name) continue;
    out +=
        fmt::format("  {:<22} {}{}\n", alias.name, alias.scheme,
                    alias.option.empty() ? "" : fmt::format(" --{} {}", alias.option, alias.value));
  }
  return out;
}

// "a trained table of rows [table, alpha]"
std::string about_text(const SchemeInfo& scheme) {
  std::vector<std::string> learned;
  for (const Weight& weight : scheme.weights) learned.push_back(weight.name);
  if (learned.size() > 3) learned = {fmt::format("{} tensors", learned.size())};
  return scheme.about + (learned.empty() ? "" : " [" + join(learned, ", ") + "]");
}

std::string overview(const std::vector<SchemeInfo>& all) {
  std::string out = "Schemes by family; weights that may be learned are in brackets.\n\n";
  for (size_t i = 0; i < all.size();) {
    const SchemeInfo& first = all[i];
    std::vector<Entry> list;
    for (; i < all.size() && all[i].family == first.family && all[i].acts_on == first.acts_on; ++i)
      list.push_back({all[i].name, about_text(all[i])});
    out += fmt::format("{}, on the {}:\n{}\n", first.family, first.acts_on, entries(list));
  }
  return out + "'posenc list SCHEME' shows the options and presets of one.\n" + other_names();
}

// docs/schemes.md
std::string section(const SchemeInfo& scheme) {
  std::string out = fmt::format("\n## {}\n\n{}; {} family. Used by {}.\n", scheme.name,
                                scheme.about, scheme.family, scheme.used_by);
  std::vector<std::string> names;
  for (const Alias& alias : known_aliases("list"))
    if (alias.scheme == scheme.name && (alias.option != "preset" || alias.value != alias.name))
      names.push_back("`" + alias.name + "`");
  if (!names.empty()) out += "Other names: " + join(names, ", ") + ".\n";
  out += "\n| preset | what it is, and who uses it |\n|---|---|\n";
  for (const auto& p : scheme.presets) out += fmt::format("| `{}` | {} |\n", p.name, p.help);
  return out;
}

std::string page(const std::vector<SchemeInfo>& all) {
  std::string out =
      "# Schemes, and who uses them\n\n"
      "What `posenc list --markdown` prints. `posenc list NAME` has the options of each.\n";
  for (const SchemeInfo& scheme : all) out += section(scheme);
  return out;
}

// A name that is none of a scheme, but that schemes or presets say to be theirs.
std::vector<Mention> mentions_asked(const Call& call) {
  if (call.words.empty() || !call.scheme.empty()) return {};
  const auto names = scheme_names("list");
  const bool known = std::find(names.begin(), names.end(), call.words[0]) != names.end();
  return known ? std::vector<Mention>{} : mentions_of(call.words[0]);
}

std::string mentions_text(const std::string& name, const std::vector<Mention>& mentions) {
  std::vector<Entry> list;
  for (const Mention& mention : mentions) list.push_back({mention.how, mention.about});
  return name + " is named by:\n" + entries(list, 36) + "\n'posenc list " + mentions[0].how +
         "' shows the options of the first.\n";
}

std::vector<SchemeInfo> schemes_of(const std::vector<Mention>& mentions) {
  std::vector<SchemeInfo> out;
  for (SchemeInfo& scheme : known_schemes("list"))
    if (std::any_of(mentions.begin(), mentions.end(),
                    [&](const Mention& mention) { return mention.scheme == scheme.name; }))
      out.push_back(std::move(scheme));
  return out;
}

void run_list(const Call& call) {
  std::vector<SchemeInfo> chosen = known_schemes("list");
  const auto mentions = mentions_asked(call);
  if (call.words.empty() && !call.scheme.empty())
    refuse("expected a SCHEME before --", call.scheme[0].first, ", got none");
  if (!call.words.empty())
    chosen = mentions.empty() ? std::vector{read_info(call)} : schemes_of(mentions);
  const auto options = read_options<ListOptions>(call);
  if (options.json && options.markdown) refuse("expected --json or --markdown, got both");
  if (options.markdown) return print(page(chosen));
  if (options.json) {
    Json out{{"schemes", files::JsonList{}}};
    for (const SchemeInfo& scheme : chosen) out["schemes"].push_back(scheme_json(scheme));
    return print(answer(out));
  }
  if (!mentions.empty()) return print(mentions_text(call.words[0], mentions));
  print(call.words.empty() ? overview(chosen) : scheme_text(chosen[0]));
}

}  // namespace

Command list_command() {
  return {"list",
          "list the schemes, with their options and presets",
          may_take_scheme,
          "With a preset or options after the scheme, the values shown are the resulting ones.\n"
          "The name of a model, paper or library lists the schemes and presets that mention it.\n",
          options_of(ListOptions{}),
          {"posenc list", "posenc list sinusoidal --preset whisper", "posenc list rope",
           "posenc list Qwen2.5-VL", "posenc list --json"},
          run_list};
}

}  // namespace posenc::cli
