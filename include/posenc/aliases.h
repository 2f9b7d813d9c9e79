// aliases.h: other names of schemes, as papers, models and libraries call them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "posenc/export.h"

namespace POSENC_PUBLIC posenc {

// Another name of a scheme, optionally with one option: "mae" is grid-sinusoidal with preset mae,
// "pi" is rope with scaling linear. Presets that only one scheme has are names too.
// make_scheme() and scheme_from_json() accept all of them.
struct Alias {
  std::string name, scheme, option, value;
};
const std::vector<Alias>& aliases();
const Alias* find_alias(std::string_view name);  // null if there is none

}  // namespace posenc
