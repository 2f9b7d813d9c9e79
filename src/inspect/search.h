// search.h: the simplest explanations of a sample.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "measure.h"

namespace posenc::inspect {

// A preset, what is different, and the formula that results.
struct Candidate {
  std::string_view preset;
  Formula formula;
  std::vector<std::string> mistakes{};
  double cost = 0;  // about one for each difference
};

struct Evidence {
  const Table& table;
  const Facts& facts;
  Sample sample;

  // The frequencies on the formula's layout; measured once for each layout.
  const std::optional<MeasuredLine>& line(const Formula& layout) const;
  mutable std::map<std::vector<int>, std::optional<MeasuredLine>> lines{};
};

// The presets as they are at this dim.
std::vector<Candidate> presets_at(int64_t dim);

// The simplest explanations, simplest first; none when nothing explains the sample.
std::vector<Candidate> search(const Evidence& evidence);

// One way in which a table may differ from a preset.
struct Variation {
  std::string_view id;  // as in mistakes(); "" for no difference
  double cost;          // of believing it, at least
  // Changes the formula; says what it costs besides, or nothing where it makes no sense.
  std::function<std::optional<double>(Formula&)> apply;
};
using Group = std::vector<Variation>;
// One variation of each group, in this order, is applied to a preset.
std::vector<Group> formula_groups(const Evidence& evidence);
std::vector<Group> rounding_groups(const Evidence& evidence);

}  // namespace posenc::inspect
