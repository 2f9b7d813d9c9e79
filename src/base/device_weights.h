// device_weights.h: what plans whose weights stay on a device have in common.
#pragma once

#include "base/check.h"

namespace posenc {

// Zeros on the host, in the place of weights that come later.
class ZeroWeights {
 public:
  explicit ZeroWeights(const std::vector<Weight>& wanted) {
    size_t most = 0;
    for (const Weight& w : wanted) {
      views_.push_back(tensor(nullptr, DType::f64, w.shape));
      most = std::max(most, static_cast<size_t>(views_.back().elements()));
    }
    zeros_.resize(most);
    for (Tensor& view : views_) view.data = zeros_.data();
  }
  std::span<const Tensor> views() const { return views_; }

 private:
  std::vector<double> zeros_;
  std::vector<Tensor> views_;
};

inline void expect_blank(bool is_blank) {
  if (!is_blank) fail("with_weights", "expected a plan of prepare_for_weights(), got another");
}

// One tensor for each, all on one CUDA device.
inline void check_device_weights(std::string_view scheme, const std::vector<Weight>& wanted,
                                 std::span<const Tensor> given) {
  check_weights(scheme, wanted, given);
  for (const Tensor& w : given) {
    if (w.device != Device::cuda)
      fail(ErrorKind::tensor, "with_weights",
           "expected weights on a CUDA device, got some on the CPU");
    check_same_device("with_weights", "a weight", w, "another", given[0]);
  }
}

// Where weights stay on a device, the tensors of a call lie there.
inline void check_beside(const char* verb, const char* what, const Tensor& t,
                         const std::vector<Tensor>& device_weights) {
  if (!device_weights.empty()) check_same_device(verb, what, t, "the weights", device_weights[0]);
}

}  // namespace posenc
