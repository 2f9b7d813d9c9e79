// bias_gradient.h: the two steps of the gradient of a bias.
#pragma once

#include "cuda/bias.h"

namespace posenc::cuda {

// sums [heads, entries], f64: dout added up along the profile that a call with ranges reads.
void sum_along(const DeviceStream& stream, const BiasGradientOrder& order, double* sums);

// dweights += what gradients of biases say about them: of a profile's entries, where there are such
// sums, or of all pairs.
void add_weight_gradients(const DeviceStream& stream, const BiasGradientOrder& order,
                          const double* sums);

}  // namespace posenc::cuda
