// offset.h: the position of the first row.
#pragma once

#include "sample.h"

namespace posenc::inspect {

// The offset nearest to 0 with which the formula gives the sample, if it is near enough not to be
// chance.
std::optional<int64_t> offset_for(const Sample& sample, const Formula& unit);

}  // namespace posenc::inspect
