// models_test.cc: explain, lint, diff, and models in the place of schemes.
#include "posenc/posenc.h"
#include "tests/cli/tool.h"

namespace posenc {
namespace {

const std::string llama =
    R"("model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2)";
const std::string scaled =
    R"("rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,)"
    R"( "high_freq_factor": 4.0, "original_max_position_embeddings": 8192})";
const std::string llama3 =
    "{" + llama + R"(, "rope_theta": 500000, "max_position_embeddings": 131072, )" + scaled + "}";
const std::string plain =
    "{" + llama + R"(, "rope_theta": 10000, "max_position_embeddings": 2048})";

class Models : public Tool {
 protected:
  void SetUp() override {
    Tool::SetUp();
    write("llama3.json", llama3), write("plain.json", plain);
  }
};

TEST_F(Models, ExplainTellsWhatThePlanHas) {
  const Json all = json("explain llama3.json --frequencies --json");
  EXPECT_EQ(all["path"], "llama3.json");
  EXPECT_EQ(all["family"], "llama");
  ASSERT_EQ(all["components"].size(), 1u);
  const Json part = all["components"][0];
  EXPECT_EQ(part["where"], "text");
  EXPECT_EQ(part["scheme"], "rope");
  EXPECT_EQ(part["runnable"], true);
  EXPECT_EQ(part["layout"], "half");
  EXPECT_EQ(part["head_dim"], 64);
  EXPECT_EQ(part["scaling"]["type"], "llama3");
  EXPECT_EQ(part["scaling"]["factor"], 8);
  EXPECT_EQ(part["trained_length"], 8192);
  EXPECT_EQ(part["usable_length"], 131072);
  const Llama3 rule{.factor = 8, .original_max_position_embeddings = 8192};
  const auto plan =
      prepare(Rope{.dim = 64, .layout = Layout::half, .base = 500000, .scaling = rule});
  for (size_t k = 0; k < 32; ++k)
    EXPECT_EQ(part["frequencies"][k].get<double>(), radians(plan.frequencies()[k])) << k;
  const std::string text = output("explain llama3.json");
  for (const char* told : {"text: rope", "llama3, factor 8", "rope_theta = 500000",
                           "131072 tokens, trained on 8192", "32 pairs"})
    EXPECT_NE(text.find(told), text.npos) << told << "\n" << text;
}

TEST_F(Models, ExplainTakesFoldersTextAndRefusesTheRest) {
  std::filesystem::create_directory(path("model"));
  write("model/config.json", llama3);
  EXPECT_EQ(json("explain model --json")["components"],
            json("explain llama3.json --json")["components"]);
  EXPECT_EQ(json("explain '" + plain + "' --json")["components"],
            json("explain plain.json --json")["components"]);
  std::filesystem::create_directory(path("empty"));
  write("text.txt", "hello");
  write("other.json", R"({"model_type": "mystery", "rope_theta": 1})");
  write("broken.json", R"({"model_type": "llama", )");
  expect_refusal("explain empty", 1, "in the folder, got nothing");
  expect_refusal("explain text.txt", 1, "expected a config.json");
  expect_refusal("explain other.json", 1, "not known: no rule covers model_type \"mystery\"");
  expect_refusal("explain broken.json", 1, "expected a name in quotes");
  expect_refusal("explain nowhere.json", 1, "No such file");
  expect_refusal("explain", 2, "expected a MODEL");
  expect_refusal("explain plain.json --length 0", 2, "a length of at least 1");
}

TEST_F(Models, LintFailsWhereSomethingIsWrong) {
  write("odd.json", "{" + llama +
                        R"(, "rope_theta": 10000, "max_position_embeddings": 2048,)"
                        R"( "rope_embedding_something": 7})");
  const Result odd = posenc("lint odd.json --kinds conflict,ignored");
  EXPECT_EQ(odd.code, 1);
  EXPECT_NE(odd.out.find("rope_embedding_something = 7"), odd.out.npos) << odd.out;
  EXPECT_NE(odd.err.find("1 found"), odd.err.npos) << odd.err;
  EXPECT_EQ(json("lint plain.json --kinds conflict,ignored --json")["found"].size(), 0u);
  expect_refusal("lint plain.json --kinds wrong", 2, "unknown kind 'wrong'");
}

TEST_F(Models, DiffMeasuresPhases) {
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
  expect_refusal("diff plain.json", 2, "expected a MODEL MODEL");
  expect_refusal("diff plain.json plain.json --lengths 0", 2, "whole numbers from 1");
  expect_refusal("diff plain.json plain.json --out d.txt", 2, ".png or .svg");
}

TEST_F(Models, ModelsStandForSchemes) {
  const std::string scheme = " rope --layout half --dim 64 --base 10000 ";
  const auto same = [&](const std::string& verb, const std::string& rest) {
    EXPECT_EQ(output(verb + " --model plain.json " + rest), output(verb + scheme + rest)) << verb;
  };
  same("table", "--positions 5:9");
  same("frequencies", "");
  same("show", "--kind wavelengths --size 60x20");
  output("table sinusoidal --dim 64 --positions 0:6 --out x.npy");
  output("apply --model plain.json --in x.npy --out turned.npy");
  output("apply" + scheme + "--in x.npy --out wanted.npy");
  EXPECT_EQ(read("turned.npy"), read("wanted.npy"));
  // Options refine what the model says.
  EXPECT_EQ(output("frequencies --model plain.json --base 20000"),
            output("frequencies rope --layout half --dim 64 --base 20000"));
  expect_refusal("table rope --model plain.json --positions 1", 2, "a SCHEME or --model, got both");
  expect_refusal("table --part text --positions 1", 2, "expected --model beside --part");
  expect_refusal("table --model plain.json --part vision --positions 1", 2, "got none of 'text'");
  expect_refusal("table --model nowhere.json --positions 1", 1, "nowhere.json");
}

TEST_F(Models, WhatAModelCannotSayIsAskedFor) {
  write("gpt2.json", R"({"model_type": "gpt2", "n_positions": 32, "n_embd": 8, "n_head": 2})");
  expect_refusal("table --model gpt2.json --positions 1", 2,
                 "expected --weights FILE beside --model");
  output("table --model gpt2.json --positions 1 --seed 3");
  // A length rule that asks gets the length of the model.
  write("dynamic.json", "{" + llama +
                            R"(, "rope_theta": 10000, "max_position_embeddings": 4096,)"
                            R"( "rope_scaling": {"type": "dynamic", "factor": 2.0}})");
  EXPECT_EQ(json("frequencies --model dynamic.json --json")["length"], 4096);
  EXPECT_EQ(json("frequencies --model dynamic.json --length 9000 --json")["length"], 9000);
  // A key that nothing reads is no difference, and is said so.
  const Result typo = posenc(R"(diff plain.json '{"rope_thetta": 1}')");
  EXPECT_EQ(typo.code, 0);
  EXPECT_NE(typo.out.find("No difference."), typo.out.npos);
  EXPECT_NE(typo.err.find("rope_thetta = 1 is not read"), typo.err.npos) << typo.err;
}

TEST_F(Models, RowsOfATable) {
  output("table sinusoidal --dim 8 --positions 0:20 --out t.safetensors");
  const auto rows = [&](const std::string& how) {
    return output("convert rows --in t.safetensors --tensor table --rows 31 --out o.safetensors " +
                  how);
  };
  EXPECT_NE(rows("--keep 2").find("20 rows of 8 became 31 (linear); the first 2"),
            std::string::npos);
  const auto old = values(read_array(path("t.safetensors"), "table").view());
  const auto made = values(read_array(path("o.safetensors"), "table").view());
  ASSERT_EQ(made.size(), 31u * 8);
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(made[i], old[i]);
  for (const char* how : {"copy", "repeat", "cubic"}) {
    const std::string said = rows("--how " + std::string(how));
    const size_t at = said.find("within ");
    ASSERT_NE(at, said.npos) << said;
    EXPECT_LT(std::stod(said.substr(at + 7)), 1.3e-7) << said;
  }
  expect_refusal("convert rows --in t.safetensors --tensor table --out o.safetensors", 2,
                 "--rows N");
  expect_refusal("convert rows --in t.safetensors --tensor x --rows 4 --out p.safetensors", 1,
                 "expected one tensor \"x\", got 0");
  expect_refusal(
      "convert rows --in t.safetensors --tensor table --rows 4 --keep 4 --out p.safetensors", 2,
      "--keep from 0");
  expect_refusal("convert rows --in t.safetensors --heads 4 --out p.safetensors", 2,
                 "expected convert layout beside --heads");
}

}  // namespace
}  // namespace posenc
