// variants.cc: from one line of text to several schemes.
#include "cli/schemes/variants.h"
#include "posenc/aliases.h"

#include <algorithm>

namespace posenc::cli {
namespace {

std::vector<std::string> words_of(std::string_view text, char separator) {
  std::vector<std::string> out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    if (end > at) out.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// The full name of an option: of the scheme as it stands, or of the rule, where a start of the
// name is enough if no other begins so.
std::string full_name(const SchemeInfo& scheme, const std::string& rule, const std::string& name) {
  std::vector<std::string> begun;
  for (const Option& option : scheme.options) {
    if (option.name == name || name == "preset") return name;
    if (option.only_with == Condition{"scaling", rule} &&
        option.name.starts_with("scaling." + name))
      begun.push_back(option.name);
  }
  const std::string exact = "scaling." + name;
  if (begun.size() == 1 || std::find(begun.begin(), begun.end(), exact) != begun.end())
    return begun.size() == 1 ? begun[0] : exact;
  if (begun.empty()) refuse("unknown option '", name, "' of rule ", rule, " in --compare");
  refuse("expected one option of rule ", rule, " that begins with '", name, "', got ",
         join(begun, " and "));
}

std::string rule_of(const Call& call) {
  for (const Option& option : read_info(call).options)
    if (option.name == "scaling") return text::write(option.value);
  return "";
}

bool has_preset(const SchemeInfo& scheme, const std::string& name) {
  return std::any_of(scheme.presets.begin(), scheme.presets.end(),
                     [&](const PresetInfo& preset) { return preset.name == name; });
}

// A word alone beside an absolute scheme: another one, a preset of this one, or another name.
void name_other(Call& call, const std::string& word) {
  const auto names = alternative_names<Absolute>();
  const bool is_preset = has_preset(usual_info(call.words[0]), word);
  const Alias* alias = is_preset ? nullptr : find_alias(word);
  if (std::find(names.begin(), names.end(), alias ? alias->scheme : word) != names.end()) {
    call.words[0] = alias ? alias->scheme : word;
    call.scheme.clear();
    if (alias && !alias->option.empty()) call.scheme.emplace_back(alias->option, alias->value);
  } else {
    std::erase_if(call.scheme, [](const auto& option) { return option.first == "preset"; });
    call.scheme.emplace_back("preset", word);
  }
}

Call varied_absolute(Call call, const std::string& part) {
  for (const std::string& word : words_of(part, ' ')) {
    const size_t equals = word.find('=');
    if (equals == word.npos) {
      name_other(call, word);
      continue;
    }
    const std::string name = word.substr(0, equals);
    std::erase_if(call.scheme, [&](const auto& option) { return option.first == name; });
    call.scheme.emplace_back(name, word.substr(equals + 1));
  }
  return call;
}

Call varied(Call call, const std::string& part) {
  if (usual_info(call.words[0]).family == "absolute") return varied_absolute(call, part);
  const SchemeInfo usual = usual_info(call.words[0]);
  std::string rule = rule_of(call);
  for (const std::string& word : words_of(part, ' ')) {
    const size_t equals = word.starts_with("scaling=") ? word.npos : word.find('=');
    if (equals == word.npos) {
      rule = word.substr(word.find('=') + 1);
      call.scheme.emplace_back("scaling", rule);
      std::erase_if(call.scheme, [](const auto& o) { return o.first.starts_with("scaling."); });
    } else {
      const std::string name = full_name(usual, rule, word.substr(0, equals));
      call.scheme.emplace_back(name, word.substr(equals + 1));
      if (name == "preset") rule = rule_of(call);
    }
  }
  return call;
}

}  // namespace

std::vector<Variant> read_variants(const Call& call, const RowsOptions& options,
                                   const std::string& compare) {
  std::vector<Variant> out;
  if (compare.empty()) out.push_back({"", make_ready(read_scheme(call), options)});
  for (const std::string& part : words_of(compare, ';')) {
    const std::string label = join(words_of(part, ' '), " ");
    if (label.empty()) continue;
    out.push_back({label, make_ready(read_scheme(varied(call, part)), options)});
  }
  if (out.empty()) refuse("expected schemes between ';' in --compare, got none");
  return out;
}

}  // namespace posenc::cli
