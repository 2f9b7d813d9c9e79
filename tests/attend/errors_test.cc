// attend_errors_test.cc: bad input gets one sentence, and nothing is written.
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/attention.h"
#include "tests/support/message.h"
#include "tests/support/weights.h"

namespace posenc::errors_test {
namespace {

// Good input, to be spoilt in one place.
struct Good {
  Inputs x{DType::f32, {.queries = 5, .keys = 7, .heads = 4, .dim = 8, .value_dim = 6}, 1};
  QueriesKeysValues in{x.q(), x.k(), x.v()};
  Tensor out = x.out();
  Plan encoding{};
  AttendOptions options{};
  void attend() { posenc::attend(encoding, in, out, options); }
};

struct Bad {
  std::function<void(Good&)> spoil;
  const char* part;
};

void expect_sentences(const std::vector<Bad>& cases) {
  for (const Bad& bad : cases) {
    Good good;
    const auto before = good.x.out_memory.bytes();
    bad.spoil(good);
    expect_message([&] { good.attend(); }, bad.part);
    EXPECT_EQ(good.x.out_memory.bytes(), before) << bad.part;
  }
}

TEST(AttendErrors, Tensors) {
  constexpr int64_t huge = int64_t{1} << 40;
  const char* q = "[attend] expected q as f32, f64, f16 or bf16 [..., queries, heads, dim], got ";
  const char* k =
      "[attend] expected k like q, f32 [2, 5, 4, 8], but for its tokens and heads, got ";
  const char* v = "[attend] expected v like k, f32 [2, 7, 2, 8], but for its last axis, got ";
  expect_sentences({
      {[](Good& g) { g.in.q = {}; }, q},
      {[](Good& g) { g.in.q.rank = 9; }, q},
      {[](Good& g) { g.in.q.rank = -1; }, q},
      {[](Good& g) { g.in.q.dtype = DType::i64; }, q},
      {[](Good& g) { g.in.q.shape[3] = 0; }, q},
      {[](Good& g) { g.in.q.data = nullptr; }, "[attend] expected q with data"},
      {[](Good& g) { g.in.q.device = Device::cuda; },
       "[attend] expected q, k, v and out on the CPU"},
      {[=](Good& g) { g.in.q.shape[0] = g.in.q.shape[1] = huge; }, "fits 64 bits"},
      {[](Good& g) { g.in.k = {}; }, k},
      {[](Good& g) { g.in.k.dtype = DType::f16; }, k},
      {[](Good& g) { g.in.k.shape[0] = 1; }, k},
      {[](Good& g) { g.in.k.shape[3] = 6; }, k},
      {[](Good& g) { g.in.k.data = nullptr; }, "[attend] expected k with data"},
      {[](Good& g) { g.in.k.shape[2] = 3; },
       "[attend] expected k with a number of heads that divides 4, got 3"},
      {[](Good& g) { g.in.k.shape[2] = 0; }, "that divides 4, got 0"},
      {[](Good& g) { g.in.v = {}; }, v},
      {[](Good& g) { g.in.v.shape[1] = 6; }, v},
      {[](Good& g) { g.in.v.shape[2] = 1; }, v},
      {[](Good& g) { g.in.v.data = nullptr; }, "[attend] expected v with data"},
      {[](Good& g) { g.out.shape[3] = 8; },
       "[attend] expected out as f32 [2, 5, 4, 6] like the input, got f32 [2, 5, 4, 8]"},
      {[](Good& g) { g.out.dtype = DType::bf16; }, "expected out as f32"},
      {[](Good& g) { g.out.data = nullptr; }, "expected out with data"},
      {[](Good& g) { g.out.stride[0] = 0; }, "got strides [0, "},
      {[](Good& g) { g.out.data = static_cast<float*>(g.in.v.data) + 1; }, "overlaps"},
  });
}

TEST(AttendErrors, OutputThatIsKeysOrValues) {
  const Inputs x(DType::f32, {.queries = 7, .keys = 7, .heads = 2, .dim = 8, .value_dim = 8}, 2);
  for (const Tensor& out : {x.k(), x.v()})
    expect_message(
        [&] {
          attend({}, {x.q(), x.k(), x.v()}, out);
        },
        "[attend] expected out apart from ");
}

// What reads hidden states would take queries for them.
TEST(AttendErrors, HiddenStates) {
  const GatedT5 s{.dim = 8, .heads = 4, .buckets = 8, .max_distance = 9};
  const Weights w = zero_weights(s.weights(), DType::f32);
  const ContentPlan gated = prepare(s, {.weights = w.views()});
  expect_sentences({{[=](Good& g) { g.encoding = gated; },
                     "[attend] expected a plan that reads queries and keys, got one of gated-t5, "
                     "which reads hidden states: add() takes them"}});
}

TEST(AttendErrors, OptionsAndPositions) {
  const int64_t ids[] = {0, 1, 2, 3};
  const Positions four = positions(tensor(ids, {4}));
  const double far[] = {0, 1, 2, 3, NAN}, half[] = {0, 1, 2, 3, 0.5};
  const Positions nan = positions(tensor(far, {5})), real = positions(tensor(half, {5}));
  const float table[3 * 6] = {};
  const Tensor w = tensor(table, {3, 6});
  const ContentPlan shaw = prepare(Shaw{.dim = 6, .left = 1, .right = 1}, {.weights = {&w, 1}});
  expect_sentences({
      {[](Good& g) { g.options.scale = NAN; }, "[attend] expected"},
      {[=](Good& g) { g.options.queries = four; }, "positions of queries"},
      {[=](Good& g) { g.options.keys = four; }, "positions of keys"},
      {[=](Good& g) { g.options.queries = nan; }, "positions of queries within 2^52"},
      {[](Good& g) { g.options.keys = range(int64_t{1} << 60); }, "positions of keys within 2^52"},
      {[](Good& g) { g.encoding = prepare(Rope{.dim = 16, .layout = Layout::half}); },
       "[attend] expected q with 16 features, as the scheme has, got 8"},
      {[](Good& g) { g.encoding = prepare(Alibi{.heads = 3}); },
       "up to 3 heads, got f32 [2, 4, 5, 7]"},
      {[](Good& g) { g.encoding = prepare(Alibi{.heads = 8}); },
       "[attend] expected scores of all 8 heads, or first_head where they hold some of them, got "
       "f32 [2, 4, 5, 7]"},
      {[](Good& g) { g.encoding = prepare(Alibi{.heads = 8}), g.options.first_head = 5; },
       "[attend] expected first_head from 0 to 4, got 5"},
      {[=](Good& g) { g.encoding = shaw; },
       "[attend] expected q with 6 features, as the scheme has, got 8"},
      {[](Good& g) { g.encoding = prepare(Forgetting{}); },
       "[attend] expected gates as f32 [2, 7, 4]"},
      {[](Good& g) { g.options.values = prepare(Forgetting{}); },
       "[attend] expected values as the plan of a shaw with the 6 features of v, got forgetting"},
      {[=](Good& g) { g.options.values = shaw, g.options.queries = real; },
       "[attend] expected whole positions"},
  });
}

TEST(AttendErrors, AbsolutePlansActBefore) {
  const Good g;
  expect_message([&] { g.x.attend(prepare(Sinusoidal{.dim = 8})); },
                 "[attend] expected a plan that acts on queries, keys or scores, got one that is "
                 "added to the input before they exist");
}

TEST(AttendErrors, OtherSchemesByNameDoNot) {
  const Good g;
  const Plan rope = prepare(make_scheme("rope", {{"dim", "8"}, {"layout", "half"}}));
  g.x.attend(rope);
  const auto by_name = numbers(g.x.out());
  g.x.attend(prepare(Rope{.dim = 8, .layout = Layout::half}));
  EXPECT_EQ(numbers(g.x.out()), by_name);
}

}  // namespace
}  // namespace posenc::errors_test
