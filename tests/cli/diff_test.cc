// diff_test.cc: two models compared.
#include <sys/resource.h>

#include "tests/cli/models.h"

namespace posenc::diff_test {
namespace {

using Diff = Models;

// A part is compared with each group of its layers in the other model.
TEST_F(Diff, PairsGroupsOfLayers) {
  const std::string gemma = R"('{"model_type": "gemma3_text", "num_hidden_layers": 6}')";
  const Json one = json("diff plain.json " + gemma + " --lengths 100 --json");
  ASSERT_EQ(one["components"].size(), 2u) << one;
  EXPECT_EQ(one["components"][0]["where"], "text");
  EXPECT_EQ(one["components"][0]["second_where"], "text, full layers");
  EXPECT_EQ(one["components"][1]["second_where"], "text, sliding layers");
  EXPECT_TRUE(one["only_first"].empty() && one["only_second"].empty()) << one;
  const std::string text = output("diff " + gemma + " plain.json --lengths 100");
  EXPECT_NE(text.find("text, sliding layers against text: rope"), text.npos) << text;
}

// Of several parts with one name those of one scheme are compared; other names do not part them.
TEST_F(Diff, PairsPartsByScheme) {
  const std::string sides = R"("vision_config": {"hidden_size": 64, "num_heads": 4}})";
  const std::string text =
      R"({"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2,)"
      R"( "rope_theta": 10000, "head_dim": 128})";
  write("two.json", R"({"model_type": "qwen2_vl", "text_config": )" + text + ", " + sides);
  write("three.json", R"({"model_type": "qwen3_vl", "text_config": )" + text + ", " + sides);
  const Json named = json("diff two.json three.json --json");
  ASSERT_EQ(named["components"].size(), 2u) << named;
  EXPECT_EQ(named["components"][1]["where"], "vision");
  EXPECT_EQ(named["components"][1]["schemes"], Json({"rope-2d", "rope-2d"})) << named;
  ASSERT_EQ(named["only_second"].size(), 1u) << named;
  EXPECT_EQ(named["only_second"][0]["scheme"], "learned") << named;

  write("speech.json", R"({"model_type": "moonshine_streaming", "encoder_config": {}})");
  const Json other = json("diff plain.json speech.json --json");
  ASSERT_EQ(other["components"].size(), 1u) << other;
  EXPECT_EQ(other["components"][0]["where"], "text");
  EXPECT_EQ(other["components"][0]["second_where"], "decoder");
}

TEST_F(Diff, MeasuresPhases) {
  const Json same = json("diff llama3.json llama3.json --json");
  EXPECT_EQ(same["same"], true);
  const Json other = json("diff llama3.json plain.json --lengths 100,1000 --json");
  EXPECT_EQ(other["same"], false);
  const Json part = other["components"][0];
  ASSERT_EQ(part["phases"].size(), 2u);
  for (const Json& phase : part["phases"]) {
    double worst = 0;
    for (const Json& pair : phase["frequencies"])
      worst = std::max(worst, std::abs(pair[0].get<double>() - pair[1].get<double>()));
    EXPECT_NEAR(phase["worst_phase"].get<double>(), worst * (phase["length"].get<double>() - 1),
                1e-9);
    EXPECT_GT(worst, 0.01);
  }
  // Keys alone are the first model with these instead of its own.
  const Json base = json(R"(diff plain.json '{"rope_theta": 20000}' --lengths 100 --json)");
  ASSERT_EQ(base["components"][0]["facts"].size(), 1u) << base;
  EXPECT_EQ(base["components"][0]["facts"][0]["name"], "base");
  EXPECT_EQ(json(R"(diff plain.json '{"rope_theta": 10000.0}' --json)")["same"], true);
  EXPECT_NE(output("diff llama3.json plain.json --picture").find("ratio"), std::string::npos);
  output("diff llama3.json plain.json --out d.svg");
  EXPECT_NE(read("d.svg").find("<svg"), std::string::npos);
  expect_refusal("diff plain.json", 2, "diff expected MODEL MODEL, got one alone");
  expect_refusal("diff plain.json plain.json --lengths 0", 2, "whole numbers from 1");
  expect_refusal("diff plain.json plain.json --out d.txt", 2, ".png or .svg");
}

// Every key makes a note. Where each was compared with all of the other file, this took half a
// minute.
TEST_F(Diff, ManyKeysThatNothingReads) {
  std::string text = R"({"model_type": "llama", "num_attention_heads": 4, "hidden_size": 256)";
  for (int i = 0; i < 120'000; ++i) text += ", \"rope_" + std::to_string(i) + "\": 1";
  write("many.json", text + "}");
  rusage before{}, after{};
  getrusage(RUSAGE_CHILDREN, &before);
  EXPECT_EQ(json("diff many.json many.json --json")["same"], true);
  getrusage(RUSAGE_CHILDREN, &after);
  EXPECT_LT(after.ru_utime.tv_sec - before.ru_utime.tv_sec, 15);
}

}  // namespace
}  // namespace posenc::diff_test
