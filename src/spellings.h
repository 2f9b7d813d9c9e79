// spellings.h: options of rope in the words of Hugging Face's configurations.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "posenc/field.h"

namespace posenc {

using Settings = std::vector<std::pair<std::string, Value>>;

// Options that a scheme takes beside its own: rope_theta, rope_scaling, rope_parameters and
// partial_rotary_factor of rope.
std::vector<std::string> other_options(std::string_view scheme);

// Settings of rope with posenc's names and choices: rope_theta is base, rope_scaling and
// rope_parameters are scaling, and inside of it rope_type is type, "default" is none.
// Those of other schemes as they are.
Settings in_own_words(std::string_view scheme, const Settings& given);

}  // namespace posenc
