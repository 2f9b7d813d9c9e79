// golden.h: cases recorded from other libraries (golden/rotary.py).
#pragma once

#include "posenc/rotary.h"
#include "tests/support/golden.h"

namespace posenc::golden {

struct Case {
  std::string name, what;
  Options options;
  int64_t length;
  double cos_sin_factor, softmax_factor;
  int angle_roundings, factor_roundings;

  const Array& array(const std::string& which) const;
  bool has(const std::string& which) const;
  Rope rope() const { return std::get<Rope>(make_scheme("rope", options)); }
  RotaryPlan plan(const Rope& scheme) const {
    if (!has("weight")) return prepare(scheme, {.length = length});
    const Tensor weight = array("weight").view();
    return prepare(scheme, {.weights = std::span(&weight, 1), .length = length});
  }
  int64_t heads(const std::string& which) const { return array(which).shape[1]; }
};

inline const std::map<std::string, Array>& arrays() {
  static const auto all = arrays_by_name("rotary");
  return all;
}
inline const Array& Case::array(const std::string& which) const {
  return arrays().at(name + " " + which);
}
inline bool Case::has(const std::string& which) const {
  return arrays().contains(name + " " + which);
}

inline Case read_case(const nlohmann::json& j) {
  Options options = options_of(j);
  options.emplace_back("numerics", j["numerics"]);
  return {j["name"],
          title(j),
          options,
          j["length"],
          j["cos_sin_factor"],
          j["softmax_factor"],
          j["angle_roundings"],
          j["factor_roundings"]};
}

inline std::vector<Case> cases() {
  std::vector<Case> out;
  for (const auto& j : read_cases("rotary")) out.push_back(read_case(j));
  return out;
}

// The peer's input: the first features of some heads of one tensor.
inline Tensor input(const Case& c, const std::string& which, int64_t dim) {
  Tensor t = arrays().at("x").view();
  t.data = static_cast<float*>(t.data) + (which == "k" ? 3 * t.step(1) : 0);
  t.shape[1] = c.heads(which), t.shape[2] = dim;
  return t;
}

}  // namespace posenc::golden
