// bench.cu: walks the cases on a GPU.
#include "bench/cuda_bench.h"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>

#include "bench/cuda/cases.h"
#include "cuda/state.h"

namespace posenc {
namespace {

using namespace bench;

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + std::ssize(v) / 2, v.end());
  return v[v.size() / 2];
}

struct CudaResult {
  std::string name;
  int64_t bytes;
  double ours, limit;  // seconds
  Plain kind;
};

CudaResult run_case(const CudaCase& c) {
  const CudaJob job = c.make();
  const int64_t bytes = job.bytes, rounds = bytes < (int64_t{64} << 20) ? 31 : 11;
  const int calls = bytes < (1 << 24) ? 64 : bytes < (int64_t{1} << 30) ? 16 : 3;
  // The plain kernel has as many sets, of as many bytes.
  const int64_t side = std::max<int64_t>(bytes / (is_one_way(job.limit) ? 1 : 2), 64);
  std::vector<Buffer> a, b;
  for (int i = 0; i < job.sets; ++i) {
    a.emplace_back(side);
    if (job.limit == Plain::copy) b.emplace_back(side);
  }
  Graph ours([&](cudaStream_t s, int i) { job.work(s, i % job.sets); }, calls);
  Graph limit(
      [&](cudaStream_t s, int i) {
        const auto set = static_cast<size_t>(i % job.sets);
        plain(job.limit, a[set].data(), b.empty() ? nullptr : b[set].data(), bytes, s);
      },
      calls);
  std::vector<double> t[2];
  for (int64_t i = 0; i < rounds; ++i)
    t[0].push_back(ours.seconds()), t[1].push_back(limit.seconds());
  return {c.name, bytes, median(t[0]), median(t[1]), job.limit};
}

std::string_view name_of(Plain p) {
  constexpr std::string_view names[] = {"copy", "x ^= 1", "fill", "read"};
  return names[static_cast<size_t>(p)];
}

}  // namespace

void run_cuda_bench(const BenchOptions& options, std::ostream& out, const BenchProgress& progress) {
  if (cuda::state().devices == 0)
    fail("bench", "expected a GPU, got none: ", cuda::state().missing);
  std::vector<CudaCase> todo;
  for (CudaCase& c : cuda_cases())
    if (c.name.find(options.filter) != std::string::npos) todo.push_back(std::move(c));
  if (todo.empty()) fail("bench", "expected a part of a case's name, got '", options.filter, "'");
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  if (!options.json)
    out << std::left << std::setw(44) << "case" << std::right << std::setw(12) << "us"
        << std::setw(8) << "GB/s" << std::setw(9) << "% limit"
        << "  limit\n";
  size_t done = 0;
  for (const CudaCase& c : todo) {
    if (progress) progress(c.name, done++, todo.size());
    const CudaResult r = run_case(c);
    if (options.json) {
      all.push_back({{"name", r.name},
                     {"bytes", r.bytes},
                     {"ours_s", r.ours},
                     {"limit_s", r.limit},
                     {"limit", name_of(r.kind)}});
      continue;
    }
    out << std::left << std::setw(44) << r.name << std::right << std::fixed << std::setprecision(2)
        << std::setw(12) << r.ours * 1e6 << std::setprecision(0) << std::setw(8)
        << static_cast<double>(r.bytes) / r.ours * 1e-9 << std::setprecision(1) << std::setw(9)
        << 100 * r.limit / r.ours << "  " << name_of(r.kind) << '\n';
  }
  if (options.json) out << nlohmann::ordered_json{{"cases", std::move(all)}}.dump(2) << '\n';
}

}  // namespace posenc
