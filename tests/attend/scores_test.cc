// attend_scores_test.cc: attention with what acts on scores, against the same written down.
#include <gtest/gtest.h>

#include "tests/support/attention.h"

namespace posenc::scores_test {
namespace {

// A table of random numbers in f64.
Array random_array(const std::vector<int64_t>& shape, uint64_t seed, double low = -1,
                   double high = 1) {
  Array out = make_array(DType::f64, shape);
  Random random(seed);
  randomize(out.view(), random, low, high);
  return out;
}

BiasPlan t5_plan(int64_t heads) {
  const T5Bias t5{.heads = heads};
  const Array table = random_array({32, heads}, 1);
  const Tensor w = table.view();
  return prepare(t5, {.weights = {&w, 1}});
}

// The bias is rounded once more where the scale is on the sum.
Score biased(const Products& p, Score s, double bias, ScaleOn on) {
  const double b = on == ScaleOn::sum ? p.scale * bias : bias;
  Score out = p.with(s, b);
  out.off += p.u * std::abs(b);
  return out;
}

TEST(AttendScores, BiasesForEveryType) {
  const int64_t all_heads = 9, first_head = 2;
  const Alibi keys_only{.heads = all_heads, .form = AlibiForm::keys};
  for (const BiasPlan& plan :
       {prepare(Alibi{.heads = all_heads}), prepare(keys_only), t5_plan(all_heads)})
    for (const DType dtype : float_types)
      for (const ScaleOn on : {ScaleOn::scores, ScaleOn::sum})
        for (const bool causal : {false, true}) {
          const Inputs x(dtype, {}, 2);
          x.attend(
              plan,
              {.queries = range(33), .causal = causal, .scale_on = on, .first_head = first_head});
          const Products product = x.products();
          expect_attention(x.out(), x.v(), [&](int64_t row, int64_t head, int64_t i, int64_t j) {
            if (causal && j > i + 33) return hidden_score;
            const double b =
                bias(plan, first_head + head, static_cast<double>(i + 33), static_cast<double>(j));
            return biased(product, product(row, head, i, j), b, on);
          });
        }
}

TEST(AttendScores, BiasesAtAnyPositions) {
  Random random(3);
  for (const bool causal : {false, true})
    for (const BiasPlan& plan : {prepare(Alibi{.heads = 6}), t5_plan(6)}) {
      const Inputs x(DType::f32, {}, 3);
      const TestPlaces queries(DType::i64, {2, 37}, random, -9, 90);
      const TestPlaces keys(DType::i32, {70}, random, 0, 90);
      x.attend(plan, {.queries = queries.at(), .keys = keys.at(), .causal = causal});
      const Products product = x.products();
      expect_attention(x.out(), x.v(), [&](int64_t row, int64_t head, int64_t i, int64_t j) {
        const double query = queries.place(1, row, i)[0], key = keys.place(1, row, j)[0];
        if (causal && key > query) return hidden_score;
        return biased(product, product(row, head, i, j), bias(plan, head, query, key),
                      ScaleOn::scores);
      });
    }
}

// Keys and gates as add() wants them: one head for each of the queries'.
Array repeated(const Tensor& k, int64_t heads) {
  Array out = make_array(DType::f64, {k.size(0), k.size(1), heads, k.size(3)});
  for (int64_t n = 0; n < out.view().elements(); ++n) {
    const int64_t f = n % k.size(3), head = n / k.size(3) % heads, token = n / k.size(3) / heads;
    set(out.view(), n, get(k, (token * k.size(2) + head / (heads / k.size(2))) * k.size(3) + f));
  }
  return out;
}

struct Content24 {
  ContentPlan plan;
  double slope, size;  // of the term: by one score of the row, and at most
};

// In f64, against the term that add() gives to products written down. It was computed from products
// that differ by `off`, through which alone the two terms may differ beyond their own roundings:
// a dot of 24 products and a sum of 70 gates, 100 u of the term's size.
void expect_content(const Content24& content, const AttendOptions& options) {
  const Inputs x(DType::f64, {}, 4);
  x.attend(content.plan, options);
  const Array k = repeated(x.k(), 6), scores = make_array(DType::f64, {2, 6, 37, 70});
  const Products product{x.q(), x.k(), 1};
  for (int64_t n = 0; n < scores.view().elements(); ++n)
    set(scores.view(), n, product(n / (6 * 37 * 70), n / (37 * 70) % 6, n / 70 % 37, n % 70).x);
  add(content.plan, {x.q(), k.view(), options.gates}, scores.view(), scores.view(),
      {.queries = options.queries,
       .keys = options.keys,
       .first_head = options.first_head,
       .causal = options.causal,
       .scale = x.scale(),
       .scale_on = options.scale_on});
  const Products scaled = x.products();
  expect_attention(x.out(), x.v(), [&](int64_t row, int64_t head, int64_t i, int64_t j) {
    const double s = get(scores.view(), ((row * 6 + head) * 37 + i) * 70 + j);
    const double off = scaled(row, head, i, j).off, u = scaled.u;
    return Score{
        s, off + 70 * content.slope * 24 * 4 * 26 * u + u * (100 * content.size + std::abs(s))};
  });
}

TEST(AttendScores, Shaw) {
  const Array table = random_array({9, 24}, 5);
  const Tensor w = table.view();
  const ContentPlan plan = prepare(Shaw{.dim = 24, .left = 4, .right = 4}, {.weights = {&w, 1}});
  for (const bool causal : {false, true})
    for (const ScaleOn on : {ScaleOn::scores, ScaleOn::sum})
      expect_content({plan, 0, 48}, {.queries = range(33), .causal = causal, .scale_on = on});
}

// Where a row of ids stands for each batch row.
TEST(AttendScores, ShawAtAnyPositions) {
  Random random(10);
  const Array table = random_array({9, 24}, 5);
  const Tensor w = table.view();
  const ContentPlan plan = prepare(Shaw{.dim = 24, .left = 4, .right = 4}, {.weights = {&w, 1}});
  const TestPlaces queries(DType::i64, {2, 37}, random, -3, 9),
      keys(DType::i32, {2, 70}, random, 0, 9);
  for (const bool causal : {false, true})
    expect_content({plan, 0, 48}, {.queries = queries.at(), .keys = keys.at(), .causal = causal});
}

// Six of nine heads, each with a table of its own.
TEST(AttendScores, ShawOfSomeHeads) {
  const Array table = random_array({9, 9, 24}, 5);
  const Tensor w = table.view();
  const ContentPlan plan =
      prepare(Shaw{.dim = 24, .heads = 9, .left = 4, .right = 4}, {.weights = {&w, 1}});
  expect_content({plan, 0, 48}, {.queries = range(33), .causal = true, .first_head = 2});
}

// A gate moves by a quarter of its score at most, and the term by |z| < 96 for each.
TEST(AttendScores, Cope) {
  const Array table = random_array({16, 24}, 6);
  const Tensor w = table.view();
  const ContentPlan plan = prepare(Cope{.dim = 24, .positions = 16}, {.weights = {&w, 1}});
  for (const bool causal : {false, true})
    for (const ScaleOn on : {ScaleOn::scores, ScaleOn::sum})
      expect_content({plan, 24, 48}, {.queries = range(33), .causal = causal, .scale_on = on});
}

TEST(AttendScores, Forgetting) {
  const Array gates = random_array({2, 70, 6}, 7, -0.3, 0);
  expect_content({prepare(Forgetting{}), 0, 21},
                 {.queries = range(33), .causal = true, .gates = gates.view()});
}

// Vectors of the distance in the values: v_j + table[row(j - i)], rounded once more.
TEST(AttendScores, ShawInTheValues) {
  const Array table = random_array({9, 9, 20}, 8);  // of nine heads, six of which are here
  const Tensor w = table.view();
  const Shaw shaw{.dim = 20, .heads = 9, .left = 4, .right = 4};
  const int64_t first_head = 2;
  Random random(8);
  const TestPlaces scattered(DType::i64, {2, 37}, random, 0, 70);
  for (const DType dtype : {DType::f32, DType::f64})
    for (const bool causal : {false, true})
      for (const Positions& queries : {range(33), scattered.at()}) {
        const Inputs x(dtype, {}, 9);
        x.attend({}, {.queries = queries,
                      .causal = causal,
                      .first_head = first_head,
                      .values = prepare(shaw, {.weights = {&w, 1}})});
        const HeadNumbers values(x.v());
        const Products product = x.products();
        const auto query_at = [&](int64_t row, int64_t i) {
          return queries.is_range() ? i + 33 : static_cast<int64_t>(scattered.place(1, row, i)[0]);
        };
        expect_attention(
            x.out(), 70,
            [&](int64_t row, int64_t head, int64_t i, int64_t j) {
              return causal && j > query_at(row, i) ? hidden_score : product(row, head, i, j);
            },
            [&](int64_t row, int64_t head, int64_t i, int64_t j) {
              auto v = values.at(row, j, head / 3);
              const int64_t r = (first_head + head) * 9 + shaw.row(j - query_at(row, i));
              for (int64_t f = 0; f < 20; ++f) v[static_cast<size_t>(f)] += get(w, r * 20 + f);
              return v;
            });
      }
}

}  // namespace
}  // namespace posenc::scores_test
