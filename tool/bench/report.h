// report.h: what was measured, as a table or as JSON.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace posenc::bench {

struct Timing {
  std::string name;      // of the contender
  double median, least;  // seconds per call
};

struct Result {
  std::string name;  // of the case
  int threads;
  int64_t elements, bytes;
  Timing ours;
  std::vector<Timing> limit;  // one, or none
  std::vector<Timing> peers;  // those that have the case
};

void print_table(const std::vector<Result>& results, const std::vector<std::string>& peers,
                 std::ostream& out);
void print_json(const std::vector<Result>& results, std::ostream& out);

}  // namespace posenc::bench
