// bias_properties.h: what is claimed of biases of scores, shown on the numbers of a scheme.
#pragma once

#include "properties.h"

namespace posenc {

// Looks at queries and keys at 0, 1, 2, ...: `rows` of them (2 to 4096), 256 at most, and of a
// window no more than it has tokens. weights: as for prepare().
std::vector<Property> check_biases(const Bias& scheme, std::span<const Tensor> weights = {},
                                   int64_t rows = 512);

}  // namespace posenc
