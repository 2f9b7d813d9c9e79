// arrange.h: which axis of an array is what.
#pragma once

#include "model/array.h"

namespace posenc::cli {

// The array as [..., tokens, heads, dim], where `letters` name its last axes: t tokens, h heads, d
// features, b any other; without h there is one head. Throws a usage error for other letters, Error
// for an array of too few axes.
Tensor arranged(const std::string& whose, const Array& array, const std::string& letters);

// The letters of an array that can only be [tokens, dim]; throws a usage error for one of more
// axes, whose order nothing tells.
std::string only_letters(const std::string& whose, const Array& array);

}  // namespace posenc::cli
