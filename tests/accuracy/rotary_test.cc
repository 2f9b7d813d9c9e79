// Frequencies, magnitudes and tables of rotary schemes against the truth.
#include <algorithm>

#include "reference/rotary_rules.h"
#include "tests/accuracy/rotary_cases.h"
#include "tests/accuracy/runs.h"

namespace posenc {
namespace {

void expect_frequencies(const Case& c) {
  const Rope& rope = std::get<Rope>(c.scheme);
  const RotaryPlan plan = prepare(rope, c.length, 0, c.weights.views());
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
  const RotaryPlan plan = prepare(rope, c.length, 0, c.weights.views());
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
  for (const Option& o : options_of(rope)) name += " " + o.name + "=" + o.value;
  return {std::move(name), rope, {}, random.integer(1, 200'000)};
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
}  // namespace posenc
