// Frequencies, magnitudes and tables of rotary schemes against the truth.
#include <algorithm>

#include "reference/rotary_rules.h"
#include "tests/accuracy/rotary_cases.h"
#include "tests/accuracy/runs.h"

namespace posenc::rotary_test {
namespace {

void expect_frequencies(const Case& c) {
  const Rope& rope = std::get<Rope>(c.scheme);
  const RotaryPlan plan = prepare(rope, {.weights = c.weights.views(), .length = c.length});
  const auto& found = plan.frequencies();
  const bool learned = std::holds_alternative<LearnedFrequencies>(rope.frequencies);
  ASSERT_EQ(std::ssize(found), learned ? 0 : rope.pairs());
  for (size_t k = 0; k < found.size(); ++k) {
    SCOPED_TRACE(k);
    expect_frequency(found[k], reference::frequency(rope, static_cast<int64_t>(k), c.length));
  }
}

// A magnitude is worked out in doubles: a logarithm, a product, a sum, a quotient or a root, each
// within an ulp, on numbers of its own size or smaller.
void expect_magnitudes(const Case& c) {
  const Rope& rope = std::get<Rope>(c.scheme);
  const RotaryPlan plan = prepare(rope, {.weights = c.weights.views(), .length = c.length});
  const Real m = reference::cos_sin_factor(rope.scaling, c.length);
  const Real softmax = reference::softmax_factor(rope.scaling);
  EXPECT_LE(reference::error(plan.cos_sin_factor(), m), 0x1p-50 * m);
  EXPECT_LE(reference::error(plan.softmax_factor(), softmax), 0x1p-49 * softmax);
}

TEST(Rotary, FrequenciesAndMagnitudes) {
  for (const Case& c : rotary_cases()) {
    SCOPED_TRACE(c.name);
    expect_frequencies(c);
    expect_magnitudes(c);
  }
  for (const Case& c : presets())
    if (std::holds_alternative<Rope>(c.scheme)) {
      SCOPED_TRACE(c.name);
      expect_frequencies(c);
      expect_magnitudes(c);
    }
}

TEST(Rotary, TablesOfEveryRule) {
  expect_tables(rotary_rules(Numerics::exact, {6, 96}), few_ranges);
}
TEST(Rotary, TablesOfEveryOption) { expect_tables(rotary_options(), few_ranges); }
TEST(Rotary, TablesOfEveryNumerics) {
  for (const Numerics n : {Numerics::f32_frequencies, Numerics::torch_f32}) {
    expect_tables(rotary_rules(n, {6, 96}), few_ranges);
    expect_tables(with_numerics(rotary_options(), n), few_ranges);
  }
}

TEST(Rotary, TablesAtAnyPositions) {
  for (const Case& c : rotary_options()) expect_positions(c);
  for (const Case& c : with_numerics(rotary_options(), Numerics::torch_f32)) expect_positions(c);
}

// Mixtures of frequencies, whose plans hold a table: each number a sum, within what is promised for
// the sum of its coefficients' sizes.
TEST(Rotary, Mixtures) {
  using R = Rope;
  const Fourier some{.heads = 2, .max_position_embeddings = 1300};
  Fourier first{.max_position_embeddings = 1300, .num_inv_freq = 5, .rest = RestPairs::still};
  for (const R& rope :
       {R{.dim = 34, .layout = Layout::half, .frequencies = some},
        R{.dim = 96, .layout = Layout::half, .offset = 77, .frequencies = some},
        R{.dim = 96, .layout = Layout::half, .sign = Sign::negative, .frequencies = first}})
    for (const Numerics numerics :
         {Numerics::exact, Numerics::f32_frequencies, Numerics::torch_f32}) {
      Case c = drawn("fourier", rope);
      std::get<R>(c.scheme).numerics = numerics;
      SCOPED_TRACE(std::string(enum_name(numerics)));
      expect_frequencies(c);
      const auto columns = c.columns();
      const int64_t at = 1300 - 1100 - rope.offset;
      const Expected expected(columns, some_columns(some_rows(1100), std::ssize(columns), 32),
                              [&](int64_t token) { return Point{Real(at + token)}; });
      Array f32 = filled(c.plan(), DType::f32, 1100, range(at));
      Array f64 = filled(c.plan(), DType::f64, 1100, range(at));
      expected.expect_promise<float>(f32);
      expected.expect_promise<double>(f64);
    }
}

// The contract as it is stated, where cosines and sines exceed 1: 1.2e-9 m (4e-16 m in f64), and in
// f32 half an ulp of the value, up to 6e-8 from 1 to 2. Returns the largest error in f32.
double expect_stated(const Case& c, const Range& r) {
  const auto columns = c.columns();
  const AbsolutePlan plan = c.plan();
  const double m = prepare(std::get<Rope>(c.scheme), {.length = c.length}).cos_sin_factor();
  const Array f32 = filled(plan, DType::f32, r.tokens, range(r.first));
  const Array f64 = filled(plan, DType::f64, r.tokens, range(r.first));
  double largest = 0;
  for (const Spot& at : some_columns(some_rows(r.tokens), std::ssize(columns), 32)) {
    const Real truth = columns[static_cast<size_t>(at.column)].value({Real(r.first + at.token)});
    const int64_t i = at.token * plan.dim() + at.column;
    const double size = std::abs(reference::nearest_f64(truth)) + 1.2e-9 * m;
    const double error = reference::error(get(f32.view(), i), truth);
    EXPECT_LE(error, 1.2e-9 * m + half_ulp(DType::f32, size)) << truth.str(30);
    EXPECT_LE(reference::error(get(f64.view(), i), truth), 4e-16 * m) << truth.str(30);
    largest = std::max(largest, error);
  }
  return largest;
}

TEST(Rotary, FactorsAboveOne) {
  Rope rope{.dim = 96, .layout = Layout::half, .base = 150000};
  for (const NamedRule& rule :
       std::vector<NamedRule>{{"yarn", Yarn{.factor = 32, .truncate = false}},
                              {"yarn given", Yarn{.factor = 4, .attention_factor = 7.3}},
                              {"longrope",
                               LongRope{.short_factor = random_factors(48, 0.9, 1.2, 1),
                               .long_factor = random_factors(48, 1, 60, 2),
                               .factor = 32},
                               9999}}) {
    SCOPED_TRACE(rule.name);
    rope.scaling = rule.rule;
    double largest = 0;
    for_every_target([&] {
      for (const Range& r : few_ranges)
        largest = std::max(largest, expect_stated({rule.name, rope, {}, rule.length}, r));
    });
    EXPECT_GT(largest, 3.1e-8) << "what holds for numbers below 1 would hold here too";
  }
}

// A scheme drawn from all there is.
Scaling random_rule(Random& random, int64_t pairs, Numerics numerics) {
  auto rules = named_rules(pairs);
  const double factor = random.real(0.5, 64);
  const int64_t original = random.integer(2, 100'000);
  const double slow = random.real(0.1, 25), fast = slow + random.real(0, 25);
  rules.push_back({"", Yarn{.factor = factor,
                            .original_max_position_embeddings = original,
                            .beta_fast = fast,
                            .beta_slow = slow,
                            .truncate = random.integer(0, 1) == 1}});
  rules.push_back({"", Llama3{factor, slow, fast, original}});
  rules.push_back({"", VllmNtk{factor, random.real(-1, 2)}});
  rules.push_back({"", Proportional{random.real(0.01, 1), factor}});
  rules.push_back({"", ByParts{.factor = factor, .original_max_position_embeddings = original}});
  if (numerics != Numerics::exact)
    std::erase_if(rules, [](const auto& r) { return std::holds_alternative<ByParts>(r.rule); });
  return rules[static_cast<size_t>(random.integer(0, std::ssize(rules) - 1))].rule;
}

Case random_case(Random& random) {
  const int64_t pairs = random.integer(1, 70);
  const auto numerics = static_cast<Numerics>(random.integer(0, 2));
  const int64_t first = random.integer(1, pairs);
  Rope rope{.dim = 2 * pairs,
            .layout = Layout::half,
            .base = std::pow(10, random.real(0.1, 8)),
            .offset = random.integer(-9, 9),
            .scaling = random_rule(random, pairs, numerics),
            .numerics = numerics};
  if (first < pairs) {
    const Sections two{static_cast<double>(first), static_cast<double>(pairs - first)};
    if (random.integer(0, 1) == 1)
      rope.axes = Chunked{two};
    else
      rope.axes = Alternating{two};
  }
  std::string name = "random";
  for (const Option& o : options_of(rope)) name += " " + o.name + "=" + text::write(o.value);
  const int64_t length = (int64_t{1} << 33) + random.integer(1, 200'000);  // beyond all positions
  return {std::move(name), rope, {}, length};
}

TEST(Rotary, RandomSchemes) {
  Random random(11);
  for (int i = 0; i < 300; ++i) {
    const Case c = random_case(random);
    SCOPED_TRACE(c.name);
    expect_frequencies(c);
    expect_magnitudes(c);
    if (i % 10 == 0) expect_tables({c}, few_ranges);
  }
}

}  // namespace
}  // namespace posenc::rotary_test
