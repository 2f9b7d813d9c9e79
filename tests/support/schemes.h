// schemes.h: every scheme and every preset, by name.
#pragma once

#include "posenc/scheme.h"

namespace posenc {

// What must be given beside the name: the layout has no default.
inline Options required(const SchemeInfo& s) {
  return s.family == "rotary" ? Options{{"layout", "half"}} : Options{};
}

// Every preset of every scheme, and every scheme as it starts.
inline std::vector<std::pair<std::string, Options>> all_named() {
  std::vector<std::pair<std::string, Options>> out;
  for (const SchemeInfo& s : schemes()) {
    out.push_back({s.name, required(s)});
    for (const PresetInfo& p : s.presets) out.push_back({s.name, {{"preset", p.name}}});
  }
  return out;
}

}  // namespace posenc
