// json.h: options as JSON.
#pragma once

#include <utility>

#include "posenc/field.h"

namespace posenc {

// The members of an object in the order given, those of objects inside it as "outer.inner"; "type"
// of such an object is the value of "outer" itself and comes before the others.
std::vector<std::pair<std::string, Value>> read_json(std::string_view json);

}  // namespace posenc
