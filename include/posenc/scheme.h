// scheme.h: schemes chosen by name at run time (command line, bindings, model files).
#pragma once

#include "posenc/absolute.h"
#include "posenc/content.h"
#include "posenc/relative.h"
#include "posenc/rotary.h"
#include "posenc/scheme_info.h"

namespace POSENC_PUBLIC posenc {

template <class... A, class... B, class... C, class... D>
std::variant<A..., B..., C..., D...> join_families(std::variant<A...>, std::variant<B...>,
                                                   std::variant<C...>, std::variant<D...>);

// Any scheme of any family.
using Scheme = decltype(join_families(Absolute{}, Rotary{}, Bias{}, Content{}));

// The scheme as a member of a family, or nothing.
template <class Family>
std::optional<Family> as_family(const Scheme& scheme) {
  return std::visit(
      [](const auto& s) -> std::optional<Family> {
        if constexpr (std::is_constructible_v<Family, decltype(s)>) return Family(s);
        return std::nullopt;
      },
      scheme);
}

std::vector<Weight> weights(const Scheme& scheme);
// Whether a length rule depends on the length of the text; such a rule has serves().
template <class Rule>
concept AsksForLength = requires(const Rule& rule) {
  rule.serves(int64_t{});
};
// Whether the length rule of a scheme does; prepare() then needs the length.
bool asks_for_length(const Scheme& scheme);

// The plan of any scheme; std::monostate means no encoding.
using Plan = std::variant<std::monostate, AbsolutePlan, RotaryPlan, BiasPlan, ContentPlan>;
Plan prepare(const Scheme& scheme, const PlanOptions& options = {});

// The rows of a plan as a table: what an absolute plan adds, or the cosines and sines of a rotary
// plan; an Error for plans that act on scores.
const AbsolutePlan& rows_of(const Plan& plan);

// The scheme of that name with the options applied; an option "preset" is applied first.
// Throws Error with a suggestion for an unknown name, option or value.
Scheme make_scheme(std::string_view name, const Options& options = {});

// The same from JSON: {"preset": "llama", "dim": 64, "scaling": {"type": "yarn", "factor": 4}}. A
// variant is an object with its "type", or only the name of the type; null means none.
Scheme scheme_from_json(std::string_view name, std::string_view json);
// The options that are read, as a JSON object.
std::string to_json(const Scheme& scheme);

SchemeInfo info(const Scheme& scheme);
std::vector<SchemeInfo> schemes();  // all, with default values

}  // namespace posenc
