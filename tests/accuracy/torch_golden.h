// torch_golden.h: what PyTorch and libraries on it computed (golden/torch_f32.py).
#pragma once

#include <map>

#include "model/array.h"
#include "tests/support/elements.h"
#include "tests/support/paths.h"

namespace posenc {

inline const std::map<std::string, Array>& golden() {
  static const auto arrays = read_arrays(golden_path("torch_f32.safetensors"));
  static const std::map<std::string, Array> by_name(arrays.begin(), arrays.end());
  return by_name;
}
inline std::vector<double> golden(const std::string& name) {
  return numbers(golden().at(name).view());
}

}  // namespace posenc
