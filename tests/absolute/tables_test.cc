// tables_test.cc: rows that someone else made, added by position.
#include "posenc/posenc.h"
#include "tests/support/message.h"
#include "tests/support/places.h"

namespace posenc::tables_test {
namespace {

// One addition in the compute type, one rounding.
double sum(DType dtype, double x, double row) {
  return dispatch(dtype, [&]<class T>() {
    using C = Compute<T>;
    return as_double(rounded_to<T>(static_cast<C>(x) + static_cast<C>(row)));
  });
}

TEST(Tables, RowsAreAddedByPosition) {
  Random random(1);
  constexpr int64_t dim = 37, positions = 60, tokens = 41;
  for (const DType dtype : float_types)
    for (const DType kept : {dtype, compute_type(dtype)})
      for (const Placement placement : all_placements)
        for (const TestPlaces& at :
             {TestPlaces(5), TestPlaces(DType::i32, {2, tokens}, random, 0, positions - 1)}) {
          const Guarded table(kept, {positions, dim}, placement);
          const Guarded x(dtype, {2, tokens, dim}), out(dtype, {2, tokens, dim}, placement);
          randomize(table.view(), random), randomize(x.view(), random);
          add_rows(table.view(), x.view(), out.view(), at.at());
          const auto rows = numbers(table.view()), from = numbers(x.view());
          const auto got = numbers(out.view());
          for (size_t n = 0; n < got.size(); ++n) {
            const auto token = static_cast<int64_t>(n) / dim,
                       column = static_cast<int64_t>(n) % dim;
            const auto p = static_cast<int64_t>(at.place(1, token / tokens, token % tokens)[0]);
            const double row = rows[static_cast<size_t>(p * dim + column)];
            ASSERT_EQ(got[n], sum(dtype, from[n], row)) << to_string(dtype) << " " << n;
          }
          EXPECT_TRUE(out.intact());
        }
}

TEST(Tables, AreChecked) {
  const Guarded table(DType::f32, {9, 4}), x(DType::f32, {5, 4});
  expect_message([&] { add_rows(table.view(), x.view(), x.view(), range(6)); },
                 "[add_rows] expected positions from 0 to 8, got 6 to 10");
  expect_message([&] { add_rows(x.view(), x.view(), x.view()); },
                 "[add_rows] expected the output apart from the table");
  const Guarded flat(DType::f32, {9});
  expect_message([&] { add_rows(flat.view(), x.view(), x.view()); },
                 "[add_rows] expected a table [positions, dim], got f32 [9]");
}

}  // namespace
}  // namespace posenc::tables_test
