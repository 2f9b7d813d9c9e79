// planning.cc: checked arithmetic and checked input of the planners.
#include "positions/planning.h"

#include "base/batch.h"
#include "base/check.h"

namespace posenc::planning {

int64_t sum(std::string_view where, std::string_view what, int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_add_overflow(a, b, &out))
    fail(where, "expected ", what, " that fit 64 bits, got ", a, " + ", b);
  return out;
}

int64_t product(std::string_view where, std::string_view what, int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_mul_overflow(a, b, &out))
    fail(where, "expected ", what, " that fit 64 bits, got ", a, " x ", b);
  return out;
}

void check_at_least(std::string_view where, std::string_view what, int64_t value, int64_t least) {
  if (value < least) fail(where, "expected ", what, " of at least ", least, ", got ", value);
}

void check_run(std::string_view where, int64_t first, int64_t tokens) {
  check_at_least(where, "tokens", tokens, 0);
  sum(where, "positions", first, tokens);
}

std::vector<int64_t> integers(std::string_view where, std::string_view what, const Tensor& t) {
  if (t.rank != 1 || (t.dtype != DType::i32 && t.dtype != DType::i64))
    fail(ErrorKind::tensor, where, "expected ", what, " as i32 or i64 [n], got ", describe(t));
  check_host_memory(where, what, t);
  std::vector<int64_t> out;
  const Batch batch(t, 1);
  for (int64_t i = 0; i < t.size(0); ++i) out.push_back(integer(t.dtype, batch.at(0, i)));
  return out;
}

std::vector<int64_t> cumulative(std::string_view where, const Tensor& t) {
  auto out = integers(where, "cu_seqlens", t);
  if (out.empty() || out[0] != 0)
    fail(where, "expected cu_seqlens that begin with 0, got ",
         out.empty() ? "none" : std::to_string(out[0]));
  for (size_t i = 1; i < out.size(); ++i)
    if (out[i] < out[i - 1])
      fail(where, "expected cu_seqlens that never fall, got ", out[i], " after ", out[i - 1],
           " at index ", i);
  return out;
}

}  // namespace posenc::planning
