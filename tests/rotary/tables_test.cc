// tables_test.cc: cosines and sines that someone else keeps turn queries and keys as a plan does.
#include "tests/support/message.h"
#include "tests/support/rotation.h"

namespace posenc::tables_test {
namespace {

constexpr int64_t kept = 50, dim = 22, pairs = 9;

// Rows of a plan, kept as an engine would: cosines and sines beside each other, in one buffer.
struct Engine {
  Guarded rows;
  explicit Engine(const RotaryPlan& plan, DType dtype, Placement placement)
      : rows(dtype, {kept, 2 * pairs}, placement) {
    fill(plan.table(), rows.view());
  }
  CosSin table() const {
    CosSin out{rows.view(), rows.view()};
    out.cos.shape[1] = out.sin.shape[1] = pairs;
    out.sin.data = element(rows.view(), pairs);
    return out;
  }
};

TEST(RotaryTables, TurnAsThePlanDoes) {
  Random random(1);
  for (const DType dtype : float_types)
    for (const Layout layout : all_layouts)
      for (const Placement placement : {Placement::dense, Placement::spaced, Placement::swapped}) {
        const RotaryPlan plan =
            prepare(Rope{.dim = dim, .layout = layout, .rotary_dim = 2 * pairs});
        const Engine engine(plan, compute_type(dtype), placement);
        for (const TestPlaces& at : {TestPlaces(3), TestPlaces(DType::i32, {2, 40}, random, 0, 49),
                                     TestPlaces(DType::i64, {40}, random, 0, 49)})
          for (const bool forward : {true, false}) {
            const Guarded q(dtype, {2, 40, 3, dim}, placement), k(dtype, {2, 40, 1, dim});
            const Guarded q1(dtype, {2, 40, 3, dim}), k1(dtype, {2, 40, 1, dim}, placement);
            const Guarded q2(dtype, {2, 40, 3, dim}), k2(dtype, {2, 40, 1, dim}, placement);
            randomize(q.view(), random), randomize(k.view(), random);
            const QueriesKeys x{q.view(), k.view()}, a{q1.view(), k1.view()},
                b{q2.view(), k2.view()};
            if (forward) {
              rotate(plan, x, a, at.at()), rotate(engine.table(), layout, x, b, at.at());
            } else {
              rotate_adjoint(plan, x, a, at.at());
              rotate_adjoint(engine.table(), layout, x, b, at.at());
            }
            EXPECT_EQ(numbers(a.q), numbers(b.q)) << to_string(dtype) << at.name();
            EXPECT_EQ(numbers(a.k), numbers(b.k)) << to_string(dtype) << at.name();
            EXPECT_TRUE(q2.intact() && k2.intact());
          }
      }
}

TEST(RotaryTables, AreChecked) {
  const RotaryPlan plan = prepare(Rope{.dim = dim, .layout = Layout::half, .rotary_dim = 18});
  const Engine engine(plan, DType::f32, Placement::dense);
  const Guarded q(DType::f32, {4, 2, dim});
  const QueriesKeys x{.q = q.view()};
  const auto turn = [&](const CosSin& table, const Positions& at) {
    rotate(table, Layout::half, x, x, at);
  };
  expect_message([&] { turn(engine.table(), range(47)); },
                 "[rotate] expected positions from 0 to 49, got 47 to 50");
  CosSin wide = engine.table();
  wide.cos = wide.sin = engine.rows.view();
  expect_message([&] { turn(wide, range()); },
                 "[rotate] expected cos and sin as one float type [positions, up to 11 pairs], got "
                 "f32 [50, 18] and f32 [50, 18]");
  CosSin apart = engine.table();
  apart.sin.dtype = DType::f64;
  expect_message([&] { turn(apart, range()); }, "[rotate] expected cos and sin as one float type");
  CosSin over = engine.table();
  over.cos.data = q.view().data;
  over.cos.shape[0] = over.sin.shape[0] = 4;
  expect_message([&] { turn(over, range()); }, "[rotate] expected the output apart from the table");
  expect_message([&] { rotate(engine.table(), static_cast<Layout>(9), x, x); }, "the layout");
}

}  // namespace
}  // namespace posenc::tables_test
