// longrope.h: LongRoPE (Ding et al., 2024), a divisor for each pair.
#pragma once

#include "posenc/rotary/scaling.h"

namespace POSENC_PUBLIC posenc {

// One set of divisors up to the original length and one beyond. Keys cached with the short set do
// not fit queries of the long one: move() them. Magnitude: sqrt(1 + ln(factor) / ln(length)).
struct LongRope {
  static constexpr std::string_view name = "longrope";
  std::vector<double> short_factor{}, long_factor{};
  int64_t original_max_position_embeddings = 4096;
  double factor = 1;
  std::optional<double> attention_factor{}, short_mscale{}, long_mscale{};

  static constexpr auto fields() {
    using S = LongRope;
    return std::tuple{
        Field{"short_factor", &S::short_factor, "divisors of the frequencies, one for each pair"},
        Field{"long_factor", &S::long_factor, "the same for texts longer than the original length"},
        Field{"original_max_position_embeddings", &S::original_max_position_embeddings,
              "the longest text that uses the short set"},
        Field{"factor", &S::factor, "how many times longer; sets the magnitude"},
        Field{"attention_factor", &S::attention_factor, "the factor on cosines and sines, given"},
        Field{"short_mscale", &S::short_mscale, "the same for the short set alone (vLLM)"},
        Field{"long_mscale", &S::long_mscale, "the same for the long set alone (vLLM)"}};
  }
  // How long texts may be that have the frequencies of one of `length` tokens.
  int64_t serves(int64_t length) const {
    return is_long(length) ? INT64_MAX : original_max_position_embeddings;
  }
  void check() const {
    check_positive(name, "scaling.factor", factor);
    check_length(name, "scaling.original_max_position_embeddings",
                 original_max_position_embeddings);
    if (original_max_position_embeddings < 2)
      fail(name, "expected scaling.original_max_position_embeddings of at least 2, got 1");
    for (const double f : short_factor) check_positive(name, "scaling.short_factor", f);
    for (const double f : long_factor) check_positive(name, "scaling.long_factor", f);
    for (const auto& given : {attention_factor, short_mscale, long_mscale})
      if (given)
        check_positive(name, "scaling.attention_factor, short_mscale, long_mscale", *given);
  }
  void check_pairs(int64_t pairs) const {
    if (std::ssize(short_factor) != pairs || std::ssize(long_factor) != pairs)
      fail(name, "expected ", pairs, " short and long factors, one for each pair, got ",
           short_factor.size(), " and ", long_factor.size());
  }
  template <class Math>
  auto scaled(const RuleInput<Math>& in) const {
    using Real = typename Math::Real;
    return [divisors = is_long(in.length) ? long_factor : short_factor](int64_t k,
                                                                        const Real& period) {
      return Real(1 / (Real(divisors[static_cast<size_t>(k)]) * period));
    };
  }
  double cos_sin_factor(int64_t length) const {
    const auto& mscale = is_long(length) ? long_mscale : short_mscale;
    if (mscale) return *mscale;
    if (attention_factor) return *attention_factor;
    const auto original = static_cast<double>(original_max_position_embeddings);
    return factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(original));
  }

 private:
  bool is_long(int64_t length) const { return length > original_max_position_embeddings; }
};

}  // namespace posenc
