// bench.h: how fast the library is on this machine, beside the limit of its memory and beside every
// peer that is installed. `posenc bench` prints what this writes.
#pragma once

#include <functional>
#include <ostream>
#include <string>

namespace posenc {

struct BenchOptions {
  std::string filter{};  // only cases whose name contains this
  int threads_max = 0;   // 0: as many as the library would use
  double seconds = 0.5;  // spent on timing each case
  std::string peers{};   // folder of scripts that time other libraries; empty: none are timed
  bool json = false;     // one object instead of the table
};

// Called before each case with its name, its number from 0 and how many there are.
using BenchProgress = std::function<void(const std::string& name, size_t done, size_t total)>;

// Throws Error when no case matches the filter or a result is wrong.
void run_bench(const BenchOptions& options, std::ostream& out, const BenchProgress& progress = {});

}  // namespace posenc
