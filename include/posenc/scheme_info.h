// scheme_info.h: descriptions of schemes and options by name; independent of particular schemes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

// Option names and values as text, in the order in which they are applied.
using Options = std::vector<std::pair<std::string, std::string>>;

// The options that are read, as a JSON object.
std::string to_json(const std::vector<Option>& options);

struct PresetInfo {
  std::string name, help;
};

struct SchemeInfo {
  std::string name, about;
  std::string used_by;          // models, papers and libraries
  std::string family, acts_on;  // "absolute", "input"; "content", "scores"; ...
  std::vector<Weight> weights;  // all weights that the options allow to be learned
  std::vector<Option> options;  // with the values of this scheme
  std::vector<PresetInfo> presets;
};

}  // namespace posenc
