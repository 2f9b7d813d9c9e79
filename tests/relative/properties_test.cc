// properties_test.cc: what holds for every bias of a kind.
#include "tests/relative/cases.h"

namespace posenc::properties_test {
namespace {

using Numbers = std::vector<double>;

// [heads, queries, keys], dense, f64.
Numbers dense(const BiasPlan& plan, int64_t queries, int64_t keys, const ScoreOptions& options = {},
              int64_t heads = case_heads) {
  Numbers out(static_cast<size_t>(heads * queries * keys));
  fill(plan, tensor(out.data(), {heads, queries, keys}), options);
  return out;
}

Numbers profile(const BiasPlan& plan, int64_t first, int64_t count, int64_t first_head = 0,
                int64_t heads = case_heads) {
  Numbers out(static_cast<size_t>(heads * count));
  fill_profile(plan, tensor(out.data(), {heads, count}), first, first_head);
  return out;
}

std::vector<PreparedBias> prepared() {
  Random random(1);
  std::vector<PreparedBias> out;
  for (const Bias& scheme : every_bias()) out.push_back(prepare_random(scheme, random));
  return out;
}

// Entry of the profile that a pair reads, said once more.
int64_t place(const PreparedBias& p, int64_t query, int64_t key) {
  if (p.plan.reads() == Reads::distance) return key - query;
  if (p.plan.reads() == Reads::key) return key;
  return p.plan.parts().formula.window.entry(query, key);
}

TEST(Profile, SaysWhatTheDenseMatrixSays) {
  for (const PreparedBias& p : prepared()) {
    if (p.plan.reads() == Reads::both) continue;
    SCOPED_TRACE(p.text());
    const int64_t queries = 7, keys = 13;
    const bool window = p.is_window();
    const int64_t first = window ? 0 : 1 - queries;
    const int64_t count = window ? p.plan.parts().formula.window.count() : queries + keys - 1;
    const auto line = profile(p.plan, first, count);
    const auto matrix = dense(p.plan, queries, keys);
    for (int64_t h = 0; h < case_heads; ++h)
      for (int64_t q = 0; q < queries; ++q)
        for (int64_t k = 0; k < keys; ++k)
          ASSERT_EQ(matrix[static_cast<size_t>((h * queries + q) * keys + k)],
                    line[static_cast<size_t>(h * count + place(p, q, k) - first)]);
  }
}

TEST(Profile, OfSomeHeadsInEveryTypeAndPlacement) {
  for (const PreparedBias& p : prepared()) {
    if (p.plan.reads() == Reads::both) continue;
    SCOPED_TRACE(p.text());
    const int64_t first = p.is_window() ? 2 : -4, count = 9;
    const auto truth = profile(p.plan, first, count, 3, 2);
    for (DType dtype : float_types)
      for (Placement placement : all_placements) {
        Guarded out(dtype, {2, count}, placement);
        fill_profile(p.plan, out.view(), first, 3);
        for (int64_t n = 0; n < 2 * count; ++n) {
          const double t = truth[static_cast<size_t>(n)];
          // Rounded to the compute type, then to the type.
          ASSERT_NEAR(get(out.view(), n), t,
                      half_ulp(compute_type(dtype), t) + half_ulp(dtype, 1.01 * t));
        }
        ASSERT_TRUE(out.intact());
      }
  }
}

TEST(Distance, MovingQueriesAndKeysChangesNothing) {
  for (const PreparedBias& p : prepared()) {
    if (p.plan.reads() != Reads::distance) continue;
    const auto here = dense(p.plan, 5, 8);
    for (const int64_t by : {int64_t{1}, int64_t{1000}, int64_t{1} << 40})
      EXPECT_EQ(here, dense(p.plan, 5, 8, {.queries = range(by), .keys = range(by)})) << p.text();
  }
}

TEST(Window, MovingInsideChangesNothing) {  // by one row: 3 x 5 tokens, class token apart
  for (const PreparedBias& p : prepared()) {
    if (p.plan.reads() != Reads::entry || std::get_if<ContinuousBias>(&p.scheme)) continue;
    const int64_t first = p.plan.parts().formula.window.tokens() - window_tokens;
    EXPECT_EQ(dense(p.plan, 10, 10, {.queries = range(first), .keys = range(first)}),
              dense(p.plan, 10, 10, {.queries = range(first + 5), .keys = range(first + 5)}));
  }
}

TEST(Fire, ReadsWhereTheQueryStands) {
  Random random(2);
  const PreparedBias p = prepare_random(Fire{.heads = case_heads, .length = 4}, random);
  EXPECT_NE(dense(p.plan, 1, 8, {.queries = range(7)}),
            dense(p.plan, 1, 8, {.queries = range(107), .keys = range(100)}));
}

TEST(Cache, OneQueryAtItsEndIsTheLastRow) {
  const int64_t length = 11;
  for (const PreparedBias& p : prepared()) {
    SCOPED_TRACE(p.text());
    for (const bool causal : {false, true}) {
      const auto all = dense(p.plan, length, length, {.causal = causal});
      const auto last = dense(p.plan, 1, length, {.queries = range(length - 1), .causal = causal});
      for (int64_t h = 0; h < case_heads; ++h)
        for (int64_t k = 0; k < length; ++k)
          ASSERT_EQ(last[static_cast<size_t>(h * length + k)],
                    all[static_cast<size_t>((h * length + length - 1) * length + k)]);
    }
  }
}

TEST(Shards, TogetherAreTheModel) {
  for (const PreparedBias& p : prepared()) {
    auto parts = dense(p.plan, 4, 6, {.first_head = 0}, 4);
    const auto rest = dense(p.plan, 4, 6, {.first_head = 4}, 2);
    parts.insert(parts.end(), rest.begin(), rest.end());
    EXPECT_EQ(parts, dense(p.plan, 4, 6)) << p.text();
  }
}

TEST(Plan, TellsWhatItReads) {
  Random random(3);
  EXPECT_EQ(prepare(Alibi{}).reads(), Reads::distance);
  EXPECT_EQ(prepare(Alibi{.form = AlibiForm::keys}).reads(), Reads::key);
  EXPECT_EQ(prepare_random(Fire{}, random).plan.reads(), Reads::both);
  EXPECT_EQ(prepare_random(WindowBias{}, random).plan.reads(), Reads::entry);
  EXPECT_EQ(prepare(Alibi{.heads = 12}).heads(), 12);
}

// Weights of any type and strides are read once, when the plan is made.
TEST(Plan, ReadsWeightsOfAnyKind) {
  Random random(4);
  const T5Bias scheme{.heads = 3, .buckets = 8, .max_distance = 9};
  for (DType dtype : float_types)
    for (Placement placement : all_placements) {
      Guarded table(dtype, {8, 3}, placement);
      randomize(table.view(), random);
      const Tensor weights[] = {table.view()};
      const BiasPlan plan = prepare(scheme, {.weights = weights});
      const auto before = numbers(table.view());
      randomize(table.view(), random);
      for (int64_t h = 0; h < 3; ++h)
        EXPECT_EQ(bias(plan, h, 5, 5), before[static_cast<size_t>(h)]);
    }
}

// Every preset is a scheme that can be prepared.
TEST(Presets, ArePrepared) {
  Random random(5);
  for_each_alternative<Bias>([&]<class S>(const S&) {
    for (const auto& preset : S::presets()) {
      const PreparedBias p = prepare_random(preset.value, random);
      EXPECT_EQ(bias(p.plan, 0, 1, 1), bias(p.plan, 0, 1, 1)) << preset.name;  // a number
    }
  });
}

}  // namespace
}  // namespace posenc::properties_test
