// scheme.cc: walks the closed lists; knows no scheme by name.
#include "posenc/scheme.h"

namespace posenc {
namespace {

// Every weight the scheme may have: its boolean switches that start with "learned" turned on.
template <class S>
std::vector<Weight> all_weights(S s) {
  for_each_field<S>([&](const auto& field) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(s.*field.member)>, bool>)
      if (field.name.starts_with("learned")) s.*field.member = true;
  });
  return s.weights();
}

template <class S>
S with_options(S s, const Options& options) {
  for (const auto& [name, value] : options) {
    if (name != "preset") continue;
    std::vector<std::string> names;
    bool found = false;
    for (const auto& preset : S::presets()) {
      names.emplace_back(preset.name);
      if (preset.name == value) s = preset.value, found = true;
    }
    if (!found)
      fail(ErrorKind::option, "options", "unknown preset '", value, "' of ", S::name,
           suggestion(value, names));
  }
  for (const auto& [name, value] : options)
    if (name != "preset") set_option(s, name, name, value);
  s.check();
  return s;
}

}  // namespace

Scheme make_scheme(std::string_view name, const Options& options) {
  Scheme out;
  bool found = false;
  for_each_alternative<Scheme>([&](const auto& s) {
    if (s.name == name) out = with_options(s, options), found = true;
  });
  if (!found)
    fail(ErrorKind::option, "options", "unknown scheme '", name, "'",
         suggestion(name, alternative_names<Scheme>()));
  return out;
}

std::vector<Weight> weights_of(const Scheme& scheme) {
  return std::visit([](const auto& s) { return s.weights(); }, scheme);
}

Plan prepare(const Scheme& scheme, const PlanOptions& options) {
  return std::visit([&](const auto& s) -> Plan { return prepare(s, options); }, scheme);
}

const AbsolutePlan& rows_of(const Plan& plan) {
  if (const auto* absolute = std::get_if<AbsolutePlan>(&plan)) return *absolute;
  if (const auto* rotary = std::get_if<RotaryPlan>(&plan)) return rotary->table();
  fail("rows", "expected a plan with a row for each position, got one that acts on scores");
}

SchemeInfo info(const Scheme& scheme) {
  return std::visit(
      []<class S>(const S& s) {
        constexpr bool absolute = std::is_constructible_v<Absolute, S>;
        constexpr bool rotary = std::is_constructible_v<Rotary, S>;
        SchemeInfo out{std::string(s.name),
                       std::string(s.about),
                       absolute ? "absolute"
                       : rotary ? "rotary"
                                : "relative",
                       absolute ? "input"
                       : rotary ? "queries and keys"
                                : "scores",
                       all_weights(s),
                       options_of(s),
                       {}};
        for (const auto& p : S::presets())
          out.presets.push_back({std::string(p.name), std::string(p.help)});
        return out;
      },
      scheme);
}

std::vector<SchemeInfo> schemes() {
  std::vector<SchemeInfo> out;
  for_each_alternative<Scheme>([&](const auto& s) { out.push_back(info(s)); });
  return out;
}

}  // namespace posenc
