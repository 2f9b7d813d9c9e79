// bench.cu: walks the cases on a GPU.
#include <algorithm>
#include <map>

#include "base/cuda_state.h"
#include "bench/cuda/cases.h"
#include "bench/cuda/report.h"
#include "bench/cuda_bench.h"
#include "bench/peer.h"
#include "posenc/wave.h"

namespace posenc {
namespace {

using namespace bench;

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + std::ssize(v) / 2, v.end());
  return v[v.size() / 2];
}

int calls_of(int64_t bytes) { return bytes < (1 << 24) ? 64 : bytes < (int64_t{1} << 30) ? 16 : 3; }
int64_t rounds_of(int64_t bytes) { return bytes < (int64_t{64} << 20) ? 31 : 11; }

// The case and its limit, round after round; what it takes of the device is given back.
CudaResult run_case(const CudaCase& c) {
  const CudaJob job = c.make();
  CudaResult out{c.name, job.bytes, job.sets, job.limit};
  // The plain kernel has as many sets, of as many bytes.
  const int64_t side = std::max<int64_t>(job.bytes / (is_one_way(job.limit) ? 1 : 2), 64);
  std::vector<Buffer> a, b;
  for (int i = 0; i < job.sets; ++i) {
    a.emplace_back(side);
    if (job.limit == Plain::copy) b.emplace_back(side);
  }
  if (job.compared.rank > 0) {
    job.work(nullptr, 0);
    out.compared = values(job.compared);
  }
  const int calls = calls_of(job.bytes);
  Graph ours([&](cudaStream_t s, int i) { job.work(s, i % job.sets); }, calls);
  Graph limit(
      [&](cudaStream_t s, int i) {
        const auto set = static_cast<size_t>(i % job.sets);
        plain(job.limit, a[set].data(), b.empty() ? nullptr : b[set].data(), job.bytes, s);
      },
      calls);
  std::vector<double> t[2];
  for (int64_t i = 0; i < rounds_of(job.bytes); ++i)
    t[0].push_back(ours.seconds()), t[1].push_back(limit.seconds());
  out.ours = median(t[0]), out.limit = median(t[1]);
  return out;
}

// Seconds of a call of a peer; the first round captures it.
std::optional<double> run_peer(Peer& peer, const std::string& question, const CudaResult& ours,
                               double seconds) {
  const auto contender = peer.contender(question, ours.sets, ours.compared);
  if (!contender) return std::nullopt;
  const int calls = calls_of(ours.bytes);
  std::vector<double> all;
  for (double spent = contender->run(calls);
       std::ssize(all) < 3 || (spent < seconds && std::ssize(all) < rounds_of(ours.bytes));) {
    const double t = contender->run(calls);
    spent += t, all.push_back(t / calls);
  }
  return median(all);
}

}  // namespace

void run_cuda_bench(const BenchOptions& options, std::ostream& out, const BenchProgress& progress) {
  if (cuda::state().devices == 0)
    fail("bench", "expected a GPU, got none: ", cuda::state().missing);
  std::vector<CudaCase> todo;
  for (CudaCase& c : cuda_cases())
    if (c.name.find(options.filter) != std::string::npos) todo.push_back(std::move(c));
  if (todo.empty())
    fail(ErrorKind::option, "bench", "expected a part of a case's name as --filter, got '",
         options.filter, "'");
  auto peers = installed_peers(options.peers, {"torch_cuda_peer.py"});
  std::map<std::string, std::optional<double>> asked;  // several cases may ask the same
  std::vector<CudaResult> results;
  for (const CudaCase& c : todo) {
    if (progress) progress(c.name, results.size(), todo.size());
    CudaResult& r = results.emplace_back(run_case(c));
    for (Peer& peer : peers)
      for (const std::string form : {"eager", "compiled"}) {
        const std::string name = peer.name() + " " + form, question = form + " " + c.question;
        const auto [at, is_new] = asked.try_emplace(peer.name() + question);
        if (is_new) at->second = run_peer(peer, question, r, options.seconds);
        r.peers.push_back({name, at->second});
      }
  }
  options.json ? print_json(results, out) : print_table(results, out);
}

}  // namespace posenc
