// errors_test.cc: bad input gets one sentence, and nothing is written.
#include <functional>

#include "tests/relative/cases.h"
#include "tests/support/message.h"

namespace posenc::errors_test {
namespace {

// Good input, to be spoilt in one place.
struct Good {
  Guarded memory{DType::f32, {2, 4, 3, 5}}, gradient{DType::f32, {6, 4}},
      i64_ids{DType::i64, {2, 5}}, f64_ids{DType::f64, {2, 5}};
  Random random{1};
  BiasPlan plan = prepare(Alibi{.heads = 4});
  BiasPlan t5 = prepare_random(T5Bias{.heads = 4, .buckets = 6, .max_distance = 5}, random).plan;
  BiasPlan window = prepare_random(WindowBias{.heads = 4, .height = 2, .width = 3}, random).plan;
  BiasPlan fire = prepare_random(Fire{.heads = 4}, random).plan;
  Tensor x = memory.view(), out = x;
  std::vector<Tensor> sums{gradient.view()};
  ScoreOptions options{};

  Good() {
    randomize(x, random), randomize(gradient.view(), random);
    randomize_ids(i64_ids.view(), random, 0, 5), randomize(f64_ids.view(), random, 0, 5);
  }
  void add() { posenc::add(plan, x, out, options); }
  void fill() { posenc::fill(plan, out, options); }
  void backward() { posenc::backward(t5, x, sums, options); }
  void profile(int64_t first, int64_t first_head = 0) {
    posenc::fill_profile(plan, out, first, first_head);
  }
};

struct Bad {
  std::function<void(Good&)> call;
  const char* sentence;
};

void expect_sentences(const std::vector<Bad>& cases) {
  for (const Bad& bad : cases) {
    Good good;
    const auto memory = good.memory.bytes(), gradient = good.gradient.bytes();
    const std::string text = message([&] { bad.call(good); });
    EXPECT_EQ(text, bad.sentence);
    EXPECT_EQ(good.memory.bytes(), memory) << text;
    EXPECT_EQ(good.gradient.bytes(), gradient) << text;
  }
}

TEST(BiasErrors, Scores) {
  expect_sentences({
      {[](Good& g) { g.x.rank = g.out.rank = 2, g.add(); },
       "[add] expected scores as f32, f64, f16 or bf16 [..., heads, queries, keys], got f32 [2, "
       "4]"},
      {[](Good& g) { g.x.dtype = DType::i32, g.add(); },
       "[add] expected scores as f32, f64, f16 or bf16 [..., heads, queries, keys], got i32 [2, 4, "
       "3, 5]"},
      {[](Good& g) { g.x.data = nullptr, g.add(); },
       "[add] expected scores with data, got a null pointer"},
      {[](Good& g) { g.out.shape[3] = 4, g.add(); },
       "[add] expected out as f32 [2, 4, 3, 5] like the input, got f32 [2, 4, 3, 4]"},
      {[](Good& g) { g.out.dtype = DType::bf16, g.add(); },
       "[add] expected out as f32 [2, 4, 3, 5] like the input, got bf16 [2, 4, 3, 5]"},
  });
}

TEST(BiasErrors, OutputsWrittenTwice) {
  for (const auto& verb : {&Good::add, &Good::fill}) {
    Good good;
    good.out.stride[2] = 0;
    const auto memory = good.memory.bytes();
    EXPECT_NE(message([&] { (good.*verb)(); }).find("expected"), std::string::npos);
    EXPECT_EQ(good.memory.bytes(), memory);
  }
}

TEST(BiasErrors, HeadsAndScale) {
  expect_sentences({
      {[](Good& g) { g.plan = prepare(Alibi{.heads = 3}), g.add(); },
       "[add] expected scores of up to 3 heads, got f32 [2, 4, 3, 5]"},
      {[](Good& g) { g.plan = prepare(Alibi{.heads = 8}), g.add(); },
       "[add] expected scores of all 8 heads, or first_head where they hold some of them, got f32 "
       "[2, 4, 3, 5]"},
      {[](Good& g) { g.plan = prepare(Alibi{.heads = 8}), g.fill(); },
       "[fill] expected scores of all 8 heads, or first_head where they hold some of them, got "
       "f32 [2, 4, 3, 5]"},
      {[](Good& g) { g.t5 = prepare_random(T5Bias{.heads = 8}, g.random).plan, g.backward(); },
       "[backward] expected scores of all 8 heads, or first_head where they hold some of them, "
       "got f32 [2, 4, 3, 5]"},
      {[](Good& g) { g.options.first_head = 1, g.add(); },
       "[add] expected first_head from 0 to 0, got 1"},
      {[](Good& g) { g.options.first_head = -1, g.fill(); },
       "[fill] expected first_head from 0 to 0, got -1"},
      {[](Good& g) { g.options.first_head = INT64_MAX, g.fill(); },
       "[fill] expected first_head from 0 to 0, got 9223372036854775807"},
      {[](Good& g) { g.options.scale = NAN, g.add(); },
       "[add] expected scale to be finite, got nan"},
      {[](Good& g) { bias(g.plan, 4, 0, 0); }, "[bias] expected a head from 0 to 3, got 4"},
      {[](Good& g) { bias(g.plan, -1, 0, 0); }, "[bias] expected a head from 0 to 3, got -1"},
  });
}

// Whatever the scheme, nothing is written before all of a call is checked.
TEST(BiasErrors, EveryScheme) {
  Random random(2);
  for (const Bias& scheme : every_bias()) {
    const PreparedBias p = prepare_random(scheme, random);
    Guarded memory(DType::f32, {2, 4, 3, 5}), ids(DType::i64, {2, 5});
    randomize(memory.view(), random), randomize_ids(ids.view(), random, 0, 5);
    *static_cast<int64_t*>(element(ids.view(), 9)) = (int64_t{1} << 52) + 1;
    const auto before = memory.bytes();
    const Tensor& x = memory.view();
    for (const ScoreOptions& bad :
         {ScoreOptions{.first_head = 3}, ScoreOptions{.keys = positions(ids.view())},
          ScoreOptions{.queries = range(INT64_MAX)}, ScoreOptions{.scale = INFINITY}}) {
      EXPECT_NE(message([&] { add(p.plan, x, x, bad); }), "no error") << p.text();
      EXPECT_NE(message([&] { fill(p.plan, x, bad); }), "no error") << p.text();
      const Weights sums = zero_weights(weights(scheme), DType::f32);
      EXPECT_NE(message([&] { backward(p.plan, x, sums.views(), bad); }), "no error") << p.text();
      for (const Tensor& sum : sums.views())
        for (const double s : numbers(sum)) EXPECT_EQ(s, 0) << p.text();
    }
    EXPECT_EQ(memory.bytes(), before) << p.text();
  }
}

TEST(BiasErrors, Positions) {
  expect_sentences({
      {[](Good& g) { g.options.keys = positions(g.f64_ids.view()), g.plan = g.t5, g.add(); },
       "[add] expected whole positions (i32 or i64) for this scheme, got f64"},
      {[](Good& g) { g.options.queries = positions(g.i64_ids.view()), g.add(); },
       "[add] expected positions of queries as i32, i64 or f64 [1, 1 or 2, 3], got i64 [1, 2, 5]"},
      {[](Good& g) { g.options.keys = positions(g.memory.view()), g.add(); },
       "[positions] expected i32, i64 or f64 (f32 counts exactly only to 2^24), got f32 [2, 4, 3, "
       "5]"},
      {[](Good& g) {
         set(g.f64_ids.view(), 3, NAN);
         g.options.keys = positions(g.f64_ids.view()), g.add();
       },
       "[add] expected positions of keys within 2^52, got nan"},
      {[](Good& g) {
         *static_cast<int64_t*>(element(g.i64_ids.view(), 3)) = INT64_MIN;
         g.options.keys = positions(g.i64_ids.view()), g.add();
       },
       "[add] expected positions of keys within 2^52, got -9.22337e+18"},
      {[](Good& g) { g.options.queries = range(INT64_MAX), g.fill(); },
       "[fill] expected positions of queries within 2^52, got 9223372036854775807 and 3 tokens"},
      {[](Good& g) { bias(g.plan, 0, NAN, 0); },
       "[bias] expected positions from -4.5036e+15 to 4.5036e+15, got nan and 0"},
      {[](Good& g) { bias(g.t5, 0, 0.5, 0); },
       "[bias] expected whole positions for this scheme, got 0.5 and 0"},
  });
}

TEST(BiasErrors, Windows) {
  expect_sentences({
      {[](Good& g) { g.plan = g.window, g.options.keys = range(2), g.add(); },
       "[add] expected positions of keys from 0 to 5 for this scheme, got 6"},
      {[](Good& g) { g.plan = g.window, g.options.queries = range(-1), g.fill(); },
       "[fill] expected positions of queries from 0 to 5 for this scheme, got -1"},
      {[](Good& g) {
         set(g.i64_ids.view(), 9, 6);
         g.plan = g.window, g.options.keys = positions(g.i64_ids.view()), g.add();
       },
       "[add] expected positions of keys from 0 to 5 for this scheme, got 6"},
      {[](Good& g) { bias(g.window, 0, 0, 6); },
       "[bias] expected positions from 0 to 5, got 0 and 6"},
  });
}

TEST(BiasErrors, Profiles) {
  const auto flat = [](Good& g) { g.out = tensor(static_cast<float*>(g.out.data), {4, 30}); };
  expect_sentences({
      {[](Good& g) { g.profile(0); },
       "[fill_profile] expected a profile as f32, f64, f16 or bf16 [heads, any], got f32 [2, 4, 3, "
       "5]"},
      {[&](Good& g) { flat(g), g.plan = g.fire, g.profile(0); },
       "[fill_profile] expected a scheme that reads the distance, the key or an entry, got one "
       "that "
       "reads query and key"},
      {[&](Good& g) { flat(g), g.profile(0, 1); },
       "[fill_profile] expected first_head from 0 to 0, got 1"},
      {[&](Good& g) { flat(g), g.plan = g.window, g.profile(0); },
       "[fill_profile] expected entries from 0 to 14, got 30 from 0 on"},
      {[&](Good& g) { flat(g), g.plan = g.window, g.profile(INT64_MAX); },
       "[fill_profile] expected entries from 0 to 14, got 30 from 9223372036854775807 on"},
      {[&](Good& g) { flat(g), g.profile(INT64_MAX); },
       "[fill_profile] expected positions of keys within 2^52, got 9223372036854775807 and 30 "
       "tokens"},
  });
}

TEST(BiasErrors, Gradients) {
  expect_sentences({
      {[](Good& g) { g.sums.clear(), g.backward(); }, "[backward] expected 1 gradients, got 0"},
      {[](Good& g) { g.sums[0].shape[0] = 5, g.backward(); },
       "[backward] expected the gradient of a weight as f32 [6, 4] like the input, got f32 [5, 4]"},
      {[](Good& g) { g.sums[0].dtype = DType::bf16, g.backward(); },
       "[backward] expected the gradient of a weight as f32 [6, 4] like the input, got bf16 [6, "
       "4]"},
      {[](Good& g) { g.options.first_head = 2, g.backward(); },
       "[backward] expected first_head from 0 to 0, got 2"},
  });
}

}  // namespace
}  // namespace posenc::errors_test
