// sequence.cc: rows and packed sequences, each a run of its own.
#include "posenc/positions/sequence.h"

#include <numeric>

#include "positions/planning.h"

namespace posenc {
namespace {

using namespace planning;

PlannedPositions runs(const char* where, const std::vector<int64_t>& first, int64_t tokens) {
  for (int64_t start : first) check_run(where, start, tokens);
  check_at_least(where, "tokens", tokens, 0);
  auto out = make<int64_t>(where, 1, std::ssize(first), tokens);
  for (size_t row = 0; row < first.size(); ++row) {
    const auto begin = out.ids.begin() + static_cast<int64_t>(row) * tokens;
    std::iota(begin, begin + tokens, first[row]);
  }
  return out;
}

PlannedPositions pack(const std::vector<int64_t>& ends, const std::vector<int64_t>& first) {
  for (size_t s = 0; s < first.size(); ++s) check_run("packed", first[s], ends[s + 1] - ends[s]);
  auto out = make<int64_t>("packed", 1, 1, ends.back());
  for (size_t s = 0; s < first.size(); ++s)
    std::iota(out.ids.begin() + ends[s], out.ids.begin() + ends[s + 1], first[s]);
  return out;
}

}  // namespace

PlannedPositions per_row(const Tensor& first, int64_t tokens) {
  return runs("per_row", integers("per_row", "first positions", first), tokens);
}

PlannedPositions after_cache(const Tensor& past, int64_t tokens) {
  const auto lengths = integers("after_cache", "past lengths", past);
  for (int64_t length : lengths) check_at_least("after_cache", "past lengths", length, 0);
  return runs("after_cache", lengths, tokens);
}

PlannedPositions packed(const Tensor& cu_seqlens) {
  const auto ends = cumulative("packed", cu_seqlens);
  return pack(ends, std::vector<int64_t>(ends.size() - 1));
}

PlannedPositions packed(const Tensor& cu_seqlens, const Tensor& first) {
  const auto ends = cumulative("packed", cu_seqlens);
  const auto starts = integers("packed", "first positions", first);
  if (starts.size() + 1 != ends.size())
    fail("packed", "expected ", ends.size() - 1, " first positions, one for each sequence, got ",
         starts.size());
  return pack(ends, starts);
}

}  // namespace posenc
