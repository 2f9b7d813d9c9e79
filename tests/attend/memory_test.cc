// attend_memory_test.cc: memory grows with the number of tokens, not with its square.
#include <gtest/gtest.h>

#include "base/scratch.h"
#include "tests/support/allocations.h"
#include "tests/support/attention.h"
#include "tests/support/threads.h"

namespace posenc::memory_test {
namespace {

// Bytes that one call takes where no earlier call left any.
int64_t peak(const Plan& encoding, int64_t tokens, const Tensor& gates) {
  const Inputs x(DType::f16,
                 {.rows = 1,
                  .queries = tokens,
                  .keys = tokens,
                  .heads = 1,
                  .kv_heads = 1,
                  .dim = 8,
                  .value_dim = 8},
                 1);
  release_memory();
  return peak_of([&] {
    attend(encoding, {x.q(), x.k(), x.v()}, x.out(), {.causal = true, .gates = gates});
  });
}

// Two workers hold 32 rows of scores in f32, copies of q, k and v
// 32 bytes a token each, and a term up to 32 rows more for each worker (the table it reads, where
// keys read it): 1 KiB is more than all of that for one token. Scores of all queries would take
// 4 KiB for each token of 1024, and 16 KiB of 4096.
TEST(AttendMemory, GrowsWithTheTokens) {
  const Threads two(2);
  const std::vector<float> numbers(9 * 8, 0.1f);
  const Tensor table = tensor(numbers.data(), {9, 8});
  const std::vector<F16> gate_memory(4096);
  for (const Plan& e :
       {Plan{}, Plan{prepare(Rope{.dim = 8, .layout = Layout::half})},
        Plan{prepare(Alibi{.heads = 1})},
        Plan{prepare(Shaw{.dim = 8, .left = 4, .right = 4}, {.weights = {&table, 1}})},
        Plan{prepare(Cope{.dim = 8, .positions = 9}, {.weights = {&table, 1}})},
        Plan{prepare(Forgetting{})}})
    for (const int64_t tokens : {1024, 4096}) {
      const int64_t bytes = peak(e, tokens, tensor(gate_memory.data(), {1, tokens, 1}));
      EXPECT_GT(bytes, 64 * tokens) << e.index();  // or the test could not fail
      EXPECT_LT(bytes, 1024 * tokens) << e.index();
    }
}

}  // namespace
}  // namespace posenc::memory_test
