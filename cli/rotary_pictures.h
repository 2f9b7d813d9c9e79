// rotary_pictures.h: what there is to see of rotary encodings: one curve for each variant.
#pragma once

#include "pictures.h"
#include "variants.h"

namespace posenc::cli {

// How many positions a turn takes, pair by pair; a line where the text ends, when it is known.
draw::Plot draw_wavelengths(const std::vector<Variant>& variants);
// q . k of a query and a key of ones, by their distance.
draw::Plot draw_decay(const std::vector<Variant>& variants, const PositionList& distances);
// The frequency of each pair, divided by the one it has without a length rule.
draw::Plot draw_rules(const std::vector<Variant>& variants);

}  // namespace posenc::cli
