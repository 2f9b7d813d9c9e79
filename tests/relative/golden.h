// golden.h: what other libraries add to scores (golden/relative.py).
#pragma once

#include "posenc/relative.h"
#include "tests/support/elements.h"
#include "tests/support/golden.h"

namespace posenc::golden {

struct Run {
  int64_t first, bucket;
};

struct Case {
  std::string name, what, family, scheme;
  Options options;
  DType type;        // of the peer's numbers
  double roundings;  // of f32 that the peer makes before the one that gives its result
  double scale;
  ScaleOn scale_on;
  bool causal;
  nlohmann::json resize;  // [height, width, new height, new width, how], or empty
  std::vector<Run> runs;  // of buckets, where that is all there is to compare

  const Array& array(const std::string& which) const;
  bool has(const std::string& which) const;
  std::vector<Tensor> weights() const {
    std::vector<Tensor> out;
    for (int i = 0; has("weight " + std::to_string(i)); ++i)
      out.push_back(array("weight " + std::to_string(i)).view());
    return out;
  }
  Positions at(const std::string& which) const {
    return has(which) ? positions(array(which).view()) : range();
  }
  ScoreOptions score_options() const {
    return {.queries = at("queries"),
            .keys = at("keys"),
            .causal = causal,
            .scale = scale,
            .scale_on = scale_on};
  }
};

inline const std::map<std::string, Array>& arrays() {
  static const auto all = arrays_by_name("relative");
  return all;
}
inline const Array& Case::array(const std::string& which) const {
  return arrays().at(name + " " + which);
}
inline bool Case::has(const std::string& which) const {
  return arrays().contains(name + " " + which);
}

inline DType type_of(const std::string& name) {
  for (DType t : float_types)
    if (to_string(t) == name) return t;
  fail("golden", "expected a type, got '", name, "'");
}

inline Case read_case(const nlohmann::json& j) {
  Case out{.name = j["name"],
           .what = title(j),
           .family = j["family"],
           .scheme = j["scheme"],
           .options = options_of(j),
           .type = type_of(j["type"]),
           .roundings = j["roundings"],
           .scale = j["scale"],
           .scale_on = j["scale_on"] == "sum" ? ScaleOn::sum : ScaleOn::scores,
           .causal = j["causal"],
           .resize = j["resize"],
           .runs = {}};
  for (const auto& run : j["buckets"]) out.runs.push_back({run[0], run[1]});
  return out;
}

// Those of a family: "bias", "resize", "content" or "values".
inline std::vector<Case> cases(const std::string& family) {
  std::vector<Case> out;
  for (const auto& j : read_cases("relative"))
    if (Case c = read_case(j); c.family == family) out.push_back(std::move(c));
  return out;
}

// The scheme of a case, one of the closed list Family.
template <class Family>
Family scheme_of(const Case& c) {
  std::optional<Family> out;
  for_each_alternative<Family>([&](auto s) {
    if (s.name != c.scheme) return;
    for (const auto& [option, value] : c.options) set_option(s, option, option, value);
    s.check();
    out = s;
  });
  if (!out) fail("golden", "expected a scheme of the family, got '", c.scheme, "'");
  return *out;
}

inline Array as_f64(const Array& a) {
  Array out = make_array(DType::f64, a.shape);
  for (int64_t n = 0; n < out.view().elements(); ++n) set(out.view(), n, get(a.view(), n));
  return out;
}

// How many distances, all that the peer's runs cover, have another bucket than the peer's.
template <class Bucket>
int64_t differing_buckets(const std::vector<Run>& runs, Bucket bucket) {
  const int64_t reach = -runs[0].first;
  int64_t count = 0;
  size_t run = 0;
  for (int64_t r = -reach; r <= reach; ++r) {
    if (run + 1 < runs.size() && runs[run + 1].first == r) ++run;
    count += bucket(r) == runs[run].bucket ? 0 : 1;
  }
  return count;
}

// Peers that learn were run in f64, as we are here. On both sides no number passes more than 2^10
// roundings on its way (Swin-V2: 512 sums), each of 2^-53 of a sum of absolute values, which stays
// below 2^7 (the script holds results below 2^5): 2 * 2^10 * 2^7 * 2^-53.
inline constexpr double f64_error = 0x1p-35;

}  // namespace posenc::golden
