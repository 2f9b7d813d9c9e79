// rotary_rules.cc: the magnitudes that length rules ask for.
#include "reference/rotary_rules.h"

namespace posenc::reference {
namespace {

Real g(const Yarn& rule, double weight) {
  return rule.factor <= 1 ? Real(1)
                          : Real(rule.log_coefficient) * weight * log(Real(rule.factor)) + 1;
}

Real magnitude(const auto&, int64_t) { return 1; }

Real magnitude(const Yarn& rule, int64_t) {
  if (rule.attention_factor) return *rule.attention_factor;
  const double up = rule.mscale.value_or(0), down = rule.mscale_all_dim.value_or(0);
  return up != 0 && down != 0 ? g(rule, up) / g(rule, down) : g(rule, 1);
}

Real magnitude(const LongRope& rule, int64_t length) {
  const Real original = rule.original_max_position_embeddings;
  const auto& given = length > original ? rule.long_mscale : rule.short_mscale;
  if (given) return *given;
  if (rule.attention_factor) return *rule.attention_factor;
  return rule.factor <= 1 ? Real(1) : sqrt(1 + log(Real(rule.factor)) / log(original));
}

}  // namespace

Real cos_sin_factor(const Scaling& scaling, int64_t length) {
  return std::visit([&](const auto& rule) { return magnitude(rule, length); }, scaling);
}

Real softmax_factor(const Scaling& scaling) {
  const auto* yarn = std::get_if<Yarn>(&scaling);
  return yarn ? pow(g(*yarn, yarn->mscale_all_dim.value_or(0)), 2) : Real(1);
}

}  // namespace posenc::reference
