// scaling.cc: options and checks of the length rules that treat pairs differently.
#include "rotary/scaling.h"

#include <algorithm>
#include <cmath>

namespace posenc {
namespace {

constexpr const char* trained = "the length the model was trained on";
constexpr const char* longer = "how many times longer";

}  // namespace

Fields Yarn::fields() {
  using S = Yarn;
  return {{"factor", &S::factor, longer},
          {"original_max_position_embeddings", &S::original_max_position_embeddings, trained},
          {"beta_fast", &S::beta_fast, "pairs that make more turns than this are kept"},
          {"beta_slow", &S::beta_slow, "pairs that make fewer turns are interpolated"},
          {"truncate", &S::truncate, "round the ends of the ramp to whole pairs"},
          {"attention_factor", &S::attention_factor, "the factor on cosines and sines, given"},
          {"mscale", &S::mscale, "g(mscale) / g(mscale_all_dim) on cosines and sines"},
          {"mscale_all_dim", &S::mscale_all_dim, "g(mscale_all_dim)^2 on the softmax scale"},
          {"extrapolation_factor", &S::extrapolation_factor, "how much fast pairs are kept"},
          {"log_coefficient", &S::log_coefficient, "the 0.1 of g (TeleChat3: 0.07)"}};
}

void Yarn::check() const {
  check_positive(name, "scaling.factor", factor);
  check_positive(name, "scaling.beta_slow", beta_slow);
  check_finite(name, "scaling.beta_fast", beta_fast);
  if (beta_fast < beta_slow)
    fail(name, "expected scaling.beta_fast of at least beta_slow ", beta_slow, ", got ", beta_fast);
  check_length(name, "scaling.original_max_position_embeddings", original_max_position_embeddings);
  if (attention_factor) check_positive(name, "scaling.attention_factor", *attention_factor);
  if (mscale) check_finite(name, "scaling.mscale", *mscale);
  if (mscale_all_dim) check_finite(name, "scaling.mscale_all_dim", *mscale_all_dim);
  check_finite(name, "scaling.extrapolation_factor", extrapolation_factor);
  check_finite(name, "scaling.log_coefficient", log_coefficient);
  check_positive(name, "scaling.mscale and log_coefficient with a magnitude", magnitude(1));
  check_positive(name, "magnitude of scaling.mscale", magnitude(mscale.value_or(0)));
  check_positive(name, "magnitude of scaling.mscale_all_dim",
                 magnitude(mscale_all_dim.value_or(0)));
}

double Yarn::magnitude(double weight) const {
  if (factor <= 1) return 1;
  return std::fma(log_coefficient * weight, std::log(factor), 1.0);  // some would fuse it, some not
}

double Yarn::cos_sin_factor(int64_t) const {
  if (attention_factor) return *attention_factor;
  if (mscale.value_or(0) != 0 && mscale_all_dim.value_or(0) != 0)
    return magnitude(*mscale) / magnitude(*mscale_all_dim);
  return magnitude(1);
}

double Yarn::softmax_factor() const {
  const double g = magnitude(mscale_all_dim.value_or(0));
  return g * g;
}

Fields ByParts::fields() {
  using S = ByParts;
  return {{"factor", &S::factor, longer},
          {"original_max_position_embeddings", &S::original_max_position_embeddings, trained},
          {"beta_0", &S::beta_0, "turns from which it is NTK"},
          {"beta_1", &S::beta_1, "turns up to which it is linear"},
          {"gamma_0", &S::gamma_0, "turns from which nothing is scaled"},
          {"gamma_1", &S::gamma_1, "turns up to which it is scaled fully"}};
}

void ByParts::check() const {
  check_positive(name, "scaling.factor", factor);
  check_positive(name, "scaling.beta_1", beta_1);
  check_positive(name, "scaling.gamma_1", gamma_1);
  check_finite(name, "scaling.beta_0", beta_0);
  check_finite(name, "scaling.gamma_0", gamma_0);
  if (beta_0 < beta_1 || gamma_0 < gamma_1)
    fail(name, "expected scaling.beta_0 >= beta_1 and gamma_0 >= gamma_1, got ", beta_0, ", ",
         beta_1, ", ", gamma_0, " and ", gamma_1);
  check_length(name, "scaling.original_max_position_embeddings", original_max_position_embeddings);
}

Fields Llama3::fields() {
  using S = Llama3;
  return {{"factor", &S::factor, longer},
          {"low_freq_factor", &S::low_freq_factor, "turns below which a pair is divided"},
          {"high_freq_factor", &S::high_freq_factor, "turns above which a pair is kept"},
          {"original_max_position_embeddings", &S::original_max_position_embeddings, trained}};
}

void Llama3::check() const {
  check_positive(name, "scaling.factor", factor);
  check_positive(name, "scaling.low_freq_factor", low_freq_factor);
  check_finite(name, "scaling.high_freq_factor", high_freq_factor);
  if (high_freq_factor < low_freq_factor)
    fail(name, "expected scaling.high_freq_factor of at least low_freq_factor ", low_freq_factor,
         ", got ", high_freq_factor);
  check_length(name, "scaling.original_max_position_embeddings", original_max_position_embeddings);
}

Fields LongRope::fields() {
  using S = LongRope;
  return {{"short_factor", &S::short_factor, "divisors of the frequencies, one for each pair"},
          {"long_factor", &S::long_factor, "the same for texts longer than the original length"},
          {"original_max_position_embeddings", &S::original_max_position_embeddings,
           "the longest text that uses the short set"},
          {"factor", &S::factor, "how many times longer; sets the magnitude"},
          {"attention_factor", &S::attention_factor, "the factor on cosines and sines, given"},
          {"short_mscale", &S::short_mscale, "the same for the short set alone (vLLM)"},
          {"long_mscale", &S::long_mscale, "the same for the long set alone (vLLM)"}};
}

int64_t LongRope::serves(int64_t length) const {
  return is_long(length) ? INT64_MAX : original_max_position_embeddings;
}

void LongRope::check() const {
  check_positive(name, "scaling.factor", factor);
  check_length(name, "scaling.original_max_position_embeddings", original_max_position_embeddings);
  if (original_max_position_embeddings < 2)
    fail(name, "expected scaling.original_max_position_embeddings of at least 2, got 1");
  for (const double f : short_factor) check_positive(name, "scaling.short_factor", f);
  for (const double f : long_factor) check_positive(name, "scaling.long_factor", f);
  for (const auto& given : {attention_factor, short_mscale, long_mscale})
    if (given) check_positive(name, "scaling.attention_factor, short_mscale, long_mscale", *given);
}

void LongRope::check_pairs(int64_t pairs) const {
  if (std::ssize(short_factor) != pairs || std::ssize(long_factor) != pairs)
    fail(name, "expected ", pairs, " short and long factors, one for each pair, got ",
         short_factor.size(), " and ", long_factor.size());
}

double LongRope::cos_sin_factor(int64_t length) const {
  const auto& mscale = is_long(length) ? long_mscale : short_mscale;
  if (mscale) return *mscale;
  if (attention_factor) return *attention_factor;
  const auto original = static_cast<double>(original_max_position_embeddings);
  return factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(original));
}

}  // namespace posenc
