// frequencies_test.cc: what the encodings read from configurations do: their frequencies, factors
// and options; and those of real files, against the frequencies that transformers makes of them.
//
// POSENC_MODELS is a folder with configs/NAME.json and transformers-frequencies.json: for each name
// "inv_freq" and "attention_scaling", or those of each kind of layers:
// "sliding_attention_inv_freq".
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "posenc/model.h"

namespace posenc::model::frequencies_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// What components of a kind of layers are called.
const std::vector<std::pair<std::string, std::string>> kinds{
    {"", "text"},
    {"full_attention_", "text, full layers"},
    {"sliding_attention_", "text, sliding layers"},
    {"main_", "text, sliding layers (compress ratio 0)"},
    {"compress_", "text, compressed layers"}};

const Rope* rope_of(const Model& model, const std::string& where) {
  for (const Component& part : model.components)
    if (part.where == where && part.ready) return std::get_if<Rope>(&*part.ready);
  return nullptr;
}

void expect_frequencies(const Rope& rope, const std::vector<double>& wanted, double factor) {
  const RotaryPlan plan = prepare(rope, {.length = 1});
  ASSERT_EQ(plan.frequencies().size(), wanted.size());
  for (size_t k = 0; k < wanted.size(); ++k)
    EXPECT_NEAR(radians(plan.frequencies()[k]), wanted[k], 1e-6 * wanted[k]) << "pair " << k;
  EXPECT_NEAR(plan.cos_sin_factor(), factor, 1e-12);
}

TEST(Frequencies, AreThoseOfTransformers) {
  const char* folder = std::getenv("POSENC_MODELS");
  if (!folder) GTEST_SKIP() << "POSENC_MODELS names no folder";
  std::ifstream in(fs::path(folder) / "transformers-frequencies.json");
  const Json all = Json::parse(in);
  size_t compared = 0;
  for (const auto& [name, entry] : all.items()) {
    SCOPED_TRACE(name);
    try {
      const Model model = read((fs::path(folder) / "configs" / (name + ".json")).string());
      for (const auto& [prefix, where] : kinds) {
        if (!entry.contains(prefix + "inv_freq")) continue;
        const Rope* rope = rope_of(model, where);
        EXPECT_NE(rope, nullptr) << where;
        if (!rope) continue;
        expect_frequencies(*rope, entry[prefix + "inv_freq"].get<std::vector<double>>(),
                           entry[prefix + "attention_scaling"].get<double>());
        ++compared;
      }
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
  EXPECT_GE(compared, all.size());
}

// A text model of 4 layers, 4 heads of 16 features and 1024 positions, with more keys.
Model read_small(const std::string& keys) {
  return read_config(R"({"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 4,)"
                     R"( "max_position_embeddings": 1024, )" +
                     keys + "}");
}

Rope small_rope(const std::string& keys, size_t component = 0) {
  return std::get<Rope>(*read_small(keys).components.at(component).ready);
}

double frequency_of(const Rope& rope, size_t pair, int64_t length = 1) {
  const RotaryPlan plan = prepare(rope, {.length = length});
  return radians(plan.frequencies().at(pair));
}

TEST(Ready, PartOfAHeadHasFrequenciesOfItsOwn) {
  const Rope rope = small_rope(R"("model_type": "phi", "partial_rotary_factor": 0.5)");
  EXPECT_EQ(rope.dim, 16);
  EXPECT_EQ(rope.turning(), 8);
  EXPECT_NEAR(frequency_of(rope, 1), std::pow(10000.0, -2.0 / 8), 1e-12);
}

TEST(Ready, LastPartOfAHeadTurns) {
  const Rope rope = small_rope(R"("model_type": "deepseek_v4", "head_dim": 16,)"
                               R"( "qk_rope_head_dim": 4, "compress_ratios": [0, 4, 4, 4])");
  EXPECT_EQ(rope.first_feature(), 12);
  EXPECT_EQ(rope.layout, Layout::interleaved);
}

TEST(Ready, MagnitudesAreWhereTheModelHasThem) {
  const std::string yarn = R"("rope_scaling": {"type": "yarn", "factor": 40, "mscale": 1,)"
                           R"( "mscale_all_dim": 1, "original_max_position_embeddings": 512})";
  const RotaryPlan latent = prepare(small_rope(
      R"("model_type": "deepseek_v3", "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, )" + yarn));
  EXPECT_EQ(latent.cos_sin_factor(), 1);
  EXPECT_NEAR(latent.softmax_factor(), std::pow(1 + 0.1 * std::log(40), 2), 1e-12);
  const RotaryPlan other = prepare(small_rope(R"("model_type": "llama", )" + yarn));
  EXPECT_EQ(other.cos_sin_factor(), 1);
  EXPECT_EQ(other.softmax_factor(),
            1);  // the code of Llama reads mscale_all_dim only for the ratio
}

TEST(Ready, MagnitudesOfPhiMoeGoByLength) {
  const Rope rope = small_rope(
      R"("model_type": "phimoe", "original_max_position_embeddings": 512, "rope_scaling":)"
      R"( {"type": "longrope", "short_mscale": 1.25, "long_mscale": 1.5,)"
      R"( "short_factor": [1, 1, 1, 1, 1, 1, 1, 1], "long_factor": [2, 2, 2, 2, 2, 2, 2, 2]})");
  EXPECT_EQ(prepare(rope, {.length = 512}).cos_sin_factor(), 1.25);
  EXPECT_EQ(prepare(rope, {.length = 513}).cos_sin_factor(), 1.5);
  EXPECT_NEAR(frequency_of(rope, 0, 513), 0.5, 1e-12);
}

TEST(Ready, AlphaIsAConstantFactor) {
  const Rope rope = small_rope(R"("model_type": "hunyuan_v1_dense", "rope_scaling":)"
                               R"( {"type": "dynamic", "alpha": 50, "factor": 1})");
  const double base = 10000 * std::pow(50.0, 16.0 / 14);
  EXPECT_NEAR(frequency_of(rope, 1), std::pow(base, -2.0 / 16), 1e-12);
}

TEST(Ready, PairsOfFullLayersStandStill) {
  const Model model = read_small(R"("model_type": "gemma4_text", "head_dim": 16,)"
                                 R"( "global_head_dim": 32)");
  const Rope rope = std::get<Rope>(*model.components.at(0).ready);
  EXPECT_EQ(rope.turning(), 32);
  EXPECT_NEAR(frequency_of(rope, 3), std::pow(1e6, -6.0 / 32), 1e-12);
  EXPECT_EQ(frequency_of(rope, 4), 0);
}

TEST(Ready, CoordinatesTurnTheirPairs) {
  const std::string sections = R"("rope_scaling": {"mrope_section": [4, 2, 2]})";
  const auto axis = [](const Rope& rope, size_t pair) {
    const RotaryPlan plan = prepare(rope);
    return plan.pairs().at(pair).axis;
  };
  const Rope chunks = small_rope(R"("model_type": "qwen2_vl_text", )" + sections);
  EXPECT_EQ(axis(chunks, 3), 0);
  EXPECT_EQ(axis(chunks, 4), 1);
  EXPECT_EQ(axis(chunks, 6), 2);
  const Rope turns = small_rope(R"("model_type": "qwen3_vl_text", "head_dim": 16, )" + sections);
  EXPECT_EQ(axis(turns, 1), 1);
  EXPECT_EQ(axis(turns, 2), 2);
  EXPECT_EQ(axis(turns, 7), 0);
  const Rope first = small_rope(R"("model_type": "chatglm", "position_encoding_2d": true)");
  EXPECT_EQ(first.blocks, 2);
  EXPECT_EQ(axis(first, 3), 0);
  EXPECT_EQ(axis(first, 4), 1);
}

TEST(Ready, QueriesOfMinistralGrow) {
  const Rope rope = small_rope(
      R"("model_type": "ministral3", "head_dim": 16, "rope_parameters": {"rope_type": "yarn",)"
      R"( "rope_theta": 1e6, "factor": 4, "original_max_position_embeddings": 256,)"
      R"( "llama_4_scaling_beta": 0.1})");
  const auto& temperature = std::get<LogTemperature>(rope.temperature);
  EXPECT_EQ(temperature.factor(255), 1);
  EXPECT_NEAR(temperature.factor(256), 1 + 0.1 * std::log(2), 1e-12);
}

TEST(Ready, NanochatTurnsTheOtherWay) {
  EXPECT_EQ(small_rope(R"("model_type": "nanochat")").sign, Sign::negative);
}

TEST(Ready, SlopesOfFalconAreDividedToo) {
  const Model model = read_small(R"("model_type": "falcon", "alibi": true)");
  const auto& alibi = std::get<Alibi>(*model.components.at(0).ready);
  EXPECT_EQ(alibi.form, AlibiForm::keys);
  EXPECT_NEAR(alibi.slope(0), 0.25 / 4, 1e-12);  // 2^(-8/4), a head of 16
}

// Falcon's are of bf16, and divided as its scores are: 2^(-1/8) is 0.917, of bf16 235/256.
TEST(Ready, SlopesOfFalconAreOfBf16) {
  const Model model = read_config(
      R"({"model_type": "falcon", "hidden_size": 4096, "n_head": 64, "n_layer": 2, "alibi": true})");
  const auto slopes = std::get<Alibi>(*model.components.at(0).ready).slopes;
  EXPECT_EQ(slopes.at(0), 235.0 / 256 / 8);
}

}  // namespace
}  // namespace posenc::model::frequencies_test
