// notes.h: what one should know beside the numbers.
#pragma once

#include "cli/json.h"
#include "cli/schemes/rows.h"

namespace posenc::cli {

// "posenc: note: ..." on the standard error; nothing for an empty sentence.
void note(std::string_view sentence);

// Weights that no file gave: {"random": true, "seed": 0}; null where a file did or none is learned.
Json initial_weights(const Scheme& scheme, const RowsOptions& options);
// The same as a sentence, or nothing.
std::string initial_weights_text(const Scheme& scheme, const RowsOptions& options);

// Who applies which factor of a length rule, as a sentence; nothing when both are 1.
std::string factors_text(const RotaryPlan& plan);

}  // namespace posenc::cli
