// c_json.h: what C is told about schemes and plans, as JSON text.
#pragma once

#include <string>

#include "posenc/scheme.h"

namespace posenc::c {

std::string schemes_json();                                     // [{...}, ...]
std::string scheme_json(const Scheme& scheme);                  // {...}
std::string plan_json(const Scheme& scheme, const Plan& plan);  // {...}

}  // namespace posenc::c
