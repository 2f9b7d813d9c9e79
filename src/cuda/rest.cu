// rest.cu: what is not done on CUDA.
#include "orders.h"

namespace posenc::cuda {
namespace {

[[noreturn]] void refuse(const char* verb) {
  fail(ErrorKind::tensor, verb, "expected tensors on the CPU: this verb is not done on CUDA");
}

}  // namespace

void run(const AttendOrder&) { refuse("attend"); }

}  // namespace posenc::cuda
