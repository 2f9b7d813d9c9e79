// golden.h: cases recorded from other libraries: NAME.json, and NAME.safetensors beside it.
#pragma once

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "model/array.h"
#include "posenc/scheme.h"
#include "tests/support/paths.h"

namespace posenc::golden {

inline std::vector<nlohmann::json> read_cases(const std::string& name) {
  std::ifstream file(golden_path(name + ".json"));
  return nlohmann::json::parse(file)["cases"];
}

inline std::map<std::string, Array> arrays_by_name(const std::string& name) {
  const auto all = read_arrays(golden_path(name + ".safetensors"));
  return {all.begin(), all.end()};
}

// ["name", "value", "name", "value", ...]
inline Options options_of(const nlohmann::json& j) {
  Options out;
  const std::vector<std::string> texts = j["options"];
  for (size_t i = 0; i < texts.size(); i += 2) out.emplace_back(texts[i], texts[i + 1]);
  return out;
}

inline std::string title(const nlohmann::json& j) {
  return j["peer"].get<std::string>() + ": " + j["what"].get<std::string>();
}

}  // namespace posenc::golden
