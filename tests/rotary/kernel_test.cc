// kernel_test.cc: the rotation kernel against the plain loop, on every instruction set.
#include "cpu/kernels/rotate.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/elements.h"
#include "tests/support/every_target.h"
#include "tests/support/guarded.h"

namespace posenc::kernel_test {
namespace {

constexpr Layout layouts[] = {Layout::half, Layout::interleaved, Layout::interleaved_in_half_out};

struct Case {
  int64_t tokens = 3, heads = 5, pairs = 20, blocks = 1;
  Placement in = Placement::dense, out = Placement::dense;
  bool in_place = false, one_row = false, sines_first = false, back = false, far = false;
};

const Case cases[] = {
    {},
    {.tokens = 1, .heads = 1, .pairs = 1},
    {.pairs = 3},
    {.pairs = 10},
    {.pairs = 40},
    {.pairs = 48},
    {.tokens = 2, .heads = 4, .pairs = 75},
    {.pairs = 24, .blocks = 2},
    {.pairs = 60, .blocks = 3, .in = Placement::swapped},
    {.pairs = 36, .blocks = 2, .in_place = true, .back = true},
    {.in = Placement::padded},
    {.out = Placement::padded},
    {.in = Placement::spaced},
    {.out = Placement::spaced},
    {.in = Placement::reversed, .out = Placement::swapped},
    {.in = Placement::swapped, .out = Placement::reversed},
    {.one_row = true},
    {.back = true},
    {.one_row = true, .back = true},
    {.far = true},
    {.tokens = 9, .heads = 6, .pairs = 64, .in_place = true, .far = true},
    {.sines_first = true},
    {.in_place = true},
    {.pairs = 3, .in_place = true},
    {.heads = 4, .in_place = true},
    {.in = Placement::padded, .in_place = true, .one_row = true},
    {.in = Placement::spaced, .in_place = true},
    {.in = Placement::swapped, .in_place = true},
    {.in = Placement::reversed, .in_place = true},
    {.tokens = 2, .heads = 2, .pairs = max_pairs, .in_place = true, .back = true},
    {.tokens = 1, .heads = 2, .pairs = 255, .in = Placement::spaced, .in_place = true},
};

// Rows of cosines and sines, [tokens or 1, 2, pairs]; they lie from the last token to the first.
struct Rows {
  Guarded memory;
  bool sines_first, back;

  Rows(const Case& c, DType dtype, Random& random)
      : memory(compute_type(dtype), {c.one_row ? 1 : c.tokens, 2, c.pairs}, Placement::padded),
        sines_first(c.sines_first),
        back(c.back) {
    randomize(memory.view(), random);
  }

  int64_t at(int64_t t, int64_t part, int64_t k) const {
    const Tensor& m = memory.view();
    const int64_t row = m.size(0) == 1 ? 0 : m.size(0) - 1 - t;
    return (row * 2 + (part + sines_first) % 2) * m.size(2) + k;
  }
  double number(int64_t t, int64_t part, int64_t k) const {
    const double value = get(memory.view(), at(t, part, k));
    return part == 1 && back ? -value : value;
  }
  cpu::Angles angles() const {
    const Tensor& m = memory.view();
    return {element(m, at(0, 0, 0)), sines_first ? -m.step(1) : m.step(1),
            m.size(0) == 1 ? 0 : -m.step(0), back};
  }
};

cpu::Heads heads_of(const Tensor& t) { return {t.data, t.step(0), t.step(1), t.step(2)}; }

// What element n of the result is the sum of, and where.
struct Truth {
  int64_t place;
  long double first, second;
};

// Both numbers of pair k, the way the layout is drawn.
std::array<Truth, 2> truth_of(Layout layout, const std::vector<double>& x, const Rows& rows,
                              const Case& c, int64_t t, int64_t h, int64_t k) {
  const int64_t pairs = c.pairs / c.blocks, in_block = k % pairs;
  const int64_t block = ((t * c.heads + h) * c.blocks + k / pairs) * 2 * pairs;
  const std::array<int64_t, 2> halves{block + in_block, block + pairs + in_block};
  const std::array<int64_t, 2> beside{block + 2 * in_block, block + 2 * in_block + 1};
  const auto& in = layout == Layout::half ? halves : beside;
  const auto& out = layout == Layout::interleaved ? beside : halves;
  const long double a = x[static_cast<size_t>(in[0])], b = x[static_cast<size_t>(in[1])];
  const long double cosine = rows.number(t, 0, k), sine = rows.number(t, 1, k);
  return {{{out[0], a * cosine, -(b * sine)}, {out[1], a * sine, b * cosine}}};
}

template <class Expect>
void for_truths(Layout layout, const std::vector<double>& x, const Rows& rows, const Case& c,
                const Expect& expect) {
  for (int64_t t = 0; t < c.tokens; ++t)
    for (int64_t h = 0; h < c.heads; ++h)
      for (int64_t k = 0; k < c.pairs; ++k)
        for (const Truth& truth : truth_of(layout, x, rows, c, t, h, k)) expect(truth);
}

// Two products and their sum, each rounded once at most: 2 u (|first| + |second|), and 0.01 for
// u squared and for the roundings of the truth. Then one rounding to the type.
double allowed(DType dtype, const Truth& truth) {
  const DType compute = compute_type(dtype);
  const double u = compute == DType::f64 ? 0x1p-53 : 0x1p-24;
  const auto size = static_cast<double>(std::abs(truth.first) + std::abs(truth.second));
  const double error = 2.01 * u * size;
  if (dtype == compute) return error;
  return error + half_ulp(dtype, std::abs(static_cast<double>(truth.first + truth.second)) + error);
}

// x is what a test puts there; the result is as numbers.
struct Rotated {
  std::vector<double> x, result;
  bool intact;
};

template <class Change>
Rotated rotated(const Case& c, DType dtype, Layout layout, const Rows& rows, Random& random,
                const Change& change) {
  const std::vector<int64_t> shape{c.tokens, c.heads, 2 * c.pairs};
  Guarded in(dtype, shape, c.in), apart(dtype, shape, c.out);
  randomize(in.view(), random);
  change(in.view());
  const Guarded& out = c.in_place ? in : apart;
  Rotated r{numbers(in.view()), {}, true};
  const RotarySpan span{2 * c.pairs, 0, c.pairs, c.blocks, layout};
  cpu::rotate_kernel(dtype, layout)(span, heads_of(in.view()), heads_of(out.view()), c.tokens,
                                    c.heads, rows.angles(), c.far);
  r.result = numbers(out.view());
  r.intact = in.intact() && out.intact();
  return r;
}

template <class Body>
void for_every_kind(const Body& body) {
  for_every_target([&] {
    for (DType dtype : float_types)
      for (Layout layout : layouts) body(dtype, layout);
  });
}

TEST(RotationKernel, IsThePlainLoop) {
  for_every_kind([](DType dtype, Layout layout) {
    for (const Case& c : cases) {
      SCOPED_TRACE(testing::Message() << "case " << &c - cases << " " << to_string(dtype)
                                      << " layout " << static_cast<int>(layout));
      Random random(1);
      const Rows rows(c, dtype, random);
      const Rotated r = rotated(c, dtype, layout, rows, random, [](const Tensor&) {});
      ASSERT_TRUE(r.intact);
      for_truths(layout, r.x, rows, c, [&](const Truth& truth) {
        ASSERT_NEAR(r.result[static_cast<size_t>(truth.place)],
                    static_cast<double>(truth.first + truth.second), allowed(dtype, truth))
            << "element " << truth.place;
      });
    }
  });
}

// Memory changes how a number is reached, never the number.
TEST(RotationKernel, IsTheSameHoweverItLies) {
  for_every_kind([](DType dtype, Layout layout) {
    std::vector<double> first;
    for (Placement placement : all_placements)
      for (bool in_place : {false, true}) {
        const Case c{.pairs = 27, .in = placement, .out = placement, .in_place = in_place};
        Random random(2);
        const Rows rows(c, dtype, random);
        const auto result = rotated(c, dtype, layout, rows, random, [](const Tensor&) {}).result;
        if (first.empty()) first = result;
        ASSERT_EQ(result, first) << to_string(dtype);
      }
  });
}

// As in the plain formula, also where both of a pair are infinite.
TEST(RotationKernel, PassesOnWhatIsNotFinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double odd[] = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  for_every_kind([&](DType dtype, Layout layout) {
    const Case c{.heads = 7, .pairs = 30, .in_place = true};
    Random random(3);
    const Rows rows(c, dtype, random);
    const Rotated r = rotated(c, dtype, layout, rows, random, [&](const Tensor& x) {
      for (int64_t n = 0; n < x.elements(); n += random.integer(1, 3))
        set(x, n, odd[random.integer(0, 2)]);
    });
    for_truths(layout, r.x, rows, c, [&](const Truth& truth) {
      const auto want = static_cast<double>(truth.first + truth.second);
      const double got = r.result[static_cast<size_t>(truth.place)];
      if (std::isfinite(want)) {
        ASSERT_NEAR(got, want, allowed(dtype, truth));
      } else {
        ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : got == want) << got << " for " << want;
      }
    });
  });
}

// To bf16: 1 + 2^-8 lies half-way between 1 and 1 + 2^-7; a NaN of a table may have any bits.
TEST(RotationKernel, RoundsTiesToEvenAndKeepsNaNs) {
  constexpr int64_t pairs = 64, heads = 3;
  for_every_target([&] {
    for (Layout layout : layouts)
      for (uint32_t last : {0x3fa00000u, 0x7fffffffu, 0xffffffffu}) {
        const uint32_t cosines[] = {0x3f808000, 0x3f818000, 0x3fa00000, last};
        float row[2 * pairs] = {};
        for (int64_t k = 0; k < pairs; ++k) row[k] = bit_cast<float>(cosines[k % 4]);
        BF16 x[heads * 2 * pairs], out[heads * 2 * pairs];
        for (BF16& one : x) one.bits = 0x3f80;
        const RotarySpan span{2 * pairs, 0, pairs, 1, layout};
        cpu::rotate_kernel(DType::bf16, layout)(span, {x, 0, 2 * pairs, 1}, {out, 0, 2 * pairs, 1},
                                                1, heads, {row, pairs, 0}, false);
        for (int64_t f = 0; f < heads * 2 * pairs; ++f) {
          const int64_t pair = layout == Layout::interleaved ? f / 2 % pairs : f % pairs;
          ASSERT_EQ(out[f].bits, to_bf16(row[pair]).bits) << "feature " << f;
        }
      }
  });
}

}  // namespace
}  // namespace posenc::kernel_test
