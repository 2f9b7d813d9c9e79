// errors_test.cc: bad input gets one sentence, and nothing is written.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "posenc/posenc.h"
#include "tests/support/elements.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"

namespace posenc::errors_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Good input, to be spoilt in one place.
struct Good {
  Guarded memory{DType::f32, {2, 5, 4}}, other{DType::f32, {9, 4}}, tokens{DType::i32, {2, 5}};
  Guarded f64_ids{DType::f64, {3, 2, 5}}, i64_ids{DType::i64, {2, 5}};
  Tensor x = memory.view(), out = x, embedding = other.view(), ids = tokens.view();
  AbsolutePlan plan = prepare(Sinusoidal{.dim = 4});
  Positions at = range();

  Good() {
    Random random(1);
    for (const Tensor& t : {x, embedding, f64_ids.view()}) randomize(t, random);
    for (const Tensor& t : {ids, i64_ids.view()}) randomize_ids(t, random, 0, 8);
  }

  void fill() { posenc::fill(plan, out, at); }
  void add() { posenc::add(plan, x, out, at); }
  void embed(double scale = 1) { posenc::embed(plan, ids, embedding, out, {scale, at}); }
  void embed_backward(double scale = 1) { posenc::embed_backward(ids, x, embedding, scale); }
  void fill_at(double place) {  // the second token stands there
    set(f64_ids.view(), 1, place);
    at = positions(tensor(static_cast<double*>(f64_ids.view().data), {2, 5}));
    fill();
  }
  void fill_at_id(int64_t place) {
    *static_cast<int64_t*>(element(i64_ids.view(), 7)) = place;
    at = positions(i64_ids.view());
    fill();
  }
};

struct Bad {
  std::function<void(Good&)> call;
  const char* part;
};

void expect_sentences(const std::vector<Bad>& cases) {
  for (const Bad& bad : cases) {
    Good good;
    const auto memory = good.memory.bytes(), other = good.other.bytes();
    const std::string text = message([&] { bad.call(good); });
    EXPECT_NE(text.find(bad.part), text.npos) << "said:   " << text << "\nwanted: " << bad.part;
    EXPECT_EQ(text.find('\n'), text.npos);
    EXPECT_EQ(good.memory.bytes(), memory) << text;
    EXPECT_EQ(good.other.bytes(), other) << text;
  }
}

Tensor resized(Tensor t, int rank, Dims shape) {
  t.rank = rank, t.shape = shape;
  return t;
}

TEST(Errors, Tensors) {
  constexpr int64_t huge = int64_t{1} << 40;
  const char* rows = "[fill] expected table as f32, f64, f16 or bf16 [..., tokens, 4], got ";
  expect_sentences({
      {[](Good& g) { g.out.rank = 1, g.fill(); }, rows},
      {[](Good& g) { g.out.rank = 0, g.fill(); }, rows},
      {[](Good& g) { g.out.rank = -1, g.fill(); }, "got a tensor of rank -1"},
      {[](Good& g) { g.out.rank = 9, g.fill(); }, "got a tensor of rank 9"},
      {[](Good& g) { g.out.dtype = DType::i32, g.fill(); }, "got i32 [2, 5, 4]"},
      {[](Good& g) { g.out.shape[2] = 3, g.fill(); }, "got f32 [2, 5, 3]"},
      {[](Good& g) { g.out.data = nullptr, g.fill(); }, "expected table with data, got a null"},
      {[](Good& g) { g.out.device = static_cast<Device>(7), g.fill(); },
       "expected table on the CPU"},
      {[](Good& g) { g.out.stride[1] = 0, g.fill(); },
       "[fill] expected an output whose elements lie apart, got strides [20, 0, 1] of f32 [2, 5, "
       "4]"},
      {[](Good& g) { g.out.shape[0] = -2, g.fill(); }, "of a size that fits 64 bits"},
      {[](Good& g) {
         g.out = resized(g.out, 3, {huge, huge, 4}), g.fill();
       },
       "fits 64 bits"},
      {[](Good& g) { g.out.dtype = DType::f64, g.add(); }, "expected out as f32 [2, 5, 4] like"},
      {[](Good& g) { g.out.shape[1] = 4, g.add(); }, "got f32 [2, 4, 4]"},
      {[](Good& g) { g.out.rank = 2, g.add(); }, "[add] expected out as f32 [2, 5, 4]"},
      {[](Good& g) { g.out.data = nullptr, g.add(); }, "expected out with data"},
      {[](Good& g) { g.x.data = nullptr, g.add(); }, "expected x with data"},
      {[](Good& g) { g.out.stride[2] = 0, g.add(); }, "overlaps"},
      {[](Good& g) { g.out.data = static_cast<float*>(g.x.data) + 1, g.add(); }, "overlaps"},
      {[](Good& g) { g.x.data = static_cast<float*>(g.x.data) + 39, g.add(); }, "overlaps"},
  });
}

TEST(Errors, Positions) {
  constexpr int64_t most = INT64_MAX, least = INT64_MIN, far = int64_t{1} << 62;
  const char* within = "within 2^62, got ";
  expect_sentences({
      {[](Good& g) {
         g.at = positions(resized(g.x, 2, {2, 5}));
       },
       "f32 counts exactly only to 2^24"},
      {[](Good& g) {
         g.at = {0, resized(g.x, 3, {1, 2, 5})}, g.fill();
       },
       "as i32, i64 or f64 [1,"},
      {[](Good& g) {
         g.at = positions(resized(g.ids, 4, {1, 1, 2, 5}));
       },
       "[positions] expected ["},
      {[](Good& g) { g.at = positions(resized(g.ids, 0, {})); }, "[positions] expected [tokens],"},
      {[](Good& g) {
         g.at = {0, g.ids}, g.fill();
       },
       "[1, 1 or 2, 5], got i32 [2, 5]"},
      {[](Good& g) { g.at = positions(resized(g.ids, 1, {4})), g.fill(); }, "got i32 [1, 1, 4]"},
      {[](Good& g) {
         g.at = positions(resized(g.ids, 2, {3, 5})), g.add();
       },
       "got i32 [1, 3, 5]"},
      {[](Good& g) { g.at = positions(g.f64_ids.view()), g.fill(); },
       "[1, 1 or 2, 5], got f64 [3,"},
      {[](Good& g) { g.ids.data = nullptr, g.at = positions(g.ids), g.fill(); },
       "expected positions with data"},
      {[](Good& g) { g.ids.device = static_cast<Device>(7), g.at = positions(g.ids), g.fill(); },
       "expected positions on the CPU"},
      {[](Good& g) { g.fill_at(nan); }, "expected finite positions within 2^62, got nan"},
      {[](Good& g) { g.fill_at(infinity); }, "expected finite positions"},
      {[](Good& g) { g.fill_at(-infinity); }, "expected finite positions"},
      {[](Good& g) { g.fill_at(0x1.1p62); }, "expected finite positions"},
      {[](Good& g) { g.fill_at_id(most); }, within},
      {[](Good& g) { g.fill_at_id(least); }, within},
      {[](Good& g) { g.at = range(most), g.fill(); }, within},
      {[](Good& g) { g.at = range(least), g.add(); }, within},
      {[](Good& g) { g.at = range(far - 4), g.fill(); }, within},
      {[](Good& g) {
         g.plan = prepare(Nerf{.bands = 1, .include_input = false}),
         g.out = resized(g.out, 2, {5, 6});
         g.fill();
       },
       "expected explicit positions for 3 axes, got a range"},
  });
}

TEST(Errors, Embed) {
  const char* vocabulary = "[embed] expected embedding as f32 [vocabulary, 4], got ";
  expect_sentences({
      {[](Good& g) { g.embedding.dtype = DType::f16, g.embed(); }, vocabulary},
      {[](Good& g) { g.embedding.shape[1] = 3, g.embed(); }, vocabulary},
      {[](Good& g) { g.embedding = g.x, g.embed(); }, vocabulary},
      {[](Good& g) { g.embedding.data = nullptr, g.embed(); }, "expected embedding with data"},
      {[](Good& g) { g.embedding.data = g.out.data, g.embed(); },
       "[embed] expected out apart from the embedding, got memory that overlaps"},
      {[](Good& g) { g.ids.dtype = DType::f32, g.embed(); }, "expected ids as i32 or i64"},
      {[](Good& g) { g.ids.shape[1] = 4, g.embed(); }, "for f32 [2, 5, 4], got i32 [2, 4]"},
      {[](Good& g) { g.ids.rank = 1, g.embed(); }, "got i32 [2]"},
      {[](Good& g) { g.ids.data = nullptr, g.embed(); }, "expected ids with data"},
      {[](Good& g) { set(g.ids, 7, 9), g.embed(); }, "expected ids from 0 to 8, got 9 at token 2"},
      {[](Good& g) { set(g.ids, 9, -1), g.embed(); },
       "expected ids from 0 to 8, got -1 at token 4"},
      {[](Good& g) { g.embed(nan); }, "[embed] expected scale to be finite, got nan"},
      {[](Good& g) { g.embed(infinity); }, "[embed] expected scale to be finite, got inf"},
      {[](Good& g) { g.at = range(INT64_MAX), g.embed(); }, "[embed] expected positions within"},
      {[](Good& g) { g.out.stride[0] = 0, g.embed(); }, "got strides [0, "},
      {[](Good& g) { set(g.ids, 0, 9), g.embed_backward(); }, "expected ids from 0 to 8, got 9"},
      {[](Good& g) { g.embedding.dtype = DType::f64, g.embed_backward(); },
       "expected dembedding as f32"},
      {[](Good& g) { g.embedding.stride[0] = 0, g.embed_backward(); }, "got strides [0, "},
      {[](Good& g) { g.x.rank = 1, g.embed_backward(); }, "expected dout [..., tokens, dim]"},
      {[](Good& g) { g.x.rank = 0, g.embed_backward(); }, "expected dout [..., tokens, dim]"},
      {[](Good& g) { g.embed_backward(nan); }, "[embed_backward] expected scale to be finite"},
  });
}

}  // namespace
}  // namespace posenc::errors_test
