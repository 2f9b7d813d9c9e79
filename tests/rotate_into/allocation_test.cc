// allocation_test.cc: rotating into a cache with a plan allocates nothing.
#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/rotation.h"
#include "tests/support/threads.h"

namespace posenc::allocation_test {
namespace {

TEST(RotateIntoAllocation, NoneWithAPlan) {
  Random random(1);
  for (const int count : {1, 2})
    for (const Layout layout : all_layouts)
      for (const int64_t tokens : {1, 600})
        for (const DType dtype : float_types)
          for (const DType kept : {DType::bf16, DType::f32}) {
            const Threads use(count);
            const RotaryPlan plan = prepare(
                Rope{.dim = 70, .layout = layout, .rotary_dim = 30, .decay = XPos{.center = 300}});
            const Guarded q(dtype, {2, tokens, 9, 70}), k(dtype, {2, tokens, 2, 70});
            const Guarded w(DType::bf16, {70}), table(DType::i32, {2, 40});
            const Guarded k_pages(kept, {80, 16, 2, 70}), v_pages(kept, {80, 16, 2, 70});
            for (const Guarded* g : {&q, &k, &w}) randomize(g->view(), random);
            for (int64_t n = 0; n < 80; ++n) set(table.view(), n, static_cast<double>(79 - n));
            const RotateIntoOptions options{
                .norm = {w.view(), w.view()},
                .v = k.view(),
                .cache = {.k = k_pages.view(), .v = v_pages.view(), .block_table = table.view()}};
            const auto call = [&] {
              rotate_into(plan, {q.view(), k.view()}, {.q = q.view()}, options, range(5));
            };
            call();  // takes memory that later calls find
            EXPECT_EQ(allocations_of(call), 0);
          }
}

}  // namespace
}  // namespace posenc::allocation_test
