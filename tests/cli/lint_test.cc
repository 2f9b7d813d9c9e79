// lint_test.cc: posenc lint fails on conflicts and ignored keys, and not on correct models.
#include "tests/cli/tool.h"

namespace posenc::lint_test {
namespace {

const std::string llama =
    R"("model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2)";

class Lint : public Tool {
 protected:
  void SetUp() override {
    Tool::SetUp();
    write("plain.json", "{" + llama + R"(, "rope_theta": 10000, "max_position_embeddings": 2048})");
  }
};

TEST_F(Lint, FailsWhereSomethingIsWrong) {
  write("odd.json", "{" + llama +
                        R"(, "rope_theta": 10000, "max_position_embeddings": 2048,)"
                        R"( "rope_embedding_something": 7})");
  const Result odd = posenc("lint odd.json");
  EXPECT_EQ(odd.code, 1);
  EXPECT_NE(odd.out.find("rope_embedding_something = 7"), odd.out.npos) << odd.out;
  EXPECT_EQ(odd.err, "posenc: odd.json: 1 finding: 1 ignored\n");
  EXPECT_EQ(posenc("lint odd.json --kinds conflict").code, 0);
  EXPECT_EQ(json("lint plain.json --json")["findings"].size(), 0u);
  expect_refusal("lint plain.json --kinds wrong", 2, "unknown kind 'wrong'");
}

// gpt-oss is a correct model that engines get wrong.
TEST_F(Lint, TellsTrapsAndCountsThemWhenStrict) {
  const std::string oss = R"('{"model_type": "gpt_oss"}')";
  const std::string told = output("lint " + oss);
  EXPECT_NE(told.find("  trap "), told.npos) << told;
  const Json both = json("lint " + oss + " --json");
  EXPECT_TRUE(both["path"].is_null() && both["findings"].empty()) << both;
  EXPECT_GT(both["traps"].size(), 0u);
  const Result strict = posenc("lint " + oss + " --strict --json");
  EXPECT_EQ(strict.code, 1);
  EXPECT_EQ(Json::parse(strict.out)["findings"], both["traps"]);
  EXPECT_TRUE(Json::parse(strict.out)["traps"].empty()) << strict.out;
  EXPECT_NE(strict.err.find("posenc: <config>: "), strict.err.npos) << strict.err;
}

// T5's class writes n_positions; 4096 is someone's wish for longer texts, which changes nothing.
TEST_F(Lint, DoesNotCountWhatTheClassWritesIntoEveryFile) {
  const auto t5 = [](const std::string& rows) {
    return R"('{"model_type": "t5", "d_kv": 64, "num_heads": 12, "n_positions": )" + rows + "}'";
  };
  EXPECT_EQ(output("lint " + t5("512")).find("n_positions"), std::string::npos);
  EXPECT_NE(output("explain " + t5("512")).find("unused            n_positions = 512 is not read"),
            std::string::npos);
  EXPECT_EQ(posenc("lint " + t5("512") + " --kinds unused").code, 1);
  const Result longer = posenc("lint " + t5("4096"));
  EXPECT_EQ(longer.code, 1);
  EXPECT_NE(longer.out.find("ignored           n_positions = 4096"), std::string::npos)
      << longer.out;
}

TEST_F(Lint, TellsAFactorWithoutAType) {
  EXPECT_EQ(posenc("lint plain.json").code, 0);
  write("factor.json", "{" + llama + R"(, "max_position_embeddings": 64, "rope_theta": 10000,)" +
                           R"( "rope_scaling": {"factor": 4.0}})");
  EXPECT_EQ(posenc("lint factor.json").code, 1);
}

}  // namespace
}  // namespace posenc::lint_test
