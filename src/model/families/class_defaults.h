// class_defaults.h: what classes of transformers fill in where a file is silent.
//
// tests/model/class_defaults.py writes the rows from an installed transformers.
#pragma once

#include "model/families/rope_config.h"

namespace posenc::model {

struct ClassDefaults {
  std::string_view type;
  Sizes sizes{};
  int64_t window = 0;
  int64_t late = 0;    // so many layers before it see everything: max_window_layers
  bool asked = false;  // the window counts only where use_sliding_window is true
};

// Of a type without a class: nothing.
ClassDefaults class_defaults(std::string_view type);
// The rule with the sizes of its class, where it has none.
RopeRule with_class_sizes(RopeRule rule, std::string_view type);

}  // namespace posenc::model
