// spellings.h: options of rope in the words of Hugging Face's configurations.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "posenc/scheme_info.h"

namespace posenc {

using Settings = std::vector<std::pair<std::string, Value>>;

// Options that a scheme takes beside its own: rope_theta, rope_scaling, rope_parameters,
// partial_rotary_factor, mrope_section and mrope_interleaved of rope.
std::vector<std::string> other_options(std::string_view scheme);

// Settings of rope with posenc's names and choices: rope_theta is base, rope_scaling and
// rope_parameters are scaling, inside of it rope_type is type and "default" none; mrope_section is
// axes. Those of other schemes as they are.
Settings in_own_words(std::string_view scheme, const Settings& given);

// Where options are text, scaling may be the object of a config.json: {"rope_type": "yarn", ...}.
Options with_objects_read(std::string_view scheme, const Options& given);

}  // namespace posenc
