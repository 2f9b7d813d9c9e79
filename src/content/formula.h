// formula.h: what the term of a content scheme is made of, as plain data.
#pragma once

#include <variant>
#include <vector>

#include "content/forms/counted.h"
#include "content/forms/decay.h"
#include "content/forms/gates.h"
#include "content/forms/lookups.h"
#include "posenc/absolute/verbs.h"
#include "posenc/content/reads.h"

namespace posenc {

// Numbers that all of them read are the scheme's weights().
using TermForm = std::variant<RowLookups, CountedRows, KeyGates, PairGates, ScoreDecay>;

struct TermFormula {
  TermForm form{};
  std::vector<int32_t> rows{};         // of distances from low on, where a rule has them listed
  AbsolutePlan sinusoids{};            // where lookups project them
  bool in_values = false;              // the vectors may stand in the values too
  bool queries_end_with_keys = false;  // the last query must stand at the last key
};

}  // namespace posenc
