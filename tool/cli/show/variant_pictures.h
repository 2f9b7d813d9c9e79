// variant_pictures.h: schemes over each other: one curve, or one for each axis, of each variant.
#pragma once

#include "cli/schemes/variants.h"
#include "cli/show/pictures.h"

namespace posenc::cli {

// How many positions a turn takes, pair by pair; a line where the text ends, when it is known.
draw::Plot draw_wavelengths(const std::vector<Variant>& variants);
// By distance: q . k of a query and a key of ones where they turn, or the product of a row with the
// first one.
draw::Plot draw_decay(const std::vector<Variant>& variants, const PositionList& distances);
// The frequency of each pair, divided by the one it has without a length rule.
draw::Plot draw_rules(const std::vector<Variant>& variants);
// Columns along the positions; one that is neither fast nor slow where none is named.
draw::Plot draw_waves(const std::vector<Variant>& variants, const PositionList& positions,
                      std::vector<double> columns);

}  // namespace posenc::cli
