// scheme_info.h: what is told of any scheme, and its options by name; knows none of the schemes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

// Option name and value as text, in the order they are to be applied.
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
  std::vector<Weight> weights;  // what can be learned: with every option for it turned on
  std::vector<Option> options;  // with the values of this scheme
  std::vector<PresetInfo> presets;
};

}  // namespace posenc
