// rotary_properties.h: what is claimed of rotary encodings, shown on the numbers of a scheme.
#pragma once

#include "properties.h"

namespace posenc {

// Turns random queries and keys in f64 at `rows` positions (2 to 4096), the same on every axis.
// length: of the text, which length rules may ask for; 0: as many tokens as rows. weights: as for
// prepare().
std::vector<Property> check_rotation(const Rope& scheme, std::span<const Tensor> weights = {},
                                     int64_t rows = 512, int64_t length = 0);

}  // namespace posenc
