// layout_test.cc: a model made for one layout gives the same scores with the other.
#include "posenc/layout.h"

#include "tests/support/gradient.h"
#include "tests/support/message.h"
#include "tests/support/rotation.h"

namespace posenc::layout_test {
namespace {

TEST(ConvertLayout, OrderOfRows) {
  const HeadSpan eight{.dim = 8};
  EXPECT_EQ(layout_order(Layout::half, Layout::interleaved, eight),
            (std::vector<int64_t>{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(layout_order(Layout::interleaved, Layout::half, eight),
            (std::vector<int64_t>{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(layout_order(Layout::half, Layout::interleaved,
                         {.dim = 9, .rotary_dim = 4, .rotary_offset = -5}),
            (std::vector<int64_t>{0, 1, 2, 3, 4, 6, 5, 7, 8}));
  EXPECT_EQ(layout_order(Layout::half, Layout::interleaved, {.dim = 8, .blocks = 2}),
            (std::vector<int64_t>{0, 2, 1, 3, 4, 6, 5, 7}));
}

// What makes heads out of a hidden vector: a projection, its bias, and the gains of a norm.
struct Projection {
  Array weight, bias, gain;
};
constexpr int64_t inputs = 37;

Projection random_projection(int64_t heads, int64_t dim, Random& random) {
  Projection p{make_array(DType::f64, {heads * dim, inputs}), make_array(DType::f64, {heads * dim}),
               make_array(DType::f64, {dim})};
  for (const Array* a : {&p.weight, &p.bias, &p.gain}) randomize(a->view(), random);
  return p;
}

Projection converted(const Projection& p, Layout from, Layout to, HeadSpan span) {
  const Projection out = p;
  convert_layout(p.weight.view(), out.weight.view(), from, to, span);
  convert_layout(out.bias.view(), out.bias.view(), from, to, span);  // in place
  span.heads = 1;
  convert_layout(p.gain.view(), out.gain.view(), from, to, span);
  return out;
}

Array heads_from(const Projection& p, const std::vector<double>& hidden, int64_t heads,
                 int64_t dim) {
  const Array out = make_array(DType::f64, {1, heads, dim});
  for (int64_t row = 0; row < heads * dim; ++row) {
    double sum = get(p.bias.view(), row);
    for (int64_t i = 0; i < inputs; ++i)
      sum += get(p.weight.view(), row * inputs + i) * hidden[static_cast<size_t>(i)];
    set(out.view(), row, sum * get(p.gain.view(), row % dim));
  }
  return out;
}

// Entries of q and k are below 38; each side turns within 4e-16 sqrt 2 and two roundings, and sums
// dim products in another order.
TEST(ConvertLayout, ScoresAreTheSame) {
  Random random(1);
  constexpr int64_t query_heads = 6, key_heads = 2;
  for (const Rope& base : std::vector<Rope>{
           {.dim = 96, .layout = Layout::half},
           {.dim = 40, .layout = Layout::half, .rotary_dim = 18},
           {.dim = 40, .layout = Layout::half, .rotary_dim = 18, .rotary_offset = -18},
           {.dim = 40, .layout = Layout::half, .rotary_dim = 12, .rotary_offset = 6, .blocks = 2}})
    for (const Layout to : {Layout::interleaved, Layout::interleaved_in_half_out}) {
      SCOPED_TRACE(options_text(base));
      Rope other = base;
      other.layout = to;
      const RotaryPlan one = prepare(base), two = prepare(other);
      const int64_t dim = base.dim;
      const auto span = [&](int64_t heads) {
        return HeadSpan{heads, dim, base.rotary_dim, base.rotary_offset, base.blocks};
      };
      const Projection q = random_projection(query_heads, dim, random);
      const Projection k = random_projection(key_heads, dim, random);
      const Projection q2 = converted(q, Layout::half, to, span(query_heads));
      const Projection k2 = converted(k, Layout::half, to, span(key_heads));
      const auto scores = [&](const RotaryPlan& plan, const Projection& wq, const Projection& wk) {
        Random same(7);
        std::vector<double> hidden[2] = {std::vector<double>(inputs), std::vector<double>(inputs)};
        for (auto& h : hidden)
          for (double& x : h) x = same.real();
        const Array a = heads_from(wq, hidden[0], query_heads, dim);
        const Array b = heads_from(wk, hidden[1], key_heads, dim);
        rotate(plan, {.q = a.view()}, range(4321)), rotate(plan, {.k = b.view()}, range(17));
        std::vector<double> out;
        for (int64_t h = 0; h < query_heads; ++h)
          out.push_back(product(head_of(numbers(a.view()), h, dim),
                                head_of(numbers(b.view()), h * key_heads / query_heads, dim)));
        return out;
      };
      const auto before = scores(one, q, k), after = scores(two, q2, k2);
      const double n = static_cast<double>(dim), size = n * 38 * 38;
      for (size_t h = 0; h < before.size(); ++h)
        EXPECT_NEAR(after[h], before[h], 2 * size * (2 * (6e-16 + 2.01 * 0x1p-53) + n * 0x1p-53));
      // The other layout without conversion is another model.
      EXPECT_GT(std::abs(scores(two, q, k)[0] - before[0]), 1e-3);
    }
}

TEST(ConvertLayout, ThereAndBackInAnyTypeAndPlacement) {
  Random random(2);
  const HeadSpan span{.heads = 3, .dim = 14, .rotary_dim = 8, .rotary_offset = 2};
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16})
    for (const Placement placement : all_placements) {
      Guarded w(dtype, {42, 5}, placement), there(dtype, {42, 5}, placement);
      randomize(w.view(), random);
      const auto before = numbers(w.view());
      convert_layout(w.view(), there.view(), Layout::half, Layout::interleaved, span);
      const auto order = layout_order(Layout::half, Layout::interleaved, span);
      for (int64_t n = 0; n < 42 * 5; ++n) {
        const int64_t head = n / 5 / 14, from = order[static_cast<size_t>(n / 5 % 14)];
        ASSERT_EQ(get(there.view(), n), get(w.view(), (head * 14 + from) * 5 + n % 5));
      }
      convert_layout(there.view(), there.view(), Layout::interleaved, Layout::half, span);
      EXPECT_EQ(numbers(there.view()), before);
      EXPECT_TRUE(there.intact());
    }
}

TEST(ConvertLayout, FromAnyPlacementToAnyOther) {
  Random random(3);
  const HeadSpan span{.heads = 3, .dim = 6};
  const auto order = layout_order(Layout::interleaved, Layout::half, span);
  for (const Placement from : all_placements)
    for (const Placement to : all_placements) {
      Guarded w(DType::f32, {18, 70}, from), out(DType::f32, {18, 70}, to);
      randomize(w.view(), random);
      convert_layout(w.view(), out.view(), Layout::interleaved, Layout::half, span);
      for (int64_t n = 0; n < 18 * 70; ++n) {
        const int64_t head = n / 70 / 6, source = order[static_cast<size_t>(n / 70 % 6)];
        ASSERT_EQ(get(out.view(), n), get(w.view(), (head * 6 + source) * 70 + n % 70));
      }
      EXPECT_TRUE(out.intact());
    }
}

TEST(ConvertLayout, WrongSizes) {
  std::vector<float> memory(64);
  const auto say = [&](std::initializer_list<int64_t> shape, const HeadSpan& span) {
    const Tensor w = tensor(memory.data(), shape);
    return message([&] { convert_layout(w, w, Layout::half, Layout::interleaved, span); });
  };
  EXPECT_EQ(say({8, 8}, {.heads = 2, .dim = 8}),
            "[convert_layout] expected a weight [16] or [16, inputs] for 2 heads of 8, got f32 [8, "
            "8]");
  EXPECT_EQ(say({8}, {.dim = 8, .rotary_dim = 3}),
            "[convert_layout] expected rotary_dim even and from 0 to 8, got 3");
  EXPECT_EQ(say({8}, {.dim = 8, .rotary_dim = 4, .rotary_offset = 5}),
            "[convert_layout] expected rotary_offset from -8 to 4, got 5");
  EXPECT_EQ(say({8}, {.dim = 8, .blocks = 3}),
            "[convert_layout] expected blocks that divide the 4 pairs, got 3");
  EXPECT_EQ(say({8}, {.heads = 0, .dim = 8}),
            "[convert_layout] expected heads from 1 to 1048576, got 0");
}

}  // namespace
}  // namespace posenc::layout_test
