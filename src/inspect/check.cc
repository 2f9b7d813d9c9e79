// check.cc: the claims that are made of a scheme's family.
#include "posenc/model/check.h"

#include "bias_properties.h"
#include "rotary_properties.h"

namespace posenc::model {

std::vector<Property> check(const Scheme& scheme, const CheckOptions& options) {
  const auto& [weights, tokens, asked] = options;
  const int64_t length = asked == 0 && asks_for_length(scheme) ? tokens : asked;
  if (const auto* rope = std::get_if<Rope>(&scheme))
    return check_rotation(*rope, weights, tokens, length);
  if (const auto bias = as_family<Bias>(scheme)) return check_biases(*bias, weights, tokens);
  if (const auto rows = as_family<Absolute>(scheme))
    return check_properties(*rows, weights, tokens);
  fail("check", "expected an absolute or rotary scheme or a bias, got ", info(scheme).name);
}

}  // namespace posenc::model
