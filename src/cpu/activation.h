// activation.h: what follows a convolution, token by token, forward and back.
#pragma once

#include "convolution/plan.h"

namespace posenc::cpu {

// In place: the layer norm, if any, then the activation.
template <class C>
void activate(const Convolution& scheme, C* token);

// gradient: of the result, becomes that of z, which activate() was given.
template <class C>
void activate_back(const Convolution& scheme, const C* z, C* gradient);

// sums: of w = g v / |v| [dim, inputs, taps], become those of v; and those of g.
void through_weight_norm(const ConvolutionLayer& layer, std::span<double> sums,
                         std::span<double> g);

}  // namespace posenc::cpu
