// scheme.cc: walks the closed lists; knows no scheme by name.
#include "posenc/scheme.h"

#include <algorithm>

#include "posenc/aliases.h"
#include "posenc/convolution.h"
#include "schemes.h"

namespace posenc {
namespace {

void set_option(Scheme& scheme, const std::string& name, const std::string& text) {
  set_text(fields_of(scheme), inside(scheme), name, name, text);
}

// Every weight that the scheme may have, with other choices of what is learned too.
std::vector<Weight> all_weights(Scheme scheme, std::vector<Option> options) {
  std::erase_if(options, [](const Option& option) {
    return option.learned.empty() || option.name.find('.') != std::string::npos;
  });
  for (const Option& option : options) set_option(scheme, option.name, option.learned);
  auto out = weights(scheme);
  for (const Option& option : options)
    for (const std::string& choice : option.choices) {
      Scheme other = scheme;
      set_option(other, option.name, choice);
      for (Weight& w : weights(other))
        if (std::none_of(out.begin(), out.end(), [&](auto& known) { return known.name == w.name; }))
          out.push_back(std::move(w));
    }
  return out;
}

// The family, and what it acts on.
template <class S>
constexpr std::pair<const char*, const char*> family_of() {
  if (std::is_constructible_v<Absolute, S>) return {"absolute", "input"};
  if (std::is_constructible_v<Rotary, S>) return {"rotary", "queries and keys"};
  return {std::is_constructible_v<Content, S> ? "content" : "relative", "scores"};
}

void refuse_convolution(std::string_view name) {
  if (is_convolution(name) && !find_alias(name))
    fail(ErrorKind::option, "options", "expected a scheme that reads positions, got ", name,
         ", a convolution of the input, which has verbs of its own (posenc/convolution.h)");
}

}  // namespace

Scheme make_scheme(std::string_view name, const Options& options) {
  refuse_convolution(name);
  return from_options<Scheme>(name, options, find_alias(name));
}

Scheme scheme_from_json(std::string_view name, std::string_view json) {
  refuse_convolution(name);
  return from_json<Scheme>(name, json, find_alias(name));
}

std::string to_json(const Scheme& scheme) { return to_json(info(scheme).options); }

std::vector<Weight> weights(const Scheme& scheme) {
  return std::visit([](const auto& s) { return s.weights(); }, scheme);
}

bool asks_for_length(const Scheme& scheme) {
  const auto* rope = std::get_if<Rope>(&scheme);
  const auto asks = []<class Rule>(const Rule&) { return AsksForLength<Rule>; };
  return rope && std::visit(asks, rope->scaling);
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
  SchemeInfo out = described(scheme);
  std::visit(
      [&]<class S>(const S&) {
        const auto [family, acts_on] = family_of<S>();
        out.family = family, out.acts_on = acts_on;
      },
      scheme);
  out.weights = all_weights(scheme, out.options);
  return out;
}

std::vector<SchemeInfo> schemes() {
  std::vector<SchemeInfo> out;
  for (const auto name : type_of<Scheme>.names) out.push_back(info(named<Scheme>(name)));
  return out;
}

}  // namespace posenc
