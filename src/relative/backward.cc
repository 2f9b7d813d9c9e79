// backward.cc: checks what the gradient of everything learned in a bias is made from.
#include "base/sums.h"
#include "relative/call.h"

namespace posenc {

void backward(const BiasPlan& plan, const Tensor& dout, std::span<const Tensor> dweights,
              const ScoreOptions& options, Stream stream) {
  const auto& parts = plan.parts();
  check_scores("backward", dout);
  const ScorePlaces at = check_call("backward", parts.formula, parts.heads, dout, options);
  check_gradients("backward", parts.shapes, dweights, dout.dtype);
  check_gradients_apart("backward", dweights, {dout, options.queries.ids, options.keys.ids});
  if (parts.shapes.empty() || dout.elements() == 0) return;
  run(BiasGradientOrder{bias_source(parts.formula, at, options), at, dout, dweights, stream});
}

}  // namespace posenc
