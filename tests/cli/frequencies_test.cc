// frequencies_test.cc: frequencies as numbers, and schemes drawn over each other.
#include <charconv>
#include <cmath>
#include <iterator>
#include <numbers>

#include "posenc/posenc.h"
#include "tests/cli/tool.h"

namespace posenc::frequencies_test {
namespace {

TEST_F(Tool, FrequenciesAreThoseOfThePlan) {
  const Rope rope{.dim = 128, .layout = Layout::half, .base = 500000, .scaling = Llama3{}};
  Rope plain = rope;
  plain.scaling = NoScaling{};
  const auto plan = prepare(rope), unscaled = prepare(plain);
  const std::string scheme = "frequencies rope --layout half --base 500000 --scaling llama3";
  const Json list = json(scheme + " --json")["frequencies"];
  ASSERT_EQ(list.size(), 64u);
  for (size_t k = 0; k < 64; ++k) {
    const double f = radians(plan.frequencies()[k]);
    EXPECT_EQ(list[k]["pair"], k);
    EXPECT_EQ(list[k]["axis"], 0);
    EXPECT_EQ(list[k]["frequency"].get<double>(), f);
    EXPECT_EQ(list[k]["wavelength"].get<double>(), 2 * std::numbers::pi / f);
    EXPECT_EQ(list[k]["effect"].get<double>(), f / radians(unscaled.frequencies()[k]));
  }
  EXPECT_EQ(list[0]["effect"], 1);
  EXPECT_LT(list[63]["effect"].get<double>(), 0.2);
  output(scheme + " --out f.npy");
  const auto numbers = values(read_array(path("f.npy")).view());
  for (size_t k = 0; k < 64; ++k) EXPECT_EQ(numbers[k], radians(plan.frequencies()[k]));
  output(scheme + " --out f.safetensors");
  EXPECT_EQ(values(read_array(path("f.safetensors"), "wavelength").view())[63],
            list[63]["wavelength"].get<double>());
  Array pairs = read_array(path("f.safetensors"), "pair");
  EXPECT_EQ(pairs.values<int64_t>()[63], 63);
  // As text, with just the digits that read the same double again.
  const std::string text = output(scheme);
  char last[32];
  const std::string_view digits(last, std::to_chars(last, std::end(last), numbers[63]).ptr);
  EXPECT_NE(text.find(" " + std::string(digits) + " "), std::string::npos) << text;
  EXPECT_NE(output("frequencies sinusoidal --dim 8").find("  0.1  "), std::string::npos);
  EXPECT_NE(text.find("effect"), std::string::npos);
  for (const char* scheme : {"rope", "fope"})
    EXPECT_EQ(output("frequencies " + std::string(scheme) + " --layout half").find("effect"),
              std::string::npos);
}

TEST_F(Tool, FrequenciesOfAxesColumnsAndLearnedPairs) {
  const Json mrope = json("frequencies rope --preset qwen2-vl --json")["frequencies"];
  EXPECT_EQ(mrope[0]["axis"], 0);
  EXPECT_EQ(mrope.back()["axis"], 2);
  EXPECT_EQ(json("frequencies sinusoidal --dim 8 --json")["frequencies"].size(), 4u);
  const Json columns = json("frequencies sinusoidal --preset per-column --dim 8 --json");
  EXPECT_EQ(columns["frequencies"][7]["column"], 7);
  // sin and cos of 2^k x on each of 3 coordinates.
  const Json nerf = json("frequencies nerf --bands 2 --include_input false --json")["frequencies"];
  ASSERT_EQ(nerf.size(), 12u);
  for (const Json& entry : nerf) {
    const double expected = entry["column"].get<int64_t>() < 6 ? 1 : 2;
    EXPECT_EQ(entry["frequency"].get<double>(), expected) << entry;
  }
  const Json learned = json("frequencies rope --preset rope-vit --json");
  EXPECT_EQ(learned["initial_weights"]["random"], true);
  EXPECT_EQ(learned["frequencies"].back()["axis"], 1);
  EXPECT_GT(learned["frequencies"].back()["head"], 0);
}

// A plan of mixtures holds so many rows: errors are measured within them.
TEST_F(Tool, AccuracyOfMixtures) {
  const Json accuracy = json(
      "accuracy fope --layout half --dim 24 --offset 3 --frequencies.max_position_embeddings 1500 "
      "--json");
  EXPECT_EQ(accuracy["contract"]["holds"], true);
  EXPECT_EQ(accuracy["errors"][0]["up_to"], 1000);
  EXPECT_EQ(accuracy["errors"][1]["up_to"], 1496);
  EXPECT_GT(accuracy["contract"]["amplitude"], 1);
}

TEST_F(Tool, RefusesFrequencies) {
  const std::pair<std::string, std::string_view> cases[] = {
      {"frequencies learned", "no wavelengths"},
      {"frequencies alibi", "which acts on scores"},
      {"accuracy fope --layout half --frequencies.max_position_embeddings 99",
       "expected frequencies.max_position_embeddings above 300"},
      {"frequencies", "expected a SCHEME"},
      {"frequencies rope --layout half --scaling dynamic", "expected the length of the text"},
      {"frequencies rope --layout half --length 9", "with --length"},
      {"frequencies sinusoidal --json --out f.npy", "got both"},
      {"frequencies sinusoidal --out f.txt", ".npy or .safetensors"},
  };
  for (const auto& [arguments, part] : cases) expect_refusal(arguments, 2, part);
}

TEST_F(Tool, ShowDrawsAbsoluteSchemesOverEachOther) {
  for (const std::string kind : {"wavelengths", "decay", "waves"}) {
    const std::string text =
        output("show sinusoidal --dim 32 --size 90x24 --kind " + kind +
               " --compare 'paper; base=100; tensor2tensor base=50;time2vec dim=32'");
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 24) << kind;
    for (const char* label : {"paper", "base=100", "tensor2tensor base=50", "time2vec dim=32"})
      EXPECT_NE(text.find(label), text.npos) << kind << " " << label << "\n" << text;
    EXPECT_NE(text.find("schemes over each other"), text.npos);
  }
  EXPECT_NE(output("show sinusoidal --kind decay --compare 'paper; base=9'")
                .find("sinusoidal: variants over each other"),
            std::string::npos);
  // A row multiplied with itself is 1, whatever the scheme.
  output("show sinusoidal --kind decay --preset per-column --out p.svg");
  const std::pair<std::string, std::string_view> cases[] = {
      {"--compare 'paper; fairseq'", "wavelengths, waves, decay or rules, got heatmap"},
      {"--kind wavelengths --compare papper", "did you mean 'paper'?"},
      {"--kind wavelengths --compare 'learned'", "no wavelengths"},
      {"--kind wavelengths --compare 'bsae=3'", "did you mean 'base'?"},
      {"--kind decay --compare 'paper; nerf'", "as many axes"},
      {"--kind rules", "expected a rotary scheme"},
      {"--kind wavelengths --compare ' ; '", "got none"},
  };
  for (const auto& [arguments, part] : cases)
    expect_refusal("show sinusoidal " + arguments, 2, part);
}

}  // namespace
}  // namespace posenc::frequencies_test
