// device_weights.h: weights that stay on a CUDA device, where training changes them.
//
//   auto plan = posenc::prepare_for_weights(posenc::Kerple{.heads = 8}, 0);  // once, for GPU 0
//   posenc::add(posenc::with_weights(plan, weights), scores, {}, stream);    // in each step
//
// Kernels read them there in each call, in the order of its stream: the host neither reads nor
// waits for them, so a step of training can be captured in a CUDA graph. What depends on the scheme
// alone is copied to the device once. Numbers that the host would refuse (a negative `a` of KERPLE
// without clamp) give what the formula gives.
#pragma once

#include "posenc/absolute.h"
#include "posenc/relative.h"
#include "posenc/rotary.h"

namespace POSENC_PUBLIC posenc {

// Whether a scheme's weights can be read so: they are there, and are those of waves (Time2Vec,
// Gaussian, a learned scale), of frequencies or of any bias. Learned tables stay where they are
// without this; learned phases and Fourier coefficients are read by the host.
bool can_follow_weights(const Absolute& scheme);
bool can_follow_weights(const Rope& scheme);
bool can_follow_weights(const Bias& scheme);

// A plan whose weights come later. An Error where they cannot.
AbsolutePlan prepare_for_weights(const Absolute& scheme, int cuda_device);
RotaryPlan prepare_for_weights(const Rope& scheme, int cuda_device);
BiasPlan prepare_for_weights(const Bias& scheme, int cuda_device);

// Such a plan with weights on its device, as the scheme's weights() lists them; they must outlive
// it. Its tensors, too, must lie on that device.
AbsolutePlan with_weights(const AbsolutePlan& plan, std::span<const Tensor> weights);
RotaryPlan with_weights(const RotaryPlan& plan, std::span<const Tensor> weights);
BiasPlan with_weights(const BiasPlan& plan, std::span<const Tensor> weights);

}  // namespace posenc
