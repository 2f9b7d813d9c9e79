// bench.cc: posenc bench.
#include "bench/cuda_bench.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/schemes/notes.h"

namespace posenc::cli {
namespace {

struct BenchFields {
  std::string filter{};
  double seconds = BenchOptions{}.seconds;
  std::string peers{};
  bool json = false;
  Device device = Device::cpu;

  static Fields fields() {
    using S = BenchFields;
    return {{"filter", &S::filter, "only cases whose name contains this"},
            {"seconds", &S::seconds, "time to spend on each case"},
            {"peers", &S::peers,
             "folder of the scripts that time other libraries, or false for none (default: the "
             "folder that comes with the tool)"},
            {"device", &S::device, "cpu, or cuda, which measures the device time of CUDA graphs"},
            {"json", &S::json, "the times as JSON"}};
  }
};

// Nobody else can put a script there: it belongs to root or to who runs the tool.
bool is_ours(const std::string& folder) {
  struct stat facts {};
  return ::stat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
         (facts.st_uid == 0 || facts.st_uid == ::geteuid()) && (facts.st_mode & S_IWOTH) == 0;
}

// The scripts that come with the tool: beside it in a build tree, in share/ where it is installed.
std::string peers_of_tool() {
  std::error_code failed;
  const auto tool = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  for (const char* folder : {"contenders", "../share/posenc/contenders"})
    if (!failed && is_ours(tool / folder)) return tool / folder;
  note("no scripts that time other libraries come with this tool; --peers DIR names their folder");
  return "";
}

std::string peers_folder(const std::string& option) {
  if (option.empty()) return peers_of_tool();
  if (option == "false") return "";
  if (!std::filesystem::is_directory(option))
    refuse("expected a folder of scripts or false as --peers, got ", option);
  return option;
}

void run_bench_command(const Call& call) {
  const auto options = read_options<BenchFields>(call);
  const auto threads = read_options<CommonOptions>(call).threads;
  if (options.seconds <= 0) refuse("expected seconds above 0, got ", options.seconds);
  Progress progress("timing");
  std::ostringstream out;
  const BenchOptions bench{options.filter, static_cast<int>(threads.value_or(0)), options.seconds,
                           peers_folder(options.peers), options.json};
  const auto run = options.device == Device::cpu ? run_bench : run_cuda_bench;
  run(bench, out, [&](const std::string& name, size_t done, size_t total) {
    progress.at(static_cast<double>(done) / static_cast<double>(total), name);
  });
  print(out.str());
}

}  // namespace

Command bench_command() {
  return {"bench",
          "measure the speed on this machine, against its memory and other libraries",
          takes_nothing,
          "Prints one line per case: time per element, bytes per second, the ratio to a plain\n"
          "copy or fill of the same memory, and to other libraries that are installed (PyTorch,\n"
          "NumPy). These are timed by Python scripts: those that come with the tool, or those\n"
          "in the folder --peers.\n\n"
          "With --device cuda: device time of a call inside a CUDA graph, the ratio to a plain\n"
          "kernel on the same number of bytes, and PyTorch on the same GPU, eager and compiled.\n",
          options_of(BenchFields{}),
          {"posenc bench --filter 'fill f32 1x4096' --seconds 0.1 --peers false"},
          run_bench_command};
}

}  // namespace posenc::cli
