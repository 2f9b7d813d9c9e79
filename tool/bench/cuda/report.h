// report.h: what was measured on a GPU, as a table or as JSON.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "bench/cuda/graph.h"

namespace posenc::bench {

struct PeerTime {
  std::string name;
  std::optional<double> seconds;  // of a call; nothing where the peer has no such case
};

struct CudaResult {
  std::string name;  // of the case
  int64_t bytes;
  int sets;
  Plain kind;
  double ours = 0, limit = 0;  // seconds of a call
  std::vector<double> compared{};
  std::vector<PeerTime> peers{};  // the same of every case
};

void print_table(const std::vector<CudaResult>& results, std::ostream& out);
void print_json(const std::vector<CudaResult>& results, std::ostream& out);

}  // namespace posenc::bench
