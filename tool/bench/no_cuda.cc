// no_cuda.cc: stands in for the benches of a GPU where CUDA is not built.
#include "bench/cuda_bench.h"
#include "posenc/error.h"

namespace posenc {

void run_cuda_bench(const BenchOptions&, std::ostream&, const BenchProgress&) {
  fail("bench", "expected a build with CUDA (cmake --preset cuda), got one without");
}

}  // namespace posenc
