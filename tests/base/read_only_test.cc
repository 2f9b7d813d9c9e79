// read_only_test.cc: verbs read what is const, and refuse to write it.
#include <gtest/gtest.h>

#include "posenc/posenc.h"
#include "tests/support/message.h"

namespace posenc::read_only_test {
namespace {

class ReadOnly : public testing::Test {
 protected:
  // Memory that may be written, and the same kind of memory that may not.
  Tensor own(std::initializer_list<int64_t> shape) {
    Tensor t = tensor(memory_.data() + used_, shape);
    used_ += t.elements();
    return t;
  }
  Tensor kept(std::initializer_list<int64_t> shape) {
    Tensor t = own(shape);
    t.read_only = true;
    return t;
  }
  template <class F>
  void expect_refused(std::string_view verb, const F& f) {
    expect_message(f, "[" + std::string(verb) +
                          "] expected an output that may be written, got read-only f32 [");
  }

 private:
  std::vector<float> memory_ = std::vector<float>(4000);
  int64_t used_ = 0;
};

TEST_F(ReadOnly, Absolute) {
  const auto plan = prepare(Sinusoidal{.dim = 4});
  const Tensor x = kept({3, 4});
  const int32_t ids[] = {0, 1, 2};
  add(plan, x, own({3, 4}), positions(tensor(ids, {3})));
  embed(plan, tensor(ids, {3}), kept({9, 4}), own({3, 4}));
  expect_refused("add", [&] { add(plan, x); });
  expect_refused("add", [&] { add(plan, own({3, 4}), x); });
  expect_refused("fill", [&] { fill(plan, x); });
  expect_refused("embed", [&] { embed(plan, tensor(ids, {3}), own({9, 4}), x); });
  expect_refused("embed_backward", [&] {
    embed_backward(tensor(ids, {3}), own({3, 4}), kept({9, 4}));
  });
  expect_refused("resize", [&] { resize(kept({5, 4}), x, Resize::copy); });
  expect_refused("shift", [&] { shift(Sinusoidal{.dim = 4}, 1).apply(own({3, 4}), x); });
}

TEST_F(ReadOnly, Gradients) {
  const auto learned = prepare(Learned{.dim = 4, .rows = 3}, {.weights = {{kept({3, 4})}}});
  const Tensor dout = kept({3, 4}), to[] = {own({3, 4})}, no[] = {kept({3, 4})};
  backward(learned, dout, to);
  expect_refused("backward", [&] { backward(learned, dout, no); });
  const Rope rope{.dim = 4, .layout = Layout::half, .frequencies = LearnedFrequencies{.axes = 1}};
  const auto plan = prepare(rope, {.weights = {{kept({1, 2, 1})}}});
  backward(plan, {kept({3, 2, 4})}, {kept({3, 2, 4})}, own({1, 2, 1}));
  expect_refused("backward", [&] {
    backward(plan, {kept({3, 2, 4})}, {kept({3, 2, 4})}, kept({1, 2, 1}));
  });
}

TEST_F(ReadOnly, Rotary) {
  const auto plan = prepare(Rope{.dim = 4, .layout = Layout::half});
  const Tensor q = kept({3, 2, 4}), to = own({3, 2, 4});
  rotate(plan, {q}, {to});
  rotate(plan, {to}, {to});
  expect_refused("rotate", [&] { rotate(plan, {q}); });
  expect_refused("rotate", [&] { rotate(plan, {to, q}); });
  expect_refused("rotate_adjoint", [&] { rotate_adjoint(plan, {to}, {q}); });
  expect_refused("rotate_inverse", [&] { rotate_inverse(plan, {to}, {q}); });
  expect_refused("move", [&] { move(plan, range(), plan, range(1), q); });
}

TEST_F(ReadOnly, Scores) {
  const auto plan = prepare(Alibi{.heads = 2});
  const Tensor scores = kept({2, 3, 3}), to = own({2, 3, 3});
  add(plan, scores, to);
  expect_refused("add", [&] { add(plan, scores); });
  expect_refused("fill", [&] { fill(plan, scores); });
  expect_refused("fill_profile", [&] { fill_profile(plan, kept({2, 5}), 0); });
  const auto shaw = prepare(Shaw{.dim = 4, .left = 1, .right = 1}, {.weights = {{kept({3, 4})}}});
  const Tensor q = kept({3, 2, 4});
  add(shaw, {q}, scores, to);
  add_to_outputs(shaw, scores, own({3, 2, 4}));
  backward(shaw, {q}, scores, scores, {.dq = own({3, 2, 4})}, {});
  expect_refused("add", [&] { add(shaw, {q}, scores); });
  expect_refused("add_to_outputs", [&] { add_to_outputs(shaw, scores, q); });
  expect_refused("backward", [&] { backward(shaw, {q}, scores, scores, {.dq = q}, {}); });
}

TEST_F(ReadOnly, Attend) {
  const Tensor q = kept({3, 2, 4}), k = kept({5, 2, 4}), v = kept({5, 2, 4});
  const Plan plans[] = {
      {}, prepare(Rope{.dim = 4, .layout = Layout::half}), prepare(Alibi{.heads = 2})};
  for (const Plan& plan : plans) {
    attend(plan, {q, k, v}, own({3, 2, 4}));
    expect_refused("attend", [&] { attend(plan, {q, k, v}, kept({3, 2, 4})); });
  }
}

TEST_F(ReadOnly, Layouts) {
  const Tensor w = kept({8, 3});
  const HeadSpan span{.heads = 2, .dim = 4};
  convert_layout(w, own({8, 3}), Layout::half, Layout::interleaved, span);
  expect_refused("convert_layout",
                 [&] { convert_layout(w, w, Layout::half, Layout::interleaved, span); });
}

}  // namespace
}  // namespace posenc::read_only_test
