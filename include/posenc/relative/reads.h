// reads.h: the inputs of a score bias.
//
// A bias is a number for a head, a query and a key. Most schemes depend only on the distance, so a
// one-dimensional profile is enough and no L x L table is needed:
//
//   distance  bias(key - query)        ALiBi, T5, KERPLE    row i reads the profile from -i on
//   key       bias(key)                Bloom's ALiBi        every row reads the same profile
//   entry     bias(entry(query, key))  Swin, BEiT, LeViT    the profile is the window's table
//   both      bias(query, key)         FIRE                 computed when needed
#pragma once

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

enum class Reads : uint8_t { distance, key, entry, both };

// The values of a scheme's weights(), concatenated.
using WeightValues = std::vector<double>;

struct BiasFormula;  // internal: the bias as plain data

}  // namespace posenc
