// bias_cases.h: every bias on the CPU and on a device.
#pragma once

#include "tests/cuda/device.h"
#include "tests/relative/cases.h"

namespace posenc {

// Plans of the host and of weights on the device.
struct Plans {
  PreparedBias host;
  BiasPlan plan;
};
inline Plans plans_of(const Bias& scheme, Random& random) {
  PreparedBias host = prepare_random(scheme, random);
  const WeightsOnDevice weights(host.weights);
  BiasPlan plan = prepare(scheme, {.weights = weights.views()});
  return {std::move(host), std::move(plan)};
}

// How far a bias, a formula of f64 functions that is rounded once, may be from the CPU's: functions
// are within 2 ulp on a device, and networks add up fewer than 2^6 of them, of up to the size of
// the farthest distance.
inline double bias_error(DType dtype, double truth, double far) {
  return 0x1p-46 * (1 + std::abs(truth) + far) + half_ulp(compute_type(dtype), truth);
}

template <class Body>
void for_every_bias(const Body& body) {
  Random random(1);
  for (const Bias& scheme : every_bias()) {
    body(plans_of(scheme, random));
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace posenc
