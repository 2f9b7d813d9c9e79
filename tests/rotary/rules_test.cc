// rules_test.cc: length rules and factors that make no sense get one sentence.
#include "tests/rotary/refused_rules.h"

namespace posenc::rules_test {
namespace {

TEST(RotaryRules, Factors) {
  for (const Refused& c : refused_factors())
    EXPECT_EQ(message([&] { prepare(c.rope, {.length = 9}); }), c.text);
}

TEST(RotaryRules, Rules) {
  expect_sentences(refused_rules());
  const Rope part{.dim = 8, .layout = half, .rotary_dim = 4, .scaling = Proportional{}};
  expect_sentences({
      {part, "[rope] expected scaling proportional with the whole head as rotary_dim, got 4 of 8"},
      {{.layout = half, .decay = XPos{0}},
       "[xpos] expected decay.scale_base to be above 0 and finite, got 0"},
      {{.layout = half, .decay = XPos{1, infinity}},
       "[xpos] expected decay.center to be finite, got inf"},
      {{.layout = half, .temperature = LogTemperature{.floor = 0}},
       "[log] expected temperature.floor to be above 0 and finite, got 0"},
      {{.layout = half, .temperature = LogTemperature{.scale = nan}},
       "[log] expected temperature.scale to be finite, got nan"},
  });
}

}  // namespace
}  // namespace posenc::rules_test
