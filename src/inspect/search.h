// search.h: the simplest explanations of a sample.
#pragma once

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
  const TableView& table;
  const TableFacts& facts;
  Sample sample;

  // The frequencies on the formula's layout; measured once for each layout.
  const std::optional<MeasuredLine>& line(const Formula& layout) const;
  // The position of the first row; looked for once for each run of frequencies.
  std::optional<int64_t> offset(const Formula& unit) const;
  mutable std::map<std::vector<int>, std::optional<MeasuredLine>> lines{};
  mutable std::map<std::vector<double>, std::optional<int64_t>> offsets{};
};

// The presets as they are at this dim.
std::vector<Candidate> presets_at(int64_t dim);

// The simplest explanations, simplest first; none when nothing explains the sample.
std::vector<Candidate> search(const Evidence& evidence);

}  // namespace posenc::inspect
