// commands_test.cc: list, shift, show, identify, accuracy, demo and bench do what they say.
#include <cmath>
#include <set>

#include "posenc/posenc.h"
#include "tests/cli/tool.h"
#include "tests/support/paths.h"

namespace posenc::commands_test {
namespace {

TEST_F(Tool, VersionIsThatOfTheLibrary) {
  EXPECT_EQ(output("--version"), "posenc " POSENC_VERSION "\n");
}

TEST_F(Tool, ListTellsEverythingThereIs) {
  const Json all = json("list --json")["schemes"];
  auto known = schemes();
  known.push_back(info(Convolution{}));
  for (const SchemeInfo& scheme : graph::schemes()) known.push_back(scheme);
  ASSERT_EQ(all.size(), known.size());
  for (size_t i = 0; i < known.size(); ++i) {
    EXPECT_EQ(all[i]["name"], known[i].name);
    EXPECT_EQ(all[i]["family"], known[i].family);
    EXPECT_EQ(all[i]["acts_on"], known[i].acts_on);
    EXPECT_EQ(all[i]["learned"].size(), known[i].weights.size());
    EXPECT_EQ(all[i]["presets"].size(), known[i].presets.size());
    ASSERT_EQ(all[i]["fields"].size(), known[i].options.size());
    for (size_t f = 0; f < known[i].options.size(); ++f) {
      EXPECT_EQ(all[i]["fields"][f]["name"], known[i].options[f].name);
      EXPECT_EQ(all[i]["fields"][f]["help"], known[i].options[f].help);
      EXPECT_TRUE(all[i]["fields"][f].contains("default"));
    }
    EXPECT_NE(output("list").find(known[i].name), std::string::npos);
  }
  EXPECT_EQ(all[0]["fields"][0]["default"], 512);
  EXPECT_EQ(json("list sinusoidal --preset whisper --json")["schemes"][0]["fields"][0]["default"],
            384);
}

TEST_F(Tool, SchemesByOtherNames) {
  EXPECT_EQ(json("list mae --json")["schemes"][0]["name"], "grid-sinusoidal");
  EXPECT_EQ(json("list whisper --json")["schemes"][0]["fields"][0]["default"], 384);
  EXPECT_EQ(json("list data2vec --json")["schemes"][0]["name"], "convolution");
  EXPECT_EQ(json("list convolution --kernel 5 --json")["schemes"][0]["fields"][2]["default"], 5);
  EXPECT_EQ(json("list wav2vec2 --dim 32 --json")["schemes"][0]["fields"][0]["default"], 32);
  EXPECT_EQ(json("list rwpe --json")["schemes"][0]["name"], "random-walk");
  EXPECT_EQ(json("list laplacian --preset signnet --json")["schemes"][0]["name"], "laplacian");
  expect_refusal("list wav2vce2", 2, "unknown scheme 'wav2vce2'; did you mean 'wav2vec2'?");
  expect_refusal("list convolution --kernle 5", 2, "did you mean '--kernel'?");
  expect_refusal("table sinusoidal --kernel 5", 2, "unknown option '--kernel'");
  expect_refusal("table wav2vec2", 2, "got wav2vec2, a convolution of the input");
  const std::string rest = " --dim 8 --positions '1;2'";
  EXPECT_EQ(output("table mae" + rest), output("table grid-sinusoidal --preset mae" + rest));
  EXPECT_EQ(output("table mae --preset detr" + rest),
            output("table grid-sinusoidal --preset detr" + rest));
  const std::string turns = " --layout half --dim 8 --positions 0:3 --scaling.factor 4";
  EXPECT_EQ(output("table pi" + turns), output("table rope --scaling linear" + turns));
  const std::string list = output("list");
  for (const char* line : {"pi                     rope --scaling linear", "posenc list mae"})
    EXPECT_NE(list.find(line), list.npos) << line;
  for (const auto& scheme : json("list --json")["schemes"])
    for (const auto& alias : scheme["aliases"]) EXPECT_NE(alias["name"], scheme["name"]);
  expect_refusal("mae --dim 8", 2,
                 "expected a command before the scheme, such as posenc table mae");
}

// As others write them: with capitals, hyphens, dots.
TEST_F(Tool, SchemesAsOthersSpellThem) {
  EXPECT_EQ(output("list GPT-2"), output("list gpt2"));
  EXPECT_EQ(output("list swinv2"), output("list swin-v2"));
  EXPECT_EQ(output("list lap_pe"), output("list lappe"));
  const std::string rest = " --dim 8 --positions '1;2'";
  EXPECT_EQ(output("table MAE" + rest), output("table mae" + rest));
}

// What schemes, presets and the places of rotations say whose they are.
TEST_F(Tool, SchemesByTheirModels) {
  const auto says = [&](const std::string& name, const std::string& line) {
    const std::string said = output("list '" + name + "'");
    EXPECT_NE(said.find("\n  " + line), said.npos) << said;
  };
  says("qwen3-vl", "learned-grid --preset qwen3-vl ");
  says("qwen3-vl", "rope --preset qwen3-vl ");
  says("Qwen2.5-VL", "rope --preset qwen2-vl ");
  says("kimi_k25", "learned-grid --preset kimi ");
  says("baichuan", "alibi  ");
  says("nemo", "transformer-xl --preset conformer ");
  says("llama4", "rope --preset llama4-vision ");
  says("graphgps", "laplacian  ");
  says("rerope", "rope  ");
  says("dual-chunk", "rope  ");
  says("SmolLM3", "rope  ");
  EXPECT_EQ(json("list qwen3-vl --json")["schemes"].size(), 2u);
  for (const char* word : {"nothing", "columns", "then"})
    expect_refusal(std::string("list ") + word, 2, "unknown scheme");
}

TEST_F(Tool, PatchesAreDrawn) {
  for (const std::string scheme :
       {"mae --dim 16", "sinusoidal --dim 16", "vit --dim 8", "learned --rows 48 --dim 8"}) {
    output("show " + scheme + " --kind patches --grid 6x8 --patch 2,3 --out p.svg");
    EXPECT_NE(read("p.svg").find("patch 2, 3"), std::string::npos) << scheme;
  }
  expect_refusal("show mae --kind patches --grid 6x8 --patch 6,0", 2,
                 "expected --patch ROW,COLUMN");
  expect_refusal("show mae --grid 6x8", 2, "expected the kind patches with --grid");
  expect_refusal("show llama --kind patches", 2, "expected an absolute scheme");
}

TEST_F(Tool, ShiftIsARotationOfEachPair) {
  const Json shift = json("shift sinusoidal --dim 4 --k 3 --positions 10,-5 --json");
  for (size_t pair = 0; pair < 2; ++pair) {
    const double angle = 3 * std::pow(10000.0, -static_cast<double>(pair) / 2);
    EXPECT_NEAR(shift["pairs"][pair]["cos"].get<double>(), std::cos(angle), 1e-15);
    EXPECT_NEAR(shift["matrix"][2 * pair][2 * pair + 1].get<double>(), std::sin(angle), 1e-15);
    EXPECT_NEAR(shift["matrix"][2 * pair + 1][2 * pair].get<double>(), -std::sin(angle), 1e-15);
  }
  EXPECT_NEAR(shift["positions"][0]["there"][0].get<double>(), std::sin(13), 1e-15);
  EXPECT_NEAR(shift["positions"][1]["moved"][0].get<double>(), std::sin(-2), 2e-15);
  EXPECT_LE(shift["error"]["f32"].get<double>(), 1.2e-7);
  EXPECT_LE(shift["error"]["f64"].get<double>(), 1.5e-15);
}

TEST_F(Tool, ShiftComposesAndInverts) {
  const Json there = json("shift sinusoidal --dim 8 --k 5 --compose 7 --json");
  const Json direct = json("shift sinusoidal --dim 8 --k 12 --json");
  const Json back = json("shift sinusoidal --dim 8 --k -12 --inverse --json");
  EXPECT_EQ(there["k"], 12);
  EXPECT_EQ(back["k"], 12);
  for (size_t i = 0; i < 4; ++i)
    for (const Json* other : {&there, &back})  // two phases, each off by 2^-64 turns at most
      EXPECT_NEAR((*other)["pairs"][i]["sin"].get<double>(),
                  direct["pairs"][i]["sin"].get<double>(), 5e-16);
}

TEST_F(Tool, ShowDrawsEveryKind) {
  for (const std::string kind : {"heatmap", "waves", "similarity", "wavelengths"}) {
    const std::string arguments = "show sinusoidal --dim 32 --kind " + kind;
    const std::string text = output(arguments + " --size 60x20");
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 20) << kind;
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << "colours in a file";
    output(arguments + " --out p.png --size 400x300");
    const std::string png = read("p.png");
    ASSERT_TRUE(png.starts_with("\x89PNG"));
    const auto number = [&](size_t at) {
      return static_cast<unsigned char>(png[at + 2]) * 256 +
             static_cast<unsigned char>(png[at + 3]);
    };
    EXPECT_EQ(number(16), 400);
    EXPECT_EQ(number(20), 300);
    output(arguments + " --out p.svg");
    EXPECT_NE(read("p.svg").find("<svg"), std::string::npos);
  }
  for (const SchemeInfo& scheme : schemes())
    if (scheme.acts_on != "scores")
      output("show " + scheme.name + " --preset " + scheme.presets[0].name + " --size 80x12");
}

TEST_F(Tool, CheckGivesAVerdictOnEveryClaim) {
  const auto verdicts = [&](const std::string& arguments) {
    std::map<std::string, std::string> out;
    const Json answer = json("check " + arguments + " --json");
    for (const Json& p : answer["properties"]) {
      out[p["name"]] = p["verdict"];
      EXPECT_NE(p["evidence"], "") << p["name"];
      EXPECT_NE(output("check " + arguments).find(p["name"].get<std::string>()), std::string::npos);
    }
    return out;
  };
  EXPECT_EQ(verdicts("sinusoidal --dim 32").at("unique-rows"), "holds");
  EXPECT_GE(verdicts("learned --dim 8 --tokens 40").size(), 4u);
  expect_refusal("check sinusoidal --tokens 1", 2, "expected");
}

TEST_F(Tool, IdentifyTellsPresetAndMistake) {
  output("table sinusoidal --preset marian --dim 32 --positions 0:100 --out right.npy");
  output("table sinusoidal --base 1000 --dim 32 --positions 0:100 --out wrong.safetensors");
  const Json right = json("identify right.npy --json"),
             wrong = json("identify wrong.safetensors --json");
  EXPECT_EQ(right["match"], "marian");
  EXPECT_TRUE(right["mistake"].is_null());
  EXPECT_LE(right["error"].get<double>(), 3.1e-8);
  EXPECT_EQ(wrong["match"], "paper");
  EXPECT_EQ(wrong["mistake"], "wrong-base");
  EXPECT_EQ(wrong["kind"], "sinusoidal");
  EXPECT_EQ(wrong["command"], "posenc table sinusoidal --dim 32 --base 1000 --positions 0:100");
  EXPECT_NE(output("identify right.npy").find("marian"), std::string::npos);
}

TEST_F(Tool, AccuracyStatesTheContract) {
  const Json accuracy = json("accuracy --dim 32 --json");
  EXPECT_TRUE(accuracy["contract"]["holds"].get<bool>());
  EXPECT_NEAR(accuracy["contract"]["f32"].get<double>(), 3.1e-8, 1e-10);
  size_t exact = 0, torch = 0;
  for (const Json& entry : accuracy["errors"]) {
    const double error = entry["error"].get<double>();
    if (entry["numerics"] == "exact" && entry["dtype"] == "f32") {
      EXPECT_LE(error, 3.1e-8);
      EXPECT_GE(error, 2e-8) << "no f32 row is nearer to the truth than its rounding";
      ++exact;
    }
    if (entry["numerics"] == "torch-f32" && entry["up_to"] == int64_t{1} << 31) {
      EXPECT_GT(error, 0.1);
      ++torch;
    }
  }
  EXPECT_EQ(exact, 8u);
  EXPECT_EQ(torch, 3u);
}

// Half an ulp is 2^-24 from 1 to 2, and 2^-18 from 64 to 128.
TEST_F(Tool, AccuracyStatesTheContractAboveOne) {
  for (const auto& [arguments, factor, half_ulp] :
       std::vector<std::tuple<std::string, double, double>>{
           {"rope --preset gpt-oss", 0.1 * std::log(32) + 1, 0x1p-24},
           {"--dim 32 --scale 100", 100, 0x1p-18},
           {"--dim 32 --scale -2", 2, 0x1p-24},
           {"--dim 32 --scale 0", 0, 0x1p-25}}) {
    SCOPED_TRACE(arguments);
    const Json contract = json("accuracy " + arguments + " --json")["contract"];
    EXPECT_TRUE(contract["holds"].get<bool>());
    EXPECT_DOUBLE_EQ(contract["amplitude"].get<double>(), factor);
    EXPECT_DOUBLE_EQ(contract["f32"].get<double>(), 1.2e-9 * factor + half_ulp);
    EXPECT_DOUBLE_EQ(contract["f64"].get<double>(), 4e-16 * factor);
  }
  const std::string text = output("accuracy --dim 32 --scale 100");
  EXPECT_NE(text.find("Here A is 100; the bounds are 3.9e-06 and 4.0e-14"), text.npos) << text;
  EXPECT_NE(text.find("the contract holds"), text.npos) << text;
}

// Frequencies of these rules belong to a text of some length, and positions end with it.
TEST_F(Tool, AccuracyOfRulesThatReadTheLength) {
  const std::string dynamic = "accuracy rope --dim 32 --layout half --scaling dynamic ";
  const auto ends = [&](const std::string& length) {
    std::set<int64_t> out;
    const Json accuracy = json(dynamic + length + " --json");
    EXPECT_TRUE(accuracy["contract"]["holds"].get<bool>());
    for (const Json& entry : accuracy["errors"]) out.insert(entry["up_to"].get<int64_t>());
    return out;
  };
  EXPECT_EQ(ends("--length 5000"), (std::set<int64_t>{1000, 4999}));
  EXPECT_EQ(ends("--length 800"), (std::set<int64_t>{799}));  // shorter than the text of training
  EXPECT_EQ(*ends("").rbegin(), int64_t{1} << 31);
  EXPECT_NE(output(dynamic + "--length 5000").find(" for 5000 tokens, against"), std::string::npos);
  expect_refusal(dynamic + "--length 200", 2,
                 "expected --length above 300, which are measured together, got 200");
}

TEST_F(Tool, DemoTellsWhatItWrites) {
  const std::string text = output("demo --out pictures");
  for (const char* part : {"ALiBi", "  posenc explain '{", "text: rope", "  posenc list"})
    EXPECT_NE(text.find(part), text.npos) << part;
  // Nobody can type posenc where it is not on the PATH. What an emulator runs is elsewhere.
  if (!tool_dir().ends_with("/emulated")) {
    const auto run = std::filesystem::path(tool_dir() + "/../../../../run").lexically_normal();
    const std::string runner = std::filesystem::exists(run) ? run.string() : tool_dir() + "/posenc";
    EXPECT_NE(text.find("posenc is " + runner + " here."), text.npos) << text;
    // The demo alone, which is what the first ./run demo builds.
    EXPECT_EQ(shell("'" + tool_dir() + "/posenc-demo' demo --out pictures").out, text);
    const Result found = shell("PATH='" + tool_dir() + "':\"$PATH\" posenc demo");
    EXPECT_EQ(found.out.find("posenc is "), text.npos);
  }
  const Result run = shell("cd '" + source_path() + "' && posenc demo --out \"$OLDPWD/run\"");
  EXPECT_NE(run.out.find("  ./run list"), text.npos) << run.out;
  for (const std::string name : {"heatmap", "waves", "similarity", "wavelengths"}) {
    const std::string file = "pictures/" + name + ".png";
    EXPECT_NE(text.find(file), std::string::npos);
    EXPECT_TRUE(read(file).starts_with("\x89PNG"));
  }
}

// A pseudo-terminal from script(1): there are colours, and NO_COLOR takes them away.
TEST_F(Tool, ColoursOnlyOnATerminal) {
  if (std::system("command -v script >/dev/null") != 0) GTEST_SKIP() << "needs script(1)";
  const std::string show = " '" + tool_dir() + "/posenc' show sinusoidal --dim 8\" /dev/null";
  const Result colours = shell("script -qec \"env -u NO_COLOR TERM=xterm-256color" + show);
  EXPECT_NE(colours.out.find("\x1b[38;5;"), std::string::npos);
  const Result plain = shell("script -qec \"env NO_COLOR=1 TERM=xterm-256color" + show);
  EXPECT_EQ(plain.out.find("\x1b["), std::string::npos);
}

}  // namespace
}  // namespace posenc::commands_test
