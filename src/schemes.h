// schemes.h: schemes of a closed list V by name; knows none of them.
#pragma once

#include <algorithm>

#include "base/other_names.h"
#include "options_json.h"
#include "posenc/aliases.h"
#include "posenc/scheme.h"
#include "spellings.h"

namespace posenc {

template <class V>
const Type& fields_of(const V& scheme) {
  return *type_of<V>.inner[scheme.index()];
}
template <class V>
void* inside(V& scheme) {
  return const_cast<void*>(type_of<V>.inside(&scheme));
}

// The schemes of a model of that name, the nearest name, one of the other names too for the list
// Scheme; or what schemes there are.
template <class V>
std::string suggested(std::string_view name) {
  if (const auto option = option_called(name); !option.empty())
    return "; it is the option " + std::string(option) + " of schemes";
  std::vector<std::string> used;
  for_each_alternative<V>([&](const auto& scheme) {
    if (says(scheme.used_by, letters_of(name), true)) used.emplace_back(scheme.name);
  });
  if (!used.empty())
    return "; models of that name use " + join(used, ", ") +
           ": explain reads their own numbers from a config.json";
  if constexpr (std::is_same_v<V, Scheme>) {
    std::vector<std::string> all = alternative_names<V>();
    for (const Alias& alias : aliases()) all.push_back(alias.name);
    if (!closest(name, all).empty()) return suggestion(name, all);
  }
  return suggestion(name, alternative_names<V>());
}

template <class V>
V named(std::string_view name) {
  const Type& list = type_of<V>;
  const auto found = std::find(list.names.begin(), list.names.end(), name);
  if (found == list.names.end())
    fail(ErrorKind::option, "options", "unknown scheme '", name, "'", suggested<V>(name));
  V out;
  list.pick(&out, static_cast<size_t>(found - list.names.begin()));
  return out;
}

template <class V>
void pick_preset(V& scheme, const std::string& preset) {
  std::visit(
      [&]<class S>(S& s) {
        std::vector<std::string> names;
        for (const auto& p : S::presets()) {
          names.emplace_back(p.name);
          if (p.name == preset) return void(s = p.value);
        }
        const std::string letters = letters_of(preset);
        const auto is_part = [&](auto& name) { return says(name, letters, false); };
        const auto is_same = [&](auto& name) {
          return is_said_as(name, preset) || name.substr(0, name.size() - 1) == preset;
        };
        const bool is_model =
            std::none_of(names.begin(), names.end(), is_same) &&
            (std::any_of(names.begin(), names.end(), is_part) || says(S::used_by, letters, true));
        fail(ErrorKind::option, "options", "unknown preset '", preset, "' of ", S::name,
             is_model ? "; explain reads that model's own numbers from its config.json"
                      : suggestion(preset, names));
      },
      scheme);
}

// What an alias stands for, then presets, then the other options in their order.
template <class V, class Given, class Set>
V with(std::string_view name, const Given& given, const Set& set, const Alias* alias) {
  V out = named<V>(alias ? alias->scheme : name);
  if (alias && alias->option == "preset") pick_preset(out, alias->value);
  for (const auto& [option, value] : given)
    if (option == "preset") pick_preset(out, text::write(Value(value)));
  if (alias && !alias->option.empty() && alias->option != "preset")
    set_text(fields_of(out), inside(out), alias->option, alias->option, alias->value);
  for (const auto& [option, value] : given)
    if (option != "preset") set(fields_of(out), inside(out), option, value);
  std::visit([](const auto& s) { s.check(); }, out);
  return out;
}

template <class V>
V from_options(std::string_view name, const Options& options, const Alias* alias = nullptr) {
  const auto set = [](const Type& type, void* at, auto& option, auto& text) {
    set_text(type, at, option, option, text);
  };
  return with<V>(name, with_objects_read(alias ? alias->scheme : name, options), set, alias);
}

template <class V>
V from_json(std::string_view name, std::string_view json, const Alias* alias = nullptr) {
  const auto given = in_own_words(alias ? alias->scheme : name, read_json(json));
  return with<V>(name, given, set_value, alias);
}

// Name, description, users, presets and options.
template <class V>
SchemeInfo described(const V& scheme) {
  SchemeInfo out;
  std::visit(
      [&]<class S>(const S& s) {
        out.name = s.name, out.about = s.about, out.used_by = s.used_by;
        for (const auto& p : S::presets())
          out.presets.push_back({std::string(p.name), std::string(p.help)});
      },
      scheme);
  out.options = options_of(fields_of(scheme), type_of<V>.inside(&scheme));
  return out;
}

}  // namespace posenc
