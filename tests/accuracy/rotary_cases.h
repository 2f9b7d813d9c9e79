// rotary_cases.h: rotary schemes whose accuracy is tested: every length rule at several sizes,
// every other option changed once, and schemes made at random.
#pragma once

#include "tests/accuracy/cases.h"

namespace posenc {

struct NamedRule {
  std::string name;
  Scaling rule;
  int64_t length = 0;
};

inline std::vector<double> random_factors(int64_t count, double low, double high, uint64_t seed) {
  Random random(seed);
  std::vector<double> out;
  for (int64_t k = 0; k < count; ++k) out.push_back(random.real(low, high));
  return out;
}

inline std::vector<NamedRule> named_rules(int64_t pairs) {
  const LongRope longrope{.short_factor = random_factors(pairs, 0.9, 1.2, 1),
                          .long_factor = random_factors(pairs, 1, 60, 2),
                          .factor = 32};
  constexpr int64_t far = int64_t{1} << 33;  // beyond all positions that are tried
  LongRope given = longrope, short_set = longrope;
  short_set.original_max_position_embeddings = far;
  given.short_mscale = 1.25, given.long_mscale = 0.9;
  return {{"none", NoScaling{}},
          {"linear", Linear{3.7}},
          {"ntk", Ntk{4}},
          {"vllm-ntk", VllmNtk{8}},
          {"vllm-ntk mixed", VllmNtk{8, 0.6}},
          {"dynamic short", DynamicNtk{2, far}, 4096},
          {"dynamic long", DynamicNtk{2.5, 4096}, far},
          {"yarn", Yarn{.factor = 40}},
          {"yarn whole", Yarn{.factor = 32, .truncate = false}},
          {"yarn given", Yarn{.factor = 4, .attention_factor = 0.7}},
          {"yarn mscale", Yarn{.factor = 40, .mscale = 0.707, .mscale_all_dim = 1.5}},
          {"yarn step", Yarn{.factor = 4, .beta_fast = 8, .beta_slow = 8, .truncate = false}},
          {"yarn part", Yarn{.factor = 6, .extrapolation_factor = 0.5, .log_coefficient = 0.07}},
          {"dynamic-linear short", DynamicLinear{3, far}, 4096},
          {"dynamic-linear long", DynamicLinear{2.5, 4096}, far},
          {"by-parts", ByParts{.factor = 4}},
          {"longrope short", short_set, 4096},
          {"longrope long", longrope, 4097},
          {"longrope given", given, 9999},
          {"llama3", Llama3{}},
          {"llama3 step", Llama3{.factor = 3, .low_freq_factor = 2, .high_freq_factor = 2}},
          {"proportional", Proportional{0.3, 2}}};
}

// By-parts is compared in exact arithmetic only: f32 code of it rounds in other places.
inline std::vector<Case> rotary_rules(Numerics numerics, const std::vector<int64_t>& dims) {
  std::vector<Case> out;
  for (const int64_t dim : dims)
    for (const NamedRule& r : named_rules(dim / 2)) {
      if (numerics != Numerics::exact && r.name == "by-parts") continue;
      out.push_back({join({std::string(enum_name(numerics)), r.name, std::to_string(dim)}, " "),
                     Rope{.dim = dim,
                          .layout = Layout::half,
                          .base = 500000,
                          .scaling = r.rule,
                          .numerics = numerics},
                     {},
                     r.length});
    }
  return out;
}

inline std::vector<Case> rotary_options() {
  using R = Rope;
  constexpr auto half = Layout::half;
  const Alternating turns{{9, 6, 4}};
  const std::pair<const char*, R> one_change_each[] = {
      {"base", R{.dim = 66, .layout = half, .base = 1234567.5}},
      {"base below 1", R{.dim = 10, .layout = half, .base = 0.01}},
      {"part", R{.dim = 96, .layout = half, .rotary_dim = 24, .rotary_offset = -30}},
      {"sign", R{.dim = 34, .layout = half, .sign = Sign::negative, .scaling = Yarn{.factor = 9}}},
      {"offset", R{.dim = 34, .layout = half, .offset = -123456789}},
      {"turns", R{.dim = 34, .layout = half, .frequencies = Powers{Unit::turns}}},
      {"degrees", R{.dim = 34, .layout = half, .frequencies = Powers{Unit::degrees}}},
      {"pixels", R{.dim = 34, .layout = half, .frequencies = Pixels{320}}},
      {"linear pixels", R{.dim = 34, .layout = half, .frequencies = Pixels{100, true}}},
      {"one pixel", R{.dim = 2, .layout = half, .frequencies = Pixels{}}},
      {"periods", R{.dim = 34, .layout = half, .frequencies = Periods{}, .scaling = Linear{3}}},
      {"list", R{.dim = 6, .layout = half, .frequencies = ListedFrequencies{{3e-9, -7.25, 0.1}}}},
      {"learned", R{.dim = 10, .layout = half, .frequencies = LearnedFrequencies{3, 2}}},
      {"learned, one axis", R{.dim = 10, .layout = half, .frequencies = LearnedFrequencies{1, 1}}},
      {"phases", R{.dim = 10, .layout = half, .phases = LearnedPhases{}}},
      {"phases of heads",
       R{.dim = 10, .layout = half, .sign = Sign::negative, .phases = LearnedPhases{3}}},
      {"chunked", R{.dim = 38, .layout = half, .axes = Chunked{{9, 6, 4}}}},
      {"alternating", R{.dim = 38, .layout = half, .axes = turns}},
      {"alternating yarn",
       R{.dim = 38, .layout = half, .scaling = Yarn{.factor = 4}, .axes = turns}},
      {"ernie", R{.dim = 38, .layout = half, .axes = ErnieAxes{{6, 6, 7}}}},
      {"balanced", R{.dim = 38, .layout = half, .axes = Balanced{{9, 6, 4}}}},
      {"balanced, two axes", R{.dim = 22, .layout = half, .axes = Balanced{{7, 4}}}},
      {"in turn", R{.dim = 38, .layout = half, .axes = InTurn{{4, 9, 6}}}},
      {"axis powers", R{.dim = 38,
                        .layout = half,
                        .frequencies = AxisPowers{{20, 300.5, 0.5}},
                        .axes = InTurn{{4, 9, 6}}}},
      {"restart", R{.dim = 38, .layout = half, .axes = Restart{{9, 6, 4}}}},
      {"dealt", R{.dim = 42, .layout = half, .axes = Dealt{{7, 7, 7}}}},
      {"listed", R{.dim = 10, .layout = half, .axes = ListedAxes{{3, 0, 1, 3, 3}}}}};
  std::vector<Case> out;
  for (const auto& [name, scheme] : one_change_each) out.push_back(drawn(name, scheme));
  return out;
}

// Every case once with each kind of rounding.
inline std::vector<Case> with_numerics(std::vector<Case> cases, Numerics numerics) {
  for (Case& c : cases) {
    std::get<Rope>(c.scheme).numerics = numerics;
    c.name = std::string(enum_name(numerics)) + " " + c.name;
  }
  return cases;
}

inline std::vector<Case> rotary_cases() {
  std::vector<Case> out = rotary_rules(Numerics::exact, {2, 6, 96, 128});
  for (const auto& more :
       {rotary_options(), with_numerics(rotary_options(), Numerics::f32_frequencies),
        with_numerics(rotary_options(), Numerics::torch_f32),
        rotary_rules(Numerics::f32_frequencies, {6, 128}), rotary_rules(Numerics::torch_f32, {96})})
    out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace posenc
