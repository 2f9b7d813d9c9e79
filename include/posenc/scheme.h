// scheme.h: schemes chosen by name at run time (command line, bindings, model files).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "posenc/absolute.h"

namespace posenc {

// Any scheme of any family.
using Scheme = Absolute;

// Option name and value as text, in the order they are to be applied.
using Options = std::vector<std::pair<std::string, std::string>>;

// The scheme of that name with the options applied; "preset" among them picks a named value first.
// Throws Error with a suggestion for an unknown name, option or value.
Scheme make_scheme(std::string_view name, const Options& options = {});

struct PresetInfo {
  std::string name, help;
};

struct SchemeInfo {
  std::string name, about;
  std::string family, acts_on;  // "absolute", "input"
  std::vector<Weight> weights;  // what is learned, with every switch for it turned on
  std::vector<Option> options;  // with the values of this scheme
  std::vector<PresetInfo> presets;
};

SchemeInfo info(const Scheme& scheme);
std::vector<SchemeInfo> schemes();  // all, with default values

}  // namespace posenc
