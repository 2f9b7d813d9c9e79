// variation.h: the ways in which tables differ from presets, as data.
#pragma once

#include <functional>

#include "search.h"

namespace posenc::inspect {

using Cost = std::optional<double>;  // nothing: it makes no sense here

// One way in which a table may differ from a preset.
struct Variation {
  std::string_view id;                  // as in mistakes(); "" for no difference
  double cost;                          // of believing it, at least
  std::function<Cost(Formula&)> apply;  // changes the formula; what it costs besides
};
using Group = std::vector<Variation>;

// One variation of each group, in this order, is applied to a preset.
std::vector<Group> formula_groups(const Evidence& evidence);
std::vector<Group> rounding_groups(const Evidence& evidence);

// What is measured on the table.
Group measured_bases(const Evidence& evidence);
Group measured_speeds(const Evidence& evidence);
Group measured_offsets(const Evidence& evidence);

// Does the base not matter?
inline bool has_one_frequency(const Sinusoidal& s) {
  return std::holds_alternative<ExplicitRule>(s.rule) ||
         (s.pair_count() == 1 && !is_per_column(s.rule));
}

}  // namespace posenc::inspect
