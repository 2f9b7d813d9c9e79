// none.cc: stands in for CUDA where it is not built; checks refuse its tensors before they get
// here.
#include "base/cuda_state.h"
#include "orders/orders.h"

namespace posenc::cuda {
namespace {

[[noreturn]] void refuse() {
  fail(ErrorKind::tensor, "cuda", "expected tensors on the CPU: this build has no CUDA");
}
[[noreturn]] void refuse_to_keep() {
  fail("prepare", "expected no cuda_device: this build has no CUDA");
}

}  // namespace

const CudaState& state() {
  static const CudaState none{0, "this build has no CUDA"};
  return none;
}
void copy_to_host(const Tensor&, void*, size_t) { refuse(); }

void keep(const RowSource&, int) { refuse_to_keep(); }
void keep(const BiasFormula&, int64_t, Range, int) { refuse_to_keep(); }
void keep(const ContentPlan&, int) { refuse_to_keep(); }
#define POSENC_RUN(Order) \
  void run(const Order&) { refuse(); }
POSENC_ORDERS(POSENC_RUN)
#undef POSENC_RUN

}  // namespace posenc::cuda
