// allocation_test.cc: attention with a plan of any kind allocates nothing, once a call of that
// shape has been there.
#include <gtest/gtest.h>

#include "tests/content/schemes.h"
#include "tests/relative/cases.h"
#include "tests/support/allocations.h"
#include "tests/support/attention.h"
#include "tests/support/threads.h"

namespace posenc::allocation_test {
namespace {

struct Case {
  Plan plan;
  std::string name;
  int64_t heads = 3, dim = 6;
  std::optional<ContentPlan> values{};
};

std::vector<Case> every_kind() {
  Random random(1);
  std::vector<Case> out{{Plan{}, "none"}};
  out.push_back({prepare(Rope{.dim = 6, .layout = Layout::half}), "rope"});
  for (const Bias& scheme : every_bias()) {
    const PreparedBias p = prepare_random(scheme, random);
    out.push_back({p.plan, p.text(), case_heads});
  }
  for (const Content& scheme : small_schemes()) {
    const Stand t(scheme, DType::f32, {}, random);
    if (t.plan.reads().hidden) continue;  // attend() has none
    out.push_back({t.plan, std::string(alternative_name(scheme)), 3, std::max<int64_t>(t.dim, 4)});
  }
  const Stand shaw(Shaw{.dim = 4, .left = 3, .right = 2}, DType::f32, {}, random);
  out.push_back({Plan{}, "values", 3, 6, shaw.plan});
  return out;
}

TEST(AttendAllocation, NoneWithAPlan) {
  const Threads one(1);
  for (const Case& c : every_kind())
    for (const DType dtype : {DType::f32, DType::bf16})
      for (const int64_t queries : {1, 15}) {  // one more token, and a text
        const Inputs x(dtype, {2, queries, 15, c.heads, c.heads, c.dim, 4}, 1);
        const Guarded gates(dtype, {2, 15, c.heads});
        const AttendOptions options{.queries = range(15 - queries),
                                    .causal = true,
                                    .gates = gates.view(),
                                    .values = c.values};
        const auto call = [&] { attend(c.plan, {x.q(), x.k(), x.v()}, x.out(), options); };
        call();
        EXPECT_EQ(allocations_of(call), 0) << c.name << " " << describe(x.q());
      }
}

}  // namespace
}  // namespace posenc::allocation_test
