// scheme.cc: walks the closed lists; knows no scheme by name.
#include "posenc/scheme.h"

#include <algorithm>

#include "json.h"

namespace posenc {
namespace {

constexpr const Type& list = type_of<Scheme>;

const Type& fields_of(const Scheme& scheme) { return *list.inner[scheme.index()]; }
void* inside(Scheme& scheme) { return const_cast<void*>(list.inside(&scheme)); }

Scheme named(std::string_view name) {
  const auto found = std::find(list.names.begin(), list.names.end(), name);
  if (found == list.names.end())
    fail(ErrorKind::option, "options", "unknown scheme '", name, "'",
         suggestion(name, alternative_names<Scheme>()));
  Scheme out;
  list.pick(&out, static_cast<size_t>(found - list.names.begin()));
  return out;
}

void pick_preset(Scheme& scheme, const std::string& preset) {
  std::visit(
      [&]<class S>(S& s) {
        std::vector<std::string> names;
        for (const auto& p : S::presets()) {
          names.emplace_back(p.name);
          if (p.name == preset) return void(s = p.value);
        }
        fail(ErrorKind::option, "options", "unknown preset '", preset, "' of ", S::name,
             suggestion(preset, names));
      },
      scheme);
}

// Presets first, then the other options in their order.
template <class Given, class Set>
Scheme with(std::string_view name, const Given& given, const Set& set) {
  Scheme out = named(name);
  for (const auto& [option, value] : given)
    if (option == "preset") pick_preset(out, text::write(Value(value)));
  for (const auto& [option, value] : given)
    if (option != "preset") set(fields_of(out), inside(out), option, value);
  std::visit([](const auto& s) { s.check(); }, out);
  return out;
}

// Every weight that the scheme may have.
std::vector<Weight> all_weights(Scheme scheme) {
  for (const Field& f : fields_of(scheme).fields())
    if (!f.learned.empty()) set_text(fields_of(scheme), inside(scheme), f.name, f.name, f.learned);
  return weights(scheme);
}

// The family, and what it acts on.
template <class S>
constexpr std::pair<const char*, const char*> family_of() {
  if (std::is_constructible_v<Absolute, S>) return {"absolute", "input"};
  if (std::is_constructible_v<Rotary, S>) return {"rotary", "queries and keys"};
  return {std::is_constructible_v<Content, S> ? "content" : "relative", "scores"};
}

}  // namespace

Scheme make_scheme(std::string_view name, const Options& options) {
  return with(name, options, [](const Type& type, void* at, auto& option, auto& text) {
    set_text(type, at, option, option, text);
  });
}

Scheme scheme_from_json(std::string_view name, std::string_view json) {
  return with(name, read_json(json), set_value);
}

std::string to_json(const Scheme& scheme) { return to_json(info(scheme).options); }

std::vector<Weight> weights(const Scheme& scheme) {
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
  SchemeInfo out;
  std::visit(
      [&]<class S>(const S& s) {
        const auto [family, acts_on] = family_of<S>();
        out.name = s.name, out.about = s.about, out.family = family, out.acts_on = acts_on;
        for (const auto& p : S::presets())
          out.presets.push_back({std::string(p.name), std::string(p.help)});
      },
      scheme);
  out.weights = all_weights(scheme);
  out.options = options_of(fields_of(scheme), list.inside(&scheme));
  return out;
}

std::vector<SchemeInfo> schemes() {
  std::vector<SchemeInfo> out;
  for (const auto name : list.names) out.push_back(info(named(name)));
  return out;
}

}  // namespace posenc
