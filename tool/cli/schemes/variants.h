// variants.h: a scheme beside others that differ from it in some options.
#pragma once

#include "cli/schemes/rows.h"

namespace posenc::cli {

struct Variant {
  std::string label;
  Ready ready;
};

// "linear factor=4; yarn factor=4 original=4096; base=500000": parts between ';' are schemes that
// differ from the one of the call. A word alone is a length rule, name=value an option of the
// scheme or of the rule, whose name may be cut short. Beside an absolute scheme a word alone is a
// preset or another absolute scheme. Throws a usage error.
std::vector<Variant> read_variants(const Call& call, const RowsOptions& options,
                                   const std::string& compare);

}  // namespace posenc::cli
