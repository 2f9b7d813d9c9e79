// options_json.h: options as JSON.
#pragma once

#include <utility>

#include "base/json.h"
#include "posenc/field.h"

namespace posenc {

// The members of an object in the order given, those of objects inside it as "outer.inner"; "type"
// of such an object is the value of "outer" itself and comes before the others.
std::vector<std::pair<std::string, Value>> read_json(std::string_view json);

// The value of an option, a whole number without a point; null for none.
files::Json value_tree(const Value& value);
// The options that are read, those of a choice inside the object that has its "type".
files::Json options_tree(const std::vector<Option>& options);

}  // namespace posenc
