// choose_test.cc: posenc choose asks what was not given, and answers with the row it stands on.
#include "tests/cli/tool.h"

namespace posenc::choose_test {
namespace {

const std::string rest = " --length 512 --extrapolate no";

TEST_F(Tool, ChooseAnswersEveryCase) {
  for (const std::string modality : {"text", "image", "audio", "graph", "points"})
    for (const std::string task : {"generate", "understand", "retrieve", "order"})
      for (const std::string further : {"yes", "no"}) {
        const Json told = json("choose --modality " + modality + " --task " + task +
                               " --length 512 --extrapolate " + further + " --json");
        EXPECT_EQ(told["modality"], modality);
        EXPECT_EQ(told["task"], task);
        EXPECT_EQ(told["extrapolate"], further == "yes");
        EXPECT_FALSE(told["advice"].get<std::string>().empty());
        EXPECT_FALSE(told["why"].get<std::string>().empty());
        if (told["evidence"].is_null()) continue;
        bool named = false;
        for (const Json& row : told["evidence"]["rows"])
          named |= row["scheme"] == told["advice"] ||
                   told["why"].get<std::string>().find(row["scheme"]) != std::string::npos;
        EXPECT_TRUE(named) << told;
      }
}

TEST_F(Tool, ChooseAsksForWhatIsNotGiven) {
  const Result asked = shell("printf 'text\\ngenerate\\n 512\\nno\\n' | posenc choose");
  EXPECT_EQ(asked.code, 0) << asked.err;
  EXPECT_EQ(asked.out, output("choose --modality text --task generate" + rest));
  EXPECT_NE(asked.err.find("What does the model read? (text, image, audio, graph, points)"),
            asked.err.npos);
  const Result some = shell("echo generate | posenc choose --modality text" + rest);
  EXPECT_EQ(some.out, asked.out);
  EXPECT_EQ(some.err.find("What does the model read?"), some.err.npos);
}

TEST_F(Tool, ChooseRefusesWhatIsNoAnswer) {
  EXPECT_EQ(posenc("choose --modality text").code, 2);
  EXPECT_NE(posenc("choose --modality text").err.find("expected --task, generate, understand"),
            std::string::npos);
  expect_refusal("choose --modality text --task write" + rest, 2, "write");
  const Result wrong = shell("printf 'smell\\ngenerate\\n' | posenc choose");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("smell"), wrong.err.npos);
  EXPECT_EQ(wrong.err.find("What should it do?"), wrong.err.npos)
      << "asked on after a wrong answer";
  expect_refusal("choose --modality text --task order --extrapolate no --length 0", 2,
                 "expected --length of at least 1, got 0");
}

TEST_F(Tool, ChooseTellsWhatToMindInLongTexts) {
  const std::string text = "choose --modality text --task retrieve --extrapolate no --json";
  EXPECT_LT(json(text + " --length 64")["notes"].size(),
            json(text + " --length 100000")["notes"].size());
}

TEST_F(Tool, ChooseAnswersForLongerTextsWithWhatWasMeasuredThere) {
  for (const std::string task : {"generate", "understand", "retrieve"}) {
    const Json told =
        json("choose --modality text --task " + task + " --extrapolate yes --length 512 --json");
    EXPECT_GE(std::stoi(told["evidence"]["column"].get<std::string>()), 4032) << told;
  }
}

TEST_F(Tool, ChooseSaysWhereItsModelsWereNotMeasured) {
  for (const std::string task : {"generate", "understand", "retrieve", "order"}) {
    const std::string call =
        "choose --modality text --task " + task + " --extrapolate no --json --length ";
    const auto says = [&](const std::string& length) {
      return json(call + length)["notes"].dump().find("trained on texts of at most 256 bytes") !=
             std::string::npos;
    };
    EXPECT_FALSE(says("256")) << task;
    EXPECT_TRUE(says("32768")) << task;
  }
}

}  // namespace
}  // namespace posenc::choose_test
