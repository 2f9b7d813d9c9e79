// refused_rules.h: length rules that make no sense, and the sentence each gets.
#pragma once

#include <sstream>

#include "tests/rotary/refused.h"

namespace posenc {

// Every rule with a factor that is no factor.
inline std::vector<Refused> refused_factors() {
  std::vector<Refused> out;
  for (const double bad : {0.0, -1.0, nan, infinity})
    for (const Scaling& rule : std::vector<Scaling>{
             Linear{bad}, DynamicLinear{bad}, Ntk{bad}, VllmNtk{bad}, DynamicNtk{bad},
             Yarn{.factor = bad}, ByParts{.factor = bad}, LongRope{.factor = bad},
             Llama3{.factor = bad}, Proportional{.factor = bad}}) {
      std::ostringstream text;
      text << "[" << alternative_name(rule)
           << "] expected scaling.factor to be above 0 and finite, got " << bad;
      out.push_back({{.layout = half, .scaling = rule}, text.str()});
    }
  return out;
}

inline std::vector<Refused> refused_rules() {
  const auto with = [](Scaling rule, int64_t dim = 4) {
    return Rope{.dim = dim, .layout = half, .scaling = std::move(rule)};
  };
  return {
      {with(Yarn{.beta_fast = 1, .beta_slow = 2}),
       "[yarn] expected scaling.beta_fast of at least beta_slow 2, got 1"},
      {with(Yarn{.beta_slow = 0}),
       "[yarn] expected scaling.beta_slow to be above 0 and finite, got 0"},
      {with(Yarn{.beta_fast = infinity}),
       "[yarn] expected scaling.beta_fast to be finite, got inf"},
      {with(Yarn{.original_max_position_embeddings = 0}),
       "[yarn] expected scaling.original_max_position_embeddings from 1 to 2^53, got 0"},
      {with(Yarn{.attention_factor = 0}),
       "[yarn] expected scaling.attention_factor to be above 0 and finite, got 0"},
      {with(Yarn{.mscale = nan}), "[yarn] expected scaling.mscale to be finite, got nan"},
      {with(Yarn{.extrapolation_factor = nan}),
       "[yarn] expected scaling.extrapolation_factor to be finite, got nan"},
      {with(ByParts{.beta_0 = 0.5}),
       "[by-parts] expected scaling.beta_0 >= beta_1 and gamma_0 >= gamma_1, got 0.5, 0.75, 16 and "
       "2"},
      {with(Llama3{.high_freq_factor = 0.5}),
       "[llama3] expected scaling.high_freq_factor of at least low_freq_factor 1, got 0.5"},
      {with(Llama3{.low_freq_factor = nan}),
       "[llama3] expected scaling.low_freq_factor to be above 0 and finite, got nan"},
      {with(LongRope{{1, 2}, {1}}),
       "[longrope] expected 2 short and long factors, one for each pair, got 2 and 1"},
      {with(LongRope{{1, 2, 3}, {1, 2, 3}}),
       "[longrope] expected 2 short and long factors, one for each pair, got 3 and 3"},
      {with(LongRope{{1, 0}, {1, 1}}),
       "[longrope] expected scaling.short_factor to be above 0 and finite, got 0"},
      {with(LongRope{{1, 1}, {1, 1}, 1}),
       "[longrope] expected scaling.original_max_position_embeddings of at least 2, got 1"},
      {with(VllmNtk{8, nan}), "[vllm-ntk] expected scaling.mixed_b to be finite, got nan"},
      {with(VllmNtk{8, 1e300}), "[frequency] expected a finite number, got nan"},
      {with(Proportional{1.5}),
       "[proportional] expected scaling.partial_rotary_factor of at most 1, got 1.5"},
  };
}

}  // namespace posenc
