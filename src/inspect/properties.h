// properties.h: what is claimed of absolute encodings, shown on the numbers of a scheme.
#pragma once

#include "posenc/model/check.h"

namespace posenc {

using model::Property, model::Verdict;

// Looks at `rows` rows (2 to 4096) at positions 0, 1, 2, ..., or, for schemes of coordinates, as
// many points across [0, 1] on the first axis. weights: one tensor for each of the scheme's
// weights(), as for prepare().
std::vector<Property> check_properties(const Absolute& scheme, std::span<const Tensor> weights = {},
                                       int64_t rows = 512);

}  // namespace posenc
