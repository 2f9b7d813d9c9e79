// allocation_test.cc: rotating with a plan allocates nothing.
#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/rotation.h"
#include "tests/support/threads.h"

namespace posenc::allocation_test {
namespace {

TEST(RotaryAllocation, IsCounted) {  // or the other test could not fail
  EXPECT_GT(allocations_of([] { prepare(Rope{.layout = Layout::half}); }), 0);
}

TEST(RotaryAllocation, NoneInVerbsWithAPlan) {
  Random random(1);
  const LogTemperature warm{.floor = 9};
  for (const int count : {1, 2})
    for (const Layout l : all_layouts)
      for (const Rope& rope : std::vector<Rope>{
               {.dim = 70, .layout = l},
               {.dim = 70, .layout = l, .rotary_dim = 30, .decay = XPos{}, .temperature = warm},
               {.dim = 70, .layout = l, .numerics = Numerics::torch_f32}})
        for (const DType dtype :
             count == 1 ? std::span(float_types) : std::span(float_types).first(1))
          for (const TestPlaces& at :
               {TestPlaces(3), TestPlaces(DType::i32, {2, 600}, random, 0, 600)})
            for (const int64_t keep : {0, 700}) {
              const Threads use(count);
              const RotaryPlan plan = prepare(rope, {.keep = keep});
              const Guarded q(dtype, {2, 600, 3, 70}), k(dtype, {2, 600, 2, 70}, Placement::spaced);
              randomize(q.view(), random), randomize(k.view(), random);
              const QueriesKeys x{q.view(), k.view()};
              rotate_inverse(plan, x, x, at.at());  // takes memory that later calls find
              EXPECT_EQ(allocations_of([&] { rotate(plan, x, at.at()); }), 0);
              EXPECT_EQ(allocations_of([&] { rotate_adjoint(plan, x, x, at.at()); }), 0);
              EXPECT_EQ(allocations_of([&] { rotate_inverse(plan, x, x, at.at()); }), 0);
            }
}

TEST(RotaryAllocation, NoneWhereKeysMove) {
  Random random(2);
  for (const int count : {1, 2})
    for (const Layout l : {Layout::half, Layout::interleaved}) {
      const Threads use(count);
      const Rope old{.dim = 70, .layout = l, .rotary_dim = 30};
      Rope other = old;
      other.base = 500000;
      const RotaryPlan from = prepare(old), to = prepare(other);
      const Guarded k(DType::bf16, {2, 600, 3, 70});
      const TestPlaces at(DType::i32, {2, 600}, random, 0, 600);
      randomize(k.view(), random);
      for (const RotaryPlan& next : {from, to}) {
        const auto call = [&] { move(from, range(5), next, at.at(), k.view()); };
        call();  // keeps what turns one to the other
        EXPECT_EQ(allocations_of(call), 0);
      }
    }
}

}  // namespace
}  // namespace posenc::allocation_test
