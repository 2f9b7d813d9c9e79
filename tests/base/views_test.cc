// views_test.cc: verbs refuse to write where they read or wrote, and take views of one buffer.
#include <gtest/gtest.h>

#include <functional>

#include "posenc/posenc.h"
#include "tests/support/message.h"
#include "tests/support/random.h"

namespace posenc::views_test {
namespace {

using List = std::vector<int64_t>;

// One piece of memory, and views of it: float by float.
struct Memory {
  static constexpr int64_t zeros = 2000;  // here, whatever type they are read as
  std::vector<float> numbers = std::vector<float>(4096);

  Memory() {
    Random random(1);
    for (float& x : numbers) x = static_cast<float>(random.real());
    std::fill(numbers.begin() + zeros, numbers.begin() + zeros + 100, 0.0f);
  }
  Tensor at(int64_t first, const List& shape) {
    return tensor(numbers.data() + first, DType::f32, shape);
  }
  Tensor at(int64_t first, const List& shape, const List& stride) {
    Tensor t = at(first, shape);
    std::copy(stride.begin(), stride.end(), t.stride.begin());
    return t;
  }
};

struct Call {
  const char* name;
  std::function<void(Memory&)> call;
};

void expect_refused(const std::vector<Call>& calls) {
  for (const Call& c : calls) {
    Memory m;
    const auto before = m.numbers;
    const std::string said = message([&] { c.call(m); });
    EXPECT_NE(said.find("memory"), said.npos) << c.name << " said: " << said;
    EXPECT_EQ(m.numbers, before) << c.name;
  }
}

const Sinusoidal sinusoidal{.dim = 4};
const Rope rope{.dim = 4, .layout = Layout::half};

TEST(Views, AbsoluteVerbsRefuse) {
  const Learned learned{.dim = 4, .rows = 8};
  expect_refused({
      {"add into the transposed view",
       [](Memory& m) {
         add(prepare(sinusoidal), m.at(0, {4, 4}), permuted(m.at(0, {4, 4}), {1, 0}));
       }},
      {"add shifted rows",
       [](Memory& m) {
         add(prepare(sinusoidal), m.at(0, {5, 4}, {8, 1}), m.at(2, {5, 4}, {8, 1}));
       }},
      {"fill rows that overlap",
       [](Memory& m) {
         fill(sinusoidal, m.at(0, {4, 4}, {2, 1}));
       }},
      {"fill one row again and again",
       [](Memory& m) {
         fill(sinusoidal, m.at(0, {4, 4}, {0, 1}));
       }},
      {"fill batches that overlap",
       [](Memory& m) {
         add(sinusoidal, m.at(0, {2, 3, 4}, {8, 4, 1}));
       }},
      {"fill over the learned table",
       [&](Memory& m) {
         fill(learned, m.at(20, {3, 4}), range(), {.weights = {{m.at(0, {8, 4})}}});
       }},
      {"fill over positions",
       [](Memory& m) {
         fill(sinusoidal, m.at(2, {3, 4}),
              positions(tensor(reinterpret_cast<int32_t*>(m.numbers.data()), {3})));
       }},
      {"embed into the embedding",
       [](Memory& m) {
         const int32_t ids[] = {0, 1, 2};
         embed(sinusoidal, tensor(ids, {3}), m.at(0, {9, 4}, {8, 1}), m.at(2, {3, 4}, {8, 1}));
       }},
      {"embed into the ids",
       [](Memory& m) {
         auto* ids = reinterpret_cast<int32_t*>(m.numbers.data() + m.zeros);
         embed(sinusoidal, tensor(ids, {3}), m.at(0, {9, 4}), m.at(m.zeros - 10, {3, 4}));
       }},
      {"backward into dout",
       [&](Memory& m) {
         backward(prepare(learned, {.weights = {{m.at(100, {8, 4})}}}), m.at(0, {5, 4}),
                  {{m.at(4, {8, 4})}});
       }},
      {"embed_backward into dout",
       [](Memory& m) {
         const int32_t ids[] = {0, 1, 2};
         embed_backward(tensor(ids, {3}), m.at(0, {3, 4}), m.at(8, {9, 4}));
       }},
      {"resize over the table",
       [](Memory& m) {
         resize(m.at(0, {5, 4}, {8, 1}), m.at(2, {9, 4}, {8, 1}), Resize::linear);
       }},
      {"shift into the transposed view",
       [](Memory& m) {
         shift(sinusoidal, 3).apply(m.at(0, {4, 4}), m.at(0, {4, 4}, {1, 4}));
       }},
      {"convert_layout of rows into other rows",
       [](Memory& m) {
         convert_layout(m.at(0, {8, 3}, {6, 1}), m.at(2, {8, 3}, {6, 1}), Layout::half,
                        Layout::interleaved, {.heads = 2, .dim = 4});
       }},
  });
}

TEST(Views, RotaryVerbsRefuse) {
  const Rope learned{.dim = 4, .layout = Layout::half, .frequencies = LearnedFrequencies{1, 1}};
  expect_refused({
      {"rotate [t, h, d] into [h, t, d]",
       [](Memory& m) {
         const Tensor x = m.at(0, {3, 3, 4});
         rotate(prepare(rope), {.q = x}, {.q = permuted(x, {1, 0, 2})});
       }},
      {"rotate q and k that are one",
       [](Memory& m) {
         rotate(rope, {m.at(0, {3, 2, 4}), m.at(0, {3, 2, 4})});
       }},
      {"rotate q and k that share a feature",
       [](Memory& m) {
         rotate(rope, {m.at(0, {3, 2, 4}, {16, 4, 1}), m.at(7, {3, 1, 4}, {16, 4, 1})});
       }},
      {"rotate q into what k is read from",
       [](Memory& m) {
         rotate(prepare(rope), {m.at(0, {3, 1, 4}), m.at(50, {3, 1, 4})},
                {m.at(53, {3, 1, 4}), m.at(100, {3, 1, 4})});
       }},
      {"rotate tokens that overlap",
       [](Memory& m) {
         rotate(rope, {.k = m.at(0, {3, 2, 4}, {4, 4, 1})});
       }},
      {"rotate_inverse of overlapping heads",
       [](Memory& m) {
         const Tensor x = m.at(0, {3, 2, 4}, {16, 3, 1});
         rotate_inverse(prepare(rope), {.k = x}, {.k = x});
       }},
      {"rotate_adjoint into shifted memory",
       [](Memory& m) {
         rotate_adjoint(prepare(rope), {.k = m.at(0, {3, 2, 4})}, {.k = m.at(4, {3, 2, 4})});
       }},
      {"move keys that overlap",
       [](Memory& m) {
         move(prepare(rope), range(), prepare(rope), range(3), m.at(0, {3, 2, 4}, {4, 4, 1}));
       }},
      {"backward into x",
       [&](Memory& m) {
         const Tensor x = m.at(0, {3, 1, 4}), w = m.at(500, {1, 2, 1});
         backward(prepare(learned, {.weights = {{w}}}), {.k = x}, {.k = m.at(100, {3, 1, 4})},
                  m.at(5, {1, 2, 1}));
       }},
  });
}

TEST(Views, BiasVerbsRefuse) {
  const Alibi alibi{.heads = 3};
  const T5Bias t5{.heads = 3, .buckets = 6, .max_distance = 5};
  const WindowSize small{2, 2}, large{3, 3};
  expect_refused({
      {"add into the transposed view",
       [&](Memory& m) {
         add(prepare(alibi), m.at(0, {3, 5, 5}), permuted(m.at(0, {3, 5, 5}), {0, 2, 1}));
       }},
      {"add to scores of which heads are one",
       [&](Memory& m) {
         add(alibi, m.at(0, {3, 5, 5}, {0, 5, 1}));
       }},
      {"fill queries that overlap",
       [&](Memory& m) {
         fill(alibi, m.at(0, {3, 5, 5}, {25, 4, 1}));
       }},
      {"fill_profile of heads that overlap",
       [&](Memory& m) {
         fill_profile(prepare(alibi), m.at(0, {3, 9}, {8, 1}), 0);
       }},
      {"backward into dout",
       [&](Memory& m) {
         backward(prepare(t5, {.weights = {{m.at(500, {6, 3})}}}), m.at(0, {3, 5, 5}),
                  {{m.at(70, {6, 3})}});
       }},
      {"resize_window over the table",
       [&](Memory& m) {
         resize_window(m.at(0, {9, 3}), m.at(26, {25, 3}), small, large, WindowResize::linear);
       }},
  });
}

TEST(Views, ContentVerbsAndAttendRefuse) {
  const Shaw shaw{.dim = 4, .heads = 0, .left = 2, .right = 2};
  const auto plan = [=](Memory& m) { return prepare(shaw, {.weights = {{m.at(3000, {5, 4})}}}); };
  expect_refused({
      {"add into q",
       [&](Memory& m) {
         add(plan(m), {.q = m.at(0, {5, 2, 4})}, m.at(100, {2, 5, 5}), m.at(30, {2, 5, 5}));
       }},
      {"add into the transposed view",
       [&](Memory& m) {
         const Tensor scores = m.at(100, {2, 5, 5});
         add(plan(m), {.q = m.at(0, {5, 2, 4})}, scores, permuted(scores, {0, 2, 1}));
       }},
      {"backward into dout",
       [&](Memory& m) {
         backward(plan(m), {.q = m.at(0, {5, 2, 4})}, m.at(100, {2, 5, 5}), m.at(200, {2, 5, 5}),
                  {.dscores = m.at(249, {2, 5, 5})}, {});
       }},
      {"backward into dq and dscores that overlap",
       [&](Memory& m) {
         backward(plan(m), {.q = m.at(0, {5, 2, 4})}, m.at(100, {2, 5, 5}), m.at(200, {2, 5, 5}),
                  {.dq = m.at(300, {5, 2, 4}), .dscores = m.at(339, {2, 5, 5})}, {});
       }},
      {"add_to_outputs into the probabilities",
       [&](Memory& m) {
         add_to_outputs(plan(m), m.at(0, {2, 5, 5}), m.at(20, {5, 2, 4}));
       }},
      {"outputs_backward into dout",
       [&](Memory& m) {
         outputs_backward(plan(m), m.at(0, {2, 5, 5}), m.at(100, {5, 2, 4}), {},
                          {{m.at(130, {5, 4})}});
       }},
      {"attend into v",
       [&](Memory& m) {
         attend(Plan{}, {m.at(0, {5, 2, 4}), m.at(100, {5, 2, 4}), m.at(200, {5, 2, 4})},
                m.at(200, {5, 2, 4}));
       }},
      {"attend into other rows of k",
       [&](Memory& m) {
         attend(Plan{},
                {m.at(0, {5, 2, 4}), m.at(100, {5, 2, 4}, {16, 4, 1}), m.at(300, {5, 2, 4})},
                m.at(118, {5, 2, 4}, {16, 8, 1}));
       }},
      {"attend into outputs that overlap",
       [&](Memory& m) {
         attend(prepare(rope), {m.at(0, {5, 2, 4}), m.at(100, {5, 2, 4}), m.at(200, {5, 2, 4})},
                m.at(300, {5, 2, 4}, {4, 4, 1}));
       }},
  });
}

// Elements of a view, one after the other.
std::vector<float> copied(const Tensor& t) {
  std::vector<float> out;
  for (int64_t n = 0; n < t.elements(); ++n) {
    int64_t at = 0, rest = n;
    for (int i = t.rank - 1; i >= 0; --i) at += rest % t.size(i) * t.step(i), rest /= t.size(i);
    out.push_back(static_cast<const float*>(t.data)[at]);
  }
  return out;
}

// Queries and keys side by side in one buffer, in the orders that engines have.
TEST(Views, SlicesOfAFusedBufferTurnInPlace) {
  constexpr int64_t tokens = 7, heads = 3, dim = 4;
  const List shape{2, tokens, heads, dim};
  const List orders[] = {{tokens * 36, 36, dim, 1},            // [batch, tokens, 3, heads, dim]
                         {tokens * 36, 36, 3 * dim, 1},        // [batch, tokens, heads, 3, dim]
                         {tokens * 36, dim, tokens * 12, 1}};  // [batch, heads, 3, tokens, dim]
  const int64_t next[] = {heads * dim, dim, tokens * dim};
  for (size_t i = 0; i < 3; ++i) {
    Memory m;
    const Tensor q = m.at(0, shape, orders[i]), k = m.at(next[i], shape, orders[i]);
    const Tensor v = m.at(2 * next[i], shape, orders[i]);
    auto dense_q = copied(q), dense_k = copied(k);
    const auto kept = copied(v);
    rotate(rope, {q, k}, range(9));
    rotate(rope,
           {tensor(dense_q.data(), DType::f32, shape), tensor(dense_k.data(), DType::f32, shape)},
           range(9));
    EXPECT_EQ(copied(q), dense_q) << i;
    EXPECT_EQ(copied(k), dense_k) << i;
    EXPECT_EQ(copied(v), kept) << i;
  }
}

TEST(Views, InPlaceHoweverTheAxesOfOneElementStep) {
  Memory m;
  const Tensor x = m.at(0, {1, 4}), same = m.at(0, {1, 4}, {77, 1});
  auto expected = copied(x);
  add(sinusoidal, tensor(expected.data(), {1, 4}), range(3));
  add(prepare(sinusoidal), x, same, range(3));
  EXPECT_EQ(copied(x), expected);
}

}  // namespace
}  // namespace posenc::views_test
