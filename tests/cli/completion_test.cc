// completion_test.cc: shells complete what there is, and the manual page is one.
#include "posenc/posenc.h"

#include <sstream>
#include "tests/cli/tool.h"

namespace posenc::completion_test {
namespace {

class Completion : public Tool {
 protected:
  // What bash offers for the last word of each line; '' is an empty word.
  std::vector<std::vector<std::string>> completed(const std::vector<std::string>& lines) {
    std::string script = "posenc completion bash >c.bash; source c.bash\n";
    for (const std::string& line : lines)
      script += "COMP_WORDS=(" + line +
                "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _posenc; echo \"${COMPREPLY[*]}\"\n";
    write("script", script);
    const Result result = shell("source ./script");
    EXPECT_EQ(result.err, "");
    std::vector<std::vector<std::string>> out;
    std::istringstream answers(result.out);
    for (std::string answer; std::getline(answers, answer);) {
      std::istringstream words(answer);
      out.emplace_back();
      for (std::string word; words >> word;) out.back().push_back(word);
    }
    EXPECT_EQ(out.size(), lines.size());
    return out;
  }
  std::vector<std::string> completed(const std::string& line) {
    return completed(std::vector{line})[0];
  }
  bool offers(const std::string& line, const std::string& word) {
    const auto all = completed(line);
    return std::count(all.begin(), all.end(), word) == 1;
  }
};

using Words = std::vector<std::string>;

TEST_F(Completion, BashCompletesCommandsSchemesAndOptions) {
  EXPECT_EQ(completed("posenc tab"), Words{"table"});
  EXPECT_EQ(completed("posenc --v"), Words{"--version"});
  EXPECT_EQ(completed("posenc table sinu"), Words{"sinusoidal"});
  EXPECT_EQ(completed("posenc table whis"), Words{"whisper"});
  EXPECT_EQ(completed("posenc table whisper --norm"), (Words{"--norm", "--normalize_rows"}));
  EXPECT_EQ(completed("posenc table sinusoidal --pos"), (Words{"--positions", "--position_scale"}));
  EXPECT_EQ(completed("posenc table sinusoidal --base 5 --form"), Words{"--format"});
  EXPECT_EQ(completed("posenc positions seg"), Words{"segments"});
  EXPECT_EQ(completed("posenc completion z"), Words{"zsh"});
  EXPECT_EQ(completed("posenc list hube"), Words{"hubert"});
  EXPECT_EQ(completed("posenc list hubert --kern"), Words{"--kernel"});
  EXPECT_EQ(completed("posenc table hube"), Words{});
  EXPECT_EQ(completed("posenc help tab"), Words{"table"});
}

TEST_F(Completion, BashKnowsEveryOptionOfEveryScheme) {
  std::vector<std::string> lines, expected;
  auto known = schemes();
  known.push_back(info(Convolution{}));
  for (const SchemeInfo& scheme : graph::schemes()) known.push_back(scheme);
  for (const SchemeInfo& scheme : known) {
    lines.push_back("posenc list " + scheme.name), expected.push_back(scheme.name);
    for (const Option& option : scheme.options) {
      lines.push_back("posenc list " + scheme.name + " --" + option.name);
      expected.push_back("--" + option.name);
    }
  }
  const auto answers = completed(lines);
  for (size_t i = 0; i < lines.size(); ++i)
    EXPECT_EQ(std::count(answers[i].begin(), answers[i].end(), expected[i]), 1) << lines[i];
}

TEST_F(Completion, BashCompletesValues) {
  EXPECT_EQ(completed("posenc table sinusoidal --preset whis"), Words{"whisper"});
  EXPECT_EQ(completed("posenc table rope --layout ''"), enum_choices<Layout>());
  EXPECT_EQ(completed("posenc table rope --scaling yar"), Words{"yarn"});
  EXPECT_EQ(completed("posenc table sinusoidal --format cs"), Words{"csv"});
  EXPECT_EQ(completed("posenc show alibi --kind buck"), Words{"buckets"});
  EXPECT_EQ(completed("posenc table sinusoidal --learned_scale t"), Words{"true"});
  EXPECT_EQ(completed("posenc table sinusoidal --out ''"), Words{});  // a file: bash's own affair
}

TEST_F(Completion, BashOffersOnlyWhatASchemeReads) {
  EXPECT_FALSE(offers("posenc apply sinusoidal --inv", "--inverse"));
  EXPECT_TRUE(offers("posenc apply rope --inv", "--inverse"));
  EXPECT_FALSE(offers("posenc table sinusoidal --layo", "--layout"));
  EXPECT_FALSE(offers("posenc show sinusoidal --hea", "--head"));
  EXPECT_TRUE(offers("posenc show alibi --head", "--head"));
}

TEST_F(Completion, ZshReadsIt) {
  output("completion zsh >_posenc");
  EXPECT_TRUE(read("_posenc").starts_with("#compdef posenc\n"));
  if (std::system("command -v zsh >/dev/null") != 0) GTEST_SKIP() << "needs zsh";
  const Result result = shell(
      "zsh -fc 'compadd() { echo $@ }; words=(posenc table rope --layout i); CURRENT=5; "
      "source ./_posenc; words=(posenc table si); CURRENT=3; _posenc'");
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("half interleaved"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("sinusoidal"), std::string::npos) << result.out;
}

TEST_F(Completion, ManualPageNamesEverything) {
  const std::string page = output("man");
  EXPECT_TRUE(page.starts_with(".TH POSENC 1"));
  for (const SchemeInfo& scheme : schemes()) {
    EXPECT_NE(page.find(".SS \"" + scheme.name.substr(0, scheme.name.find('-'))), page.npos)
        << scheme.name;
    for (const PresetInfo& preset : scheme.presets)
      EXPECT_NE(page.find(preset.help.substr(0, preset.help.find_first_of("-\\"))), page.npos)
          << preset.name;
  }
  if (std::system("command -v groff >/dev/null") != 0) GTEST_SKIP() << "needs groff";
  const Result result = shell("posenc man | groff -man -Tutf8 -ww -z");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  const Result text = shell("posenc man | groff -man -Tascii -P-cbou | head -c 100000");
  EXPECT_NE(text.out.find("--positions TEXT"), std::string::npos);
}

TEST_F(Completion, RefusesOtherShells) {
  expect_refusal("completion fish", 2, "unknown shell 'fish'; there is: bash, zsh");
  expect_refusal("completion", 2, "expected a SHELL");
}

}  // namespace
}  // namespace posenc::completion_test
