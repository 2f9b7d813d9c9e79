// cases.h: the schemes whose accuracy is tested: every preset, every rule at every kind of dim, and
// every other option changed once.
#pragma once

#include <string>
#include <vector>

#include "posenc/posenc.h"
#include "reference/oracle.h"
#include "tests/support/weights.h"

namespace posenc {

struct Case {
  std::string name;
  Scheme scheme;
  Weights weights{};
  int64_t length = 0;  // of the text

  int64_t axes() const {
    return std::visit(
        [](const auto& s) -> int64_t {
          if constexpr (requires { s.axis_count(); }) {
            return s.axis_count();
          } else if constexpr (requires { s.axes(); }) {
            return s.axes();
          } else {
            return 1;
          }
        },
        scheme);
  }
  AbsolutePlan plan() const {
    return rows_of(prepare(scheme, {.weights = weights.views(), .length = length}));
  }
  std::vector<reference::Column> columns() const {
    reference::Weights same;
    for (const Tensor& w : weights.views()) same.push_back(numbers(w));
    return reference::columns(scheme, same, length);
  }
};

inline Case drawn(std::string name, const Scheme& scheme, int64_t length = 0) {
  Random random(name.size());
  return {std::move(name), scheme, random_weights(posenc::weights(scheme), random), length};
}

// Every preset of every computed scheme that has columns, but one that does not turn and one whose
// columns depend on all rows (tests/absolute/presets_test.cc has that).
inline std::vector<Case> presets() {
  std::vector<Case> out;
  for_each_alternative<Scheme>([&](const auto& scheme) {
    using S = std::remove_cvref_t<decltype(scheme)>;
    constexpr bool has_rows = std::is_constructible_v<Absolute, S> || std::is_same_v<S, Rope>;
    constexpr bool has_tables = std::is_same_v<S, Learned> || requires { scheme.lookups(); };
    if constexpr (has_rows && !has_tables)
      for (const auto& preset : scheme.presets())
        if (preset.name != "llama4-nope" && preset.name != "patchtst")
          out.push_back(
              drawn(join({std::string(scheme.name), std::string(preset.name)}, " "), preset.value));
  });
  return out;
}

// One number for each pair, of every size and both signs; the first makes whole quarter turns.
inline ExplicitRule explicit_rule(int64_t dim, Unit unit) {
  Random random(static_cast<uint64_t>(dim));
  ExplicitRule rule{{}, unit};
  for (int64_t k = 0; k < (dim + 1) / 2; ++k)
    rule.frequencies.push_back(std::pow(10, random.real(-12, 3)) * (k % 3 == 1 ? -1 : 1));
  rule.frequencies[0] = unit == Unit::turns ? 0.25 : unit == Unit::degrees ? 90 : M_PI;
  return rule;
}

inline std::vector<Case> rules(Numerics numerics, const std::vector<int64_t>& dims) {
  std::vector<Case> out;
  for (const int64_t dim : dims)
    for (const FrequencyRule& rule :
         std::vector<FrequencyRule>{PaperRule{}, TimescalesRule{}, PerColumnRule{}, RawIndexRule{},
                                    explicit_rule(dim, Unit::radians)})
      out.push_back({join({std::string(enum_name(numerics)), std::string(alternative_name(rule)),
                           std::to_string(dim)},
                          " "),
                     Sinusoidal{.dim = dim, .rule = rule, .numerics = numerics}});
  return out;
}
inline std::vector<Case> rules() { return rules(Numerics::exact, {1, 2, 3, 5, 63, 96, 512, 1000}); }

// The truth of rounded numerics is what correctly rounded f32 arithmetic gives.
inline std::vector<Case> numerics() {
  std::vector<Case> out;
  for (const Numerics n : {Numerics::f32_frequencies, Numerics::torch_f32}) {
    for (const Case& c : rules(n, {1, 5, 96, 1000})) out.push_back(c);
    for (Case& c : rules(n, {5, 96})) {
      std::get<Sinusoidal>(c.scheme).exponent = Exponent::product_first;
      out.push_back({c.name + " product-first", c.scheme});
    }
  }
  return out;
}

inline std::vector<Case> options() {
  using S = Sinusoidal;
  const GridRule wide_grid = TimescalesRule{.min_timescale = 0.5};
  const TimescalesRule wide{.min_timescale = 0.25, .max_timescale = 1e6};
  const std::pair<const char*, Scheme> one_change_each[] = {
      {"base", S{.dim = 66, .base = 500000.5}},
      {"base below 1", S{.dim = 10, .base = 0.01}},
      {"timescales", S{.dim = 66, .rule = wide}},
      {"degrees", S{.dim = 34, .rule = explicit_rule(34, Unit::degrees)}},
      {"turns", S{.dim = 34, .rule = explicit_rule(34, Unit::turns)}},
      {"halves", S{.dim = 65, .order = Order::halves}},
      {"cosine", S{.dim = 65, .first = First::cosine}},
      {"zero", S{.dim = 65, .odd = Odd::zero}},
      {"halves zero", S{.dim = 65, .order = Order::halves, .odd = Odd::zero}},
      {"dim 1 zero", S{.dim = 1, .odd = Odd::zero}},
      {"offset", S{.dim = 66, .offset = -123456789}},
      {"padding", S{.dim = 66, .offset = 2, .padding = 3}},
      {"position_scale", S{.dim = 66, .position_scale = 1000. / 3}},
      {"position_scale below 0", S{.dim = 66, .position_scale = -1e-3}},
      {"scale", S{.dim = 66, .scale = -22.627416997969522}},
      {"sqrt-2-over-dim", S{.dim = 66, .norm = Norm::sqrt_2_over_dim}},
      {"rsqrt-dim", S{.dim = 66, .scale = 1.1, .norm = Norm::rsqrt_dim}},
      {"learned_scale", S{.dim = 66, .learned_scale = true}},
      {"grid kinds", GridSinusoidal{.dim = 66, .order = GridOrder::kinds, .shares = {1, 2}}},
      {"grid timescales",
       GridSinusoidal{.dim = 37, .coordinates = 3, .base = 77, .rule = wide_grid}},
      {"grid cut", GridSinusoidal{.dim = 37,
                                  .coordinates = 3,
                                  .order = GridOrder::interleaved,
                                  .block_axes = {2, 0, 1},
                                  .uneven = Uneven::cut,
                                  .padding = 3}},
      {"nerf linear", Nerf{.coordinates = 1, .bands = 7, .spacing = Spacing::linear}},
      {"nerf most bands", Nerf{.coordinates = 2, .bands = 60, .include_input = false}},
      {"perceiver", Perceiver{{10, 3.5, 1000}, 9, false, false}},
      {"perceiver one band", Perceiver{{64}, 1, true, true}},
      {"gaussian one axis", Gaussian{.coordinates = 1, .features = 33}},
      {"gaussian wide", Gaussian{.coordinates = 3, .features = 5, .deviation = 1e6}},
      {"gaussian as given", Gaussian{.features = 33, .range = CoordinateRange::as_given}},
      {"time2vec", Time2Vec{33, Activation::cosine, LinearTerm::last}},
      {"time2vec one", Time2Vec{.dim = 1}},
      {"temporal", Temporal{.dim = 1}},
      {"temporal odd", Temporal{.dim = 101}}};
  std::vector<Case> out;
  for (const auto& [name, scheme] : one_change_each) out.push_back(drawn(name, scheme));
  return out;
}

inline std::vector<Case> all_cases() {
  std::vector<Case> out = presets();
  for (const auto& more : {rules(), numerics(), options()})
    out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace posenc
