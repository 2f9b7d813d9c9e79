// class_defaults.h: what classes of transformers fill in where a file is silent.
//
// tests/model/class_defaults.py writes the rows from an installed transformers.
#pragma once

#include "model/families/model_row.h"

namespace posenc::model {

struct ClassDefaults {
  std::string_view type;
  ClassSizes sizes{};
  int64_t window = 0;
  int64_t late = 0;    // so many layers before it see everything: max_window_layers
  bool asked = false;  // the window counts only where use_sliding_window is true
  double base = 0;     // of the rope, where all layers have one
  Sides picture{};     // of a picture, and of its patches
  int64_t patch = 0;
  std::string_view text{}, vision{}, audio{};  // types of parts that say none
};

// Of the type, or where that has no class of the first of these names; else nothing.
ClassDefaults class_defaults(std::string_view types, std::string_view type);
// Of a type that has a class.
inline ClassSizes class_sizes(std::string_view type) { return class_defaults(type, type).sizes; }
// The row with what the class has, where it says nothing itself.
ModelRow with_class(ModelRow row, const ClassDefaults& otherwise);

}  // namespace posenc::model
