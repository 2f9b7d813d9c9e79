// options_test.cc: an option that is accepted has a meaning; every other is refused with a
// sentence.
#include <sstream>

#include "posenc/scheme.h"
#include "tests/cli/tool.h"

namespace posenc::options_test {
namespace {

struct Given {
  std::string option, value;
};

class OptionsTest : public Tool {
 protected:
  // What a command that was run says and writes.
  std::string effect(const Result& result) {
    return result.out + (std::filesystem::exists(path("y.npy")) ? read("y.npy") : "");
  }

  // Either the option changes what comes out, or it is refused.
  void expect_meaning(const std::string& arguments, const std::vector<Given>& all) {
    const Result base = posenc(arguments);
    EXPECT_EQ(base.code, 0) << arguments << "\n" << base.err;
    const std::string without = effect(base);
    size_t accepted = 0;
    for (const auto& [option, value] : all) {
      const std::string with = arguments + " --" + option + " " + value;
      const Result result = posenc(with);
      accepted += result.code == 0;
      if (result.code == 0) {
        EXPECT_TRUE(effect(result) != without) << with << " was accepted and changes nothing";
      } else {
        EXPECT_EQ(result.code, 2) << with << "\n" << result.err;
        EXPECT_TRUE(result.err.starts_with("posenc: expected ")) << with << "\n" << result.err;
      }
    }
    EXPECT_GT(accepted, 0u) << arguments;
  }
};

const std::string schemes_to_try[] = {"sinusoidal --dim 16",
                                      "learned --dim 16",
                                      "nerf",
                                      "rope --layout half --dim 16",
                                      "rope --layout half --dim 16 --scaling dynamic --length 4096",
                                      "alibi",
                                      "alibi --learned_slopes",
                                      "t5",
                                      "fire",
                                      "window"};
bool acts_on_scores(const std::string& scheme) {
  return scheme.starts_with("alibi") || scheme == "t5" || scheme == "fire" || scheme == "window";
}
bool has_length(const std::string& scheme) { return scheme.find("--length") != scheme.npos; }

TEST_F(OptionsTest, EveryOptionOfTableMeansSomething) {
  for (const std::string& scheme : schemes_to_try) {
    std::vector<Given> all{{"seed", "7"},    {"format", "csv"},  {"json", ""},   {"dtype", "f64"},
                           {"full", "true"}, {"queries", "2:5"}, {"keys", "3:5"}};
    if (scheme != "nerf") all.push_back({"positions", "2:5"});
    if (!has_length(scheme) && scheme != "fire") all.push_back({"length", "5000"});
    expect_meaning("table " + scheme, all);
    expect_meaning("table " + scheme + " --json", {{"full", "true"}, {"dtype", "bf16"}});
  }
}

TEST_F(OptionsTest, EveryOptionOfShowMeansSomething) {
  for (const std::string& scheme : schemes_to_try)
    for (const std::string kind :
         {"heatmap", "waves", "similarity", "wavelengths", "decay", "rules", "curves", "buckets"}) {
      const std::string start = "show " + scheme + " --kind " + kind;
      if (posenc(start).code != 0) continue;  // no such picture of that scheme
      std::vector<Given> all{{"seed", "7"}, {"size", "50x15"}, {"columns", "3"}, {"head", "1"}};
      if (scheme != "nerf") all.push_back({"positions", "3:41"});
      if (!has_length(scheme) && scheme != "fire") all.push_back({"length", "5000"});
      expect_meaning(start, all);
    }
}

TEST_F(OptionsTest, EveryOptionOfCheckAndFrequenciesMeansSomething) {
  for (const std::string& scheme : schemes_to_try) {
    std::vector<Given> all{{"seed", "7"}, {"json", ""}};
    if (!has_length(scheme) && scheme != "fire") all.push_back({"length", "5000"});
    if (!acts_on_scores(scheme) && !scheme.starts_with("learned"))
      expect_meaning("frequencies " + scheme, all);
    expect_meaning("check " + scheme + " --tokens 40", all);
  }
}

TEST_F(OptionsTest, EveryOptionOfApplyMeansSomething) {
  write_arrays(path("rows.npy"), {{"", numbered(DType::f32, {3, 5, 16})}});
  write_arrays(path("scores.npy"), {{"", numbered(DType::f32, {3, 5, 5})}});
  for (const std::string& scheme : schemes_to_try) {
    if (scheme == "nerf" || scheme == "window") continue;  // need positions, another size
    const std::string in = acts_on_scores(scheme) ? "scores.npy" : "rows.npy";
    std::vector<Given> all{{"seed", "7"},        {"positions", "3:8"},     {"json", ""},
                           {"queries", "3:8"},   {"keys", "2:7"},          {"shape", "htd"},
                           {"inverse", ""},      {"adjoint", ""},          {"causal", ""},
                           {"first_query", "3"}, {"softmax_scale", "0.5"}, {"scale_on", "sum"}};
    if (in == "rows.npy") all[5].value = "btd";
    if (scheme == "alibi" || scheme == "t5") all.push_back({"first_head", "2"});
    if (scheme != "alibi") all.push_back({"first_key", "2"});
    if (!has_length(scheme) && scheme != "fire") all.push_back({"length", "5000"});
    const bool rotary = scheme.starts_with("rope");  // which does nothing without a shape
    if (rotary) all.erase(all.begin() + 5);
    expect_meaning(
        "apply " + scheme + (rotary ? " --shape thd" : "") + " --in " + in + " --out y.npy", all);
  }
}

TEST_F(OptionsTest, SaysWhenAnOptionHasAMeaning) {
  const std::pair<std::string, std::string_view> cases[] = {
      {"show sinusoidal --head 3", "expected a bias of scores with --head, got sinusoidal"},
      {"show alibi --head 3", "expected the kind heatmap with --head, got curves"},
      {"show alibi --columns 3", "expected an absolute scheme or a rotary scheme with --columns"},
      {"show sinusoidal --columns 3", "expected the kind waves with --columns, got heatmap"},
      {"show sinusoidal --kind wavelengths --positions 0:4", "with --positions, got wavelengths"},
      {"show t5 --kind buckets --seed 3", "with --seed, got buckets"},
      {"table rope --layout half --length 5",
       "--scaling dynamic-linear or dynamic or longrope with --length"},
      {"accuracy rope --preset llama --length 5",
       "--scaling dynamic-linear or dynamic or longrope with --length"},
      {"accuracy --numerics exact", "expected no --numerics"},
      {"table sinusoidal --seed 3", "no weight is random here"},
      {"table alibi --learned_slopes --seed 3", "no weight is random here"},
      {"table sinusoidal --full --json", "expected --format text with --full"},
      {"table sinusoidal --bands 3", "expected an option of sinusoidal, got --bands"},
      {"list --dim 8", "expected a SCHEME before --dim"},
      {"positions range --json --out p.npy", "got both"},
      {"positions range --json --full", "expected a strip with --full"},
      {"positions shard --tokens 8 --lengths 4,4", "got both"},
      {"show sinusoidal --size 100", "WIDTHxHEIGHT"},
      {"show sinusoidal --size 3x4", "expected"},
      {"show sinusoidal --size axb", "expected the width to be an integer"},
  };
  for (const auto& [arguments, part] : cases) expect_refusal(arguments, 2, part);
}

TEST_F(OptionsTest, SuggestsWhatWasMeantOrNothing) {
  const std::pair<std::string, std::string_view> cases[] = {
      {"table sinusoidal --pos 3", "did you mean '--positions'?"},
      {"table learned --pos 3", "did you mean '--positions'?"},
      {"table sinusoidal --ros 3", "unknown option '--ros'; --help lists what exists"},
      {"table learned --ros 3", "did you mean '--rows'?"},
      {"table sinusoidal --xyz 3", "unknown option '--xyz'; --help lists what exists"},
      {"table sinusoidal --fromat csv", "did you mean '--format'?"},
      {"freq sinusoidal", "did you mean 'frequencies'?"},
      {"table rope --preset llama-3.1", "did you mean 'llama3.1'?"},
      {"table rope --layout hlaf", "did you mean 'half'?"},
      {"plot sinusoidal", "unknown command 'plot'; there is: demo"},
  };
  for (const auto& [arguments, part] : cases) expect_refusal(arguments, 2, part);
}

// The options of a command, from its help: name and the kinds of schemes that read it, or all.
std::vector<std::pair<std::string, std::string>> own_options(const std::string& help) {
  std::vector<std::pair<std::string, std::string>> out;
  std::istringstream lines(help.substr(help.find("\noptions:\n") + 10));
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    if (!line.starts_with("  --")) continue;
    const std::string name = line.substr(4, line.find_first_of(" \n", 4) - 4);
    const size_t colon = line.find(": ");
    const std::string before = line.substr(0, std::min(colon, line.size()));
    std::string readers;
    for (const std::string kind : {"absolute", "rotary", "biases"})
      if (colon != line.npos && before.find(" " + kind) != before.npos) readers += kind;
    out.emplace_back(name, readers);
  }
  return out;
}

// Beside a scheme every option of the command that it reads can be set.
TEST_F(OptionsTest, NoOptionOfASchemeHidesOneOfACommand) {
  const auto content = alternative_names<Content>();
  for (const std::string command :
       {"table", "apply", "show", "check", "shift", "accuracy", "frequencies", "list"}) {
    const auto own = own_options(output(command + " --help"));
    EXPECT_GE(own.size(), 3u) << command;
    for (const SchemeInfo& scheme : schemes()) {
      if (std::count(content.begin(), content.end(), scheme.name) && command != "list")
        continue;  // refused: for the library alone
      const std::string kind = scheme.acts_on == "scores" ? "biases" : scheme.family;
      for (const auto& [name, readers] : own)
        for (const Option& option : scheme.options)
          EXPECT_FALSE(option.name == name &&
                       (readers.empty() || readers.find(kind) != readers.npos))
              << command << " and " << scheme.name << " both have --" << name;
    }
  }
}

TEST_F(OptionsTest, PicturesOfEverySchemeHaveASize) {
  const std::string text = output("show window --height 3 --width 4 --size 60x20");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 20);
}

}  // namespace
}  // namespace posenc::options_test
