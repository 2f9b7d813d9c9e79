// bench.cc: walks the cases.
#include "bench.h"

#include <algorithm>

#include "case.h"
#include "peer.h"
#include "posenc/threads.h"
#include "report.h"

namespace posenc {
namespace {

using namespace bench;

// Sets the library's threads, and puts back what was set.
struct WithThreads {
  const int before = threads();
  explicit WithThreads(int count) { set_threads(count); }
  ~WithThreads() { set_threads(before); }
};

Timing timing(const Contender& c) { return {c.name, c.median(), c.least()}; }

Result run_case(const Case& c, int threads, double seconds, std::vector<Peer>& peers) {
  const WithThreads with(threads);
  const Job job = make_job(c);
  std::vector<Contender> all{{"posenc", timed(job.work)}};
  for (Contender& limit : limits(job.traffic, job.bytes)) all.push_back(std::move(limit));
  if (job.without) all.push_back({"without", timed(job.without)});
  const auto first_peer = std::ssize(all);
  if (const std::string asked = question(c); !asked.empty())
    for (Peer& peer : peers)
      if (auto contender = peer.contender(asked, threads, job.sample))
        all.push_back(std::move(*contender));
  measure(all, seconds);

  Result result{name(c), threads, job.elements, job.bytes, timing(all[0]), {}, {}};
  const auto peers_begin = all.begin() + first_peer;
  const auto slower = [](const Contender& a, const Contender& b) {
    return a.median() < b.median();
  };
  if (first_peer > 1)
    result.limit.push_back(timing(*std::min_element(all.begin() + 1, peers_begin, slower)));
  std::transform(peers_begin, all.end(), std::back_inserter(result.peers), timing);
  return result;
}

// Every case that matches, on one thread and on all.
std::vector<std::pair<Case, int>> runs(const BenchOptions& options) {
  const int most = options.threads_max ? options.threads_max : threads();
  std::vector<std::pair<Case, int>> out;
  for (const Case& c : cases()) {
    if (name(c).find(options.filter) == std::string::npos) continue;
    out.emplace_back(c, 1);
    if (most > 1 && !c.single) out.emplace_back(c, most);
  }
  if (out.empty())
    fail(ErrorKind::option, "bench", "expected a part of a case's name as --filter, got '",
         options.filter, "'");
  return out;
}

}  // namespace

void run_bench(const BenchOptions& options, std::ostream& out, const BenchProgress& progress) {
  const auto todo = runs(options);
  auto peers = installed_peers(options.peers, {"torch_peer.py", "numpy_peer.py"});
  std::vector<Result> results;
  for (const auto& [c, threads] : todo) {
    if (progress) progress(name(c), results.size(), todo.size());
    results.push_back(run_case(c, threads, options.seconds, peers));
  }
  if (options.json) return print_json(results, out);
  std::vector<std::string> names;
  for (const Peer& peer : peers) names.push_back(peer.name());
  print_table(results, names, out);
}

}  // namespace posenc
