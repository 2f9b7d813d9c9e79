// bench.cc: posenc bench.
#include "bench/cuda_bench.h"

#include <sstream>

#include "console.h"
#include "options.h"

namespace posenc::cli {
namespace {

struct BenchFields {
  std::string filter{};
  double seconds = BenchOptions{}.seconds;
  bool peers = true, json = false;
  Device device = Device::cpu;

  static Fields fields() {
    using S = BenchFields;
    return {{"filter", &S::filter, "only cases whose name contains this"},
            {"seconds", &S::seconds, "to spend on each case"},
            {"peers", &S::peers, "time what else is installed too"},
            {"device", &S::device, "where: cpu, or cuda: device time of graphs"},
            {"json", &S::json, "the times as JSON"}};
  }
};

void run_bench_command(const Call& call) {
  const auto options = read_options<BenchFields>(call);
  const auto threads = read_options<CommonOptions>(call).threads;
  if (options.seconds <= 0) refuse("expected seconds above 0, got ", options.seconds);
  Progress progress("timing");
  std::ostringstream out;
  const BenchOptions bench{options.filter, static_cast<int>(threads.value_or(0)), options.seconds,
                           options.peers, options.json};
  const auto run = options.device == Device::cpu ? run_bench : run_cuda_bench;
  run(bench, out, [&](const std::string& name, size_t done, size_t total) {
    progress.at(static_cast<double>(done) / static_cast<double>(total), name);
  });
  print(out.str());
}

}  // namespace

Command bench_command() {
  return {
      "bench",
      "how fast this machine makes and adds tables, beside its memory and other libraries",
      "",
      "One line for each case: time per element, bytes per second, the ratio to a plain copy or\n"
      "fill of the same memory, and to every peer that is installed (PyTorch, NumPy, ...).\n"
      "\n"
      "With --device cuda: device time of a call inside a graph, how near that is to a plain\n"
      "kernel on as many bytes, and PyTorch on the same GPU, eager and compiled.\n",
      options_of(BenchFields{}),
      {"posenc bench --filter 'fill f32 1x4096' --seconds 0.1 --peers false"},
      run_bench_command};
}

}  // namespace posenc::cli
