// move_test.cc: moved keys against the turn from one place to the other.
#include "tests/rotary/stand.h"
#include "tests/support/every_target.h"

namespace posenc::move_test {
namespace {

Rope plain(Layout layout) { return {.dim = 20, .layout = layout, .rotary_dim = 14}; }

TEST(Move, ByAConstant) {
  for_every_target([] {
    for (const Layout layout : all_layouts)
      for (const Placement placement : all_placements)
        expect_move({plain(layout), 0, TestPlaces(1000)}, {plain(layout), 0, TestPlaces(37)},
                    {.placement = placement});
  });
  for (const int64_t tokens : {1, 64, 65, 130})
    expect_move({plain(Layout::half), 0, TestPlaces(int64_t{1} << 31)},
                {plain(Layout::half), 0, TestPlaces(5)}, {.rows = 1, .tokens = tokens, .heads = 1});
}

TEST(Move, EachTokenByItsOwnStep) {
  Random random(2);
  for (const DType ids : {DType::i32, DType::i64, DType::f64})
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{21}, {2, 21}}) {
      const TestPlaces was(ids, shape, random, -1000, 1'000'000), is(ids, shape, random, 0, 99);
      const Rope rope = plain(Layout::half);
      expect_move({rope, 0, was}, {rope, 0, is});
      expect_move({rope, 0, TestPlaces(77)}, {rope, 0, is});
      expect_move({rope, 0, was}, {rope, 0, TestPlaces(-3)});
    }
}

TEST(Move, ToAnotherBaseRuleOrLength) {
  Random random(3);
  const TestPlaces at(DType::i64, {2, 21}, random, 0, 4095),
      other(DType::i32, {21}, random, 0, 9999);
  Rope dynamic = plain(Layout::half), longrope = dynamic, base = dynamic, shifted = dynamic;
  dynamic.scaling = DynamicNtk{2, 4096};
  longrope.scaling = LongRope{{1, 1.1, 1, 1.2, 1, 1, 1.05}, {1, 2, 4, 8, 16, 20, 30}, 4096, 32};
  base.base = 500000, shifted.offset = 17;
  expect_move({dynamic, 5000, at}, {dynamic, 9000, at});
  expect_move({dynamic, 4096, at}, {dynamic, 10001, other});
  EXPECT_GT(prepare(longrope, {.length = 5000}).cos_sin_factor(), 1.1);
  expect_move({longrope, 4096, at}, {longrope, 4097, at});
  expect_move({plain(Layout::half), 0, at}, {base, 0, at});
  expect_move({plain(Layout::half), 0, at}, {shifted, 0, at});
}

TEST(Move, MagnitudesThatDiffer) {
  Rope yarn = plain(Layout::interleaved), xpos = yarn;
  yarn.scaling = Yarn{.factor = 40};
  xpos.decay = XPos{.center = 100};
  expect_move({plain(Layout::interleaved), 0, TestPlaces(50)}, {yarn, 0, TestPlaces(50)});
  expect_move({yarn, 0, TestPlaces(50)}, {plain(Layout::interleaved), 0, TestPlaces(7)});
  expect_move({yarn, 0, TestPlaces(5000)}, {yarn, 0, TestPlaces(7)});
  expect_move({xpos, 0, TestPlaces(300)}, {xpos, 0, TestPlaces(50)});
  expect_move({xpos, 0, TestPlaces(10)}, {xpos, 0, TestPlaces(330)});
  expect_move({plain(Layout::interleaved), 0, TestPlaces(60)}, {xpos, 0, TestPlaces(60)});
  expect_move({xpos, 0, TestPlaces(60)}, {plain(Layout::interleaved), 0, TestPlaces(60)});
}

// first, first + 1, ... for 21 tokens of each axis, as numbers that need not be whole.
TestPlaces from(const std::vector<double>& first) {
  Random any(1);
  const auto axes = static_cast<int64_t>(first.size());
  TestPlaces out(DType::f64, {axes, 1, 21}, any, 0, 1);
  for (int64_t n = 0; n < axes * 21; ++n)
    set(out.at().ids, n, first[static_cast<size_t>(n / 21)] + static_cast<double>(n % 21));
  return out;
}

// One row serves tokens that move by the same whole steps, also between them; not by parts of one.
TEST(Move, ByPartsOfAStep) {
  const Rope rope = plain(Layout::half);
  for (const double was : {1000.0, 1000.25, -7.5})
    for (const double is : {37.0, 37.25, 1000.5, 1000.75, -7.375})
      expect_move({rope, 0, from({was})}, {rope, 0, from({is})}, {.heads = 1});
  expect_move({rope, 0, TestPlaces(1000)}, {rope, 0, from({37.125})}, {.heads = 1});
  expect_move({rope, 0, from({1000.625})}, {rope, 0, TestPlaces(37)}, {.heads = 1});
}

TEST(Move, EveryAxisByWholeSteps) {
  const Rope rope{.dim = 22, .layout = Layout::half, .axes = Chunked{{5, 3, 3}}};
  expect_move({rope, 0, from({100, 7, 50})}, {rope, 0, from({3, 60, 50})}, {.heads = 1});
  expect_move({rope, 0, from({100.5, 7, 50})}, {rope, 0, from({3.5, 60, 50})}, {.heads = 1});
  expect_move({rope, 0, from({100, 7, 50})}, {rope, 0, from({3, 60.25, 50})}, {.heads = 1});
  TestPlaces uneven = from({3, 60, 50});
  set(uneven.at().ids, 2 * 21 + 9, 77);  // one token leaves the others, on the last axis
  expect_move({rope, 0, from({100, 7, 50})}, {rope, 0, uneven}, {.heads = 1});
}

TEST(Move, EachAxisByItsOwnStep) {
  Random random(4);
  for (const AxisRule& axes : std::vector<AxisRule>{Chunked{{5, 3, 3}}, Alternating{{5, 3, 3}},
                                                    ErnieAxes{{4, 4, 3}}, Restart{{5, 3, 3}}}) {
    const Rope rope{.dim = 22, .layout = Layout::half, .sign = Sign::negative, .axes = axes};
    const TestPlaces was(DType::i64, {3, 1, 21}, random, 0, 5000);
    const TestPlaces is(DType::i64, {3, 2, 21}, random, 0, 5000);
    expect_move({rope, 0, was}, {rope, 0, is});
  }
  const Rope blocks{.dim = 24, .layout = Layout::half, .blocks = 2, .axes = Restart{{6, 6}}};
  expect_move({blocks, 0, TestPlaces(3)},
              {blocks, 0, TestPlaces(DType::f64, {2, 2, 21}, random, 0, 50)});
}

TEST(Move, OtherNumerics) {
  for (const Numerics numerics : {Numerics::f32_frequencies, Numerics::torch_f32}) {
    Rope rope = plain(Layout::half);
    rope.numerics = numerics;
    expect_move({rope, 0, TestPlaces(123'456)}, {rope, 0, TestPlaces(99)});
  }
}

// n moves are within n times the error of one.
TEST(Move, ManyTimes) {
  Random random(5);
  const Rope rope = plain(Layout::half);
  const RotaryPlan plan = prepare(rope);
  for (const DType dtype : float_types) {
    const Array keys = make_array(dtype, {2, 9, 3, 20});
    randomize(keys.view(), random);
    const auto stored = numbers(keys.view());
    const Stand first{rope, 0, TestPlaces(0)};
    std::vector<TestPlaces> path{TestPlaces(0)};
    for (int n = 1; n <= 12; ++n) {
      path.emplace_back(DType::i64, std::vector<int64_t>{2, 9}, random, 0, 100'000);
      move(plan, path[path.size() - 2].at(), plan, path.back().at(), keys.view());
      expect_stand(first, {rope, 0, path.back()}, stored, keys.view(),
                   n * move_error(dtype, 1, false));
    }
  }
}

// Two phases cancel to 2^-64 turns, which an f32 cannot see.
TEST(Move, NowhereChangesNothing) {
  Random random(6);
  const RotaryPlan plan =
      prepare(Rope{.dim = 24, .layout = Layout::half, .scaling = Yarn{.factor = 4}});
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const Array keys = make_array(dtype, {2, 70, 3, 24});
    randomize(keys.view(), random);
    const Bytes before = keys.bytes;
    move(plan, range(1 << 30), plan, range(1 << 30), keys.view());
    EXPECT_EQ(keys.bytes, before);
  }
}

}  // namespace
}  // namespace posenc::move_test
