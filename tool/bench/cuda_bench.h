// cuda_bench.h: the same on a GPU: device time of graphs, beside a plain copy or fill of as many
// bytes, one launch each.
#pragma once

#include "bench/bench.h"

namespace posenc {

// Throws Error where there is no GPU, or no case matches the filter.
void run_cuda_bench(const BenchOptions& options, std::ostream& out,
                    const BenchProgress& progress = {});

}  // namespace posenc
