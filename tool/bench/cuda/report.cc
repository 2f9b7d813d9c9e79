// report.cc: one row per case on a GPU.
#include "bench/cuda/report.h"

#include <iomanip>

#include "base/json.h"

namespace posenc::bench {
namespace {

std::string_view name_of(Plain p) {
  constexpr std::string_view names[] = {"copy", "x ^= 1", "fill", "read"};
  return names[static_cast<size_t>(p)];
}

void print_row(const CudaResult& r, std::ostream& out) {
  out << std::left << std::setw(46) << r.name << std::right << std::fixed << std::setprecision(2)
      << std::setw(12) << r.ours * 1e6 << std::setprecision(0) << std::setw(8)
      << static_cast<double>(r.bytes) / r.ours * 1e-9 << std::setprecision(1) << std::setw(9)
      << 100 * r.limit / r.ours << "  " << std::left << std::setw(6) << name_of(r.kind)
      << std::right << std::setprecision(2);
  for (const PeerTime& peer : r.peers) {
    out << "  " << std::setw(static_cast<int>(peer.name.size()) - (peer.seconds ? 1 : 0));
    peer.seconds ? out << *peer.seconds / r.ours << "x" : out << "-";
  }
  out << '\n';
}

}  // namespace

void print_table(const std::vector<CudaResult>& results, std::ostream& out) {
  out << std::left << std::setw(46) << "case" << std::right << std::setw(12) << "us" << std::setw(8)
      << "GB/s" << std::setw(9) << "% limit"
      << "  limit ";
  for (const PeerTime& peer : results[0].peers) out << "  " << peer.name;
  out << '\n';
  for (const CudaResult& r : results) print_row(r, out);
  out << "\n% limit: the time of the limit on as many bytes / ours (more is better)";
  if (!results[0].peers.empty()) out << "; peers: their time / ours (more is better)";
  out << ".\n";
}

void print_json(const std::vector<CudaResult>& results, std::ostream& out) {
  files::JsonList all;
  for (const CudaResult& r : results) {
    files::JsonList peers;
    for (const PeerTime& peer : r.peers)
      if (peer.seconds) peers.push_back({{"name", peer.name}, {"s", *peer.seconds}});
    all.push_back({{"name", r.name},
                   {"bytes", r.bytes},
                   {"ours_s", r.ours},
                   {"limit_s", r.limit},
                   {"limit", name_of(r.kind)},
                   {"peers", std::move(peers)}});
  }
  const files::Json told{{"version", 1}, {"cases", std::move(all)}};
  out << files::write_json(told, files::JsonStyle::indented) << '\n';
}

}  // namespace posenc::bench
