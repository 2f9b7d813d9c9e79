// device_weights.h: weights that stay on a CUDA device, where training updates them.
//
//   auto plan = posenc::prepare_for_weights(posenc::Kerple{.heads = 8}, 0);  // once, for GPU 0
//   posenc::add(posenc::with_weights(plan, weights), scores, {}, stream);    // in each step
//
// Kernels read the weights in each call, in stream order. The host neither reads them nor waits
// for them, so a training step can be captured in a CUDA graph. Data that depends only on the
// scheme is copied to the device once. Values that the host would refuse (a negative `a` of KERPLE
// without clamp) are used in the formula as they are.
#pragma once

#include "posenc/absolute.h"
#include "posenc/relative.h"
#include "posenc/rotary.h"

namespace POSENC_PUBLIC posenc {

// Whether this works for a scheme: it has weights, and they belong to waves (Time2Vec, Gaussian, a
// learned scale), frequencies or a bias. Learned tables are always read in place and need no such
// plan; learned phases and Fourier coefficients are read by the host.
bool can_follow_weights(const Absolute& scheme);
bool can_follow_weights(const Rope& scheme);
bool can_follow_weights(const Bias& scheme);

// A plan whose weights are given later; an Error if can_follow_weights() is false.
AbsolutePlan prepare_for_weights(const Absolute& scheme, int cuda_device);
RotaryPlan prepare_for_weights(const Rope& scheme, int cuda_device);
BiasPlan prepare_for_weights(const Bias& scheme, int cuda_device);

// Such a plan with weights on its device, in the order of the scheme's weights(). They must outlive
// it. All tensors of a call must be on that device.
AbsolutePlan with_weights(const AbsolutePlan& plan, std::span<const Tensor> weights);
RotaryPlan with_weights(const RotaryPlan& plan, std::span<const Tensor> weights);
BiasPlan with_weights(const BiasPlan& plan, std::span<const Tensor> weights);

}  // namespace posenc
