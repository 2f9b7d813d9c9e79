// network_weights.h: the weights of networks whose hidden layers have one width.
#pragma once

#include <cmath>

#include "posenc/wave.h"

namespace posenc {

// weight_0 [hidden, inputs], bias_0 [hidden], weight_1, ...; the last layer has a row for each
// head. With a norm, gain_0 [hidden] and shift_0 [hidden] follow bias_0, and so on.
inline std::vector<Weight> network_weights(int64_t inputs, int64_t hidden, int64_t depth,
                                           int64_t heads, bool last_bias = true,
                                           bool norm = false) {
  std::vector<Weight> out;
  for (int64_t l = 0; l <= depth; ++l) {
    const int64_t in = l == 0 ? inputs : hidden, rows = l == depth ? heads : hidden;
    const std::string n = std::to_string(l);
    out.push_back({"weight_" + n, {rows, in}, 0, 1 / std::sqrt(static_cast<double>(in))});
    if (l < depth || last_bias) out.push_back({"bias_" + n, {rows}, 0, 0});
    if (l == depth || !norm) continue;
    out.push_back({"gain_" + n, {rows}, 1, 0});
    out.push_back({"shift_" + n, {rows}, 0, 0});
  }
  return out;
}

}  // namespace posenc
