// errors_test.cc: bad queries, keys and positions get one sentence, and nothing is written.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "posenc/posenc.h"
#include "tests/support/elements.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"
#include "tests/support/weights.h"

namespace posenc::errors_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Good input, to be spoilt in one place.
struct Good {
  Guarded q_memory{DType::f32, {2, 5, 3, 8}}, k_memory{DType::f32, {2, 5, 2, 8}};
  Guarded f64_ids{DType::f64, {1, 2, 5}}, i64_ids{DType::i64, {2, 5}};
  QueriesKeys in{q_memory.view(), k_memory.view()}, out = in;
  Rope rope{.dim = 8, .layout = Layout::half};
  Positions at = range();
  std::vector<double> learned = std::vector<double>(64, 0.5);

  Good() {
    Random random(1);
    for (const Tensor& t : {in.q, in.k}) randomize(t, random);
    for (const Tensor& t : {f64_ids.view(), i64_ids.view()}) randomize_ids(t, random, 0, 8);
  }
  RotaryPlan plan() const {
    const auto wanted = rope.weights();
    if (wanted.empty()) return prepare(rope);
    const Tensor w = tensor(const_cast<double*>(learned.data()), DType::f64, wanted[0].shape);
    return prepare(rope, {.weights = std::span(&w, 1)});
  }
  void rotate() { posenc::rotate(plan(), in, out, at); }
  void adjoint() { posenc::rotate_adjoint(plan(), in, out, at); }
  void inverse() { posenc::rotate_inverse(plan(), in, out, at); }
  void move() { posenc::move(plan(), at, plan(), range(3), out.k); }
  void both(const std::function<void(Tensor&)>& spoil) { spoil(in.q), spoil(out.q); }
  void rotate_at(double place) {
    set(f64_ids.view(), 1, place);
    at = positions(f64_ids.view());
    rotate();
  }
  void rotate_at_id(int64_t place) {
    *static_cast<int64_t*>(element(i64_ids.view(), 7)) = place;
    at = positions(i64_ids.view());
    rotate();
  }
};

struct Bad {
  std::function<void(Good&)> call;
  const char* part;
};

void expect_sentences(const std::vector<Bad>& cases) {
  for (const Bad& bad : cases) {
    Good good;
    const auto q = good.q_memory.bytes(), k = good.k_memory.bytes();
    const std::string text = message([&] { bad.call(good); });
    EXPECT_NE(text.find(bad.part), text.npos) << "said:   " << text << "\nwanted: " << bad.part;
    EXPECT_EQ(text.find('\n'), text.npos);
    EXPECT_EQ(good.q_memory.bytes(), q) << text;
    EXPECT_EQ(good.k_memory.bytes(), k) << text;
  }
}

TEST(RotaryErrors, Tensors) {
  constexpr int64_t huge = int64_t{1} << 40;
  const char* heads = "[rotate] expected q as f32, f64, f16 or bf16 [..., tokens, heads, 8], got ";
  const auto q = [](auto change) { return [change](Good& g) { g.both(change), g.rotate(); }; };
  expect_sentences({
      {[](Good& g) { g.in = g.out = {}, g.rotate(); },
       "[rotate] expected q, k or both, got neither"},
      {q([](Tensor& t) { t.rank = 2; }), heads},
      {q([](Tensor& t) { t.rank = -1; }), "got a tensor of rank -1"},
      {q([](Tensor& t) { t.rank = 9; }), "got a tensor of rank 9"},
      {q([](Tensor& t) { t.dtype = DType::i32; }), "got i32 [2, 5, 3, 8]"},
      {q([](Tensor& t) { t.shape[3] = 6; }), "got f32 [2, 5, 3, 6]"},
      {q([](Tensor& t) { t.data = nullptr; }), "[rotate] expected q with data, got a null pointer"},
      {q([](Tensor& t) { t.device = static_cast<Device>(7); }), "[rotate] expected q on the CPU"},
      {q([](Tensor& t) { t.shape[0] = -2; }), "of a size that fits 64 bits"},
      {q([=](Tensor& t) { t.shape[0] = t.shape[1] = huge; }), "of a size that fits 64 bits"},
      {[](Good& g) { g.out.q.stride[1] = 0, g.rotate(); }, "overlaps"},
      {[](Good& g) { g.out.q = {}, g.rotate(); },
       "expected q of the output as f32 [2, 5, 3, 8] like the input, got f32 []"},
      {[](Good& g) { g.in.k = {}, g.rotate(); }, "[rotate] expected k as f32"},
      {[](Good& g) { g.out.k.dtype = DType::f16, g.rotate(); }, "expected k of the output as f32"},
      {[](Good& g) { g.out.k.data = nullptr, g.rotate(); }, "expected k of the output with data"},
      {[](Good& g) { g.out.q.data = static_cast<float*>(g.in.q.data) + 1, g.rotate(); },
       "expected the output to be the input or apart from it, got memory that overlaps"},
      {[](Good& g) { g.in.k.data = g.out.k.data = g.in.q.data, g.rotate(); }, "overlaps"},
      {[](Good& g) { g.out.k.data = g.in.q.data, g.rotate(); }, "overlaps"},
  });
}

TEST(RotaryErrors, QueriesThatDoNotFitKeys) {
  const char* differ =
      "[rotate] expected q and k of one type that differ in their heads only, got ";
  const auto k = [](auto change) {
    return [change](Good& g) { change(g.in.k), change(g.out.k), g.rotate(); };
  };
  expect_sentences({
      {k([](Tensor& t) { t.dtype = DType::bf16; }), differ},
      {k([](Tensor& t) { t.shape[1] = 4; }), differ},
      {k([](Tensor& t) { t.shape[0] = 1; }), differ},
      {k([](Tensor& t) {
         t.rank = 3, t.shape = {5, 2, 8}, t.stride = {16, 8, 1};
       }),
       differ},
  });
}

TEST(RotaryErrors, HeadsThatAreNotThere) {
  expect_sentences({
      {[](Good& g) { g.rope.first_head = 4, g.rotate(); },
       "expected q with the heads first_head 4 and rotary_heads speak of, got 3 heads"},
      {[](Good& g) { g.rope.first_head = -4, g.rotate(); }, "first_head -4"},
      {[](Good& g) { g.rope.first_head = -3, g.rotate(); },
       "expected k with the heads first_head -3 and rotary_heads speak of, got 2 heads"},
      {[](Good& g) { g.rope.rotary_heads = 3, g.rotate(); }, "expected k with the heads"},
      {[](Good& g) { g.rope.rotary_heads = 2, g.rope.first_head = 1, g.adjoint(); },
       "[rotate_adjoint] expected k with the heads"},
      {[](Good& g) {
         g.rope.frequencies = LearnedFrequencies{3, 1}, g.rotate();
       },
       "expected k with 3 rotating heads, as many as have frequencies, phases or "
       "coefficients, or a multiple of them that share these, got 2"},
      {[](Good& g) {
         g.rope.frequencies = LearnedFrequencies{4, 1}, g.inverse();
       },
       "[rotate_inverse] expected q with 4 rotating heads, as many as have frequencies, phases or "
       "coefficients, or a multiple of them that share these, got 3"},
  });
}

TEST(RotaryErrors, Positions) {
  constexpr int64_t far = int64_t{1} << 62;
  const char* within = "expected positions within 2^62, got ";
  expect_sentences({
      {[](Good& g) { g.rotate_at(nan); }, "expected finite positions within 2^62, got nan"},
      {[](Good& g) { g.rotate_at(std::numeric_limits<double>::infinity()); }, "expected finite"},
      {[](Good& g) { g.rotate_at(0x1.1p62); }, "expected finite positions within 2^62"},
      {[](Good& g) { g.rotate_at_id(INT64_MAX); }, within},
      {[](Good& g) { g.rotate_at_id(INT64_MIN); }, within},
      {[](Good& g) { g.at = range(INT64_MAX), g.adjoint(); }, within},
      {[](Good& g) { g.at = range(far - 4), g.inverse(); }, within},
      {[](Good& g) { g.at = range(-far - 1), g.move(); }, "[move] expected positions within 2^62"},
      {[](Good& g) { g.at = positions(g.in.q), g.rotate(); }, "[positions] expected"},
      {[](Good& g) { g.at = positions(tensor<int64_t>(nullptr, {5})), g.rotate(); },
       "expected positions with data"},
      {[](Good& g) {
         Tensor ids = g.i64_ids.view();
         ids.shape[1] = 4, g.at = positions(ids), g.rotate();
       },
       "[1, 1 or 2, 5], got i64 [1, 2, 4]"},
      {[](Good& g) {
         g.rope.axes = Chunked{{2, 1, 1}}, g.at = positions(g.i64_ids.view()), g.rotate();
       },
       "expected positions as i32, i64 or f64 [3, 1 or 2, 5], got i64 [1, 2, 5]"},
  });
}

TEST(RotaryErrors, FactorsThatOverflowOrVanish) {
  const char* warm = "expected positions where the temperature on q is positive, got ";
  const char* near = "expected positions near decay.center, where xPos does not overflow, got ";
  expect_sentences({
      {[](Good& g) { g.rope.decay = XPos{}, g.rotate_at(1e9); }, near},
      {[](Good& g) { g.rope.decay = XPos{}, g.rotate_at_id(1'000'000'000); }, near},
      {[](Good& g) { g.rope.decay = XPos{}, g.at = range(-1'000'000), g.rotate(); }, near},
      {[](Good& g) { g.rope.decay = XPos{}, g.at = range(1'000'000), g.move(); }, near},
      {[](Good& g) { g.rope.temperature = LogTemperature{}, g.rotate_at(-1e5); }, warm},
      {[](Good& g) {
         g.rope.temperature = LogTemperature{.scale = -9, .floor = 1}, g.at = range(5), g.rotate();
       },
       warm},
  });
}

}  // namespace
}  // namespace posenc::errors_test
