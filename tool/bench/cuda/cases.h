// cases.h: what is timed on a GPU.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/cuda/graph.h"

namespace posenc::bench {

// A case with its tensors: several sets of them, so that no call finds its own in a cache.
struct CudaJob {
  std::function<void(cudaStream_t, int set)> work;
  int64_t bytes = 0;  // that must be read and written
  Plain limit = Plain::copy;
  int sets = 1;
  Tensor compared{};  // of the first set, after one call; peers must agree. Of rank 0: not compared
};

struct CudaCase {
  std::string name;
  std::function<CudaJob()> make;
  std::string question{};  // as peers are asked for it
};
std::vector<CudaCase> rotary_cases();
std::vector<CudaCase> absolute_cases();
std::vector<CudaCase> relative_cases();
std::vector<CudaCase> cuda_cases();  // all of them

}  // namespace posenc::bench
