// params_test.cc: the params.json of Meta's and Mistral's own releases.
#include "files.h"

namespace posenc::model::params_test {
namespace {

class Params : public Folder {
 protected:
  Model read(const std::string& json) const {
    return posenc::model::read(write("params.json", json));
  }
};

TEST_F(Params, LlamaTwo) {
  const Model model = read(R"({"dim": 4096, "n_layers": 32, "n_heads": 32, "norm_eps": 1e-05})");
  ASSERT_EQ(model.components.size(), 1u);
  const Component& part = model.components[0];
  EXPECT_EQ(model.format, "params.json");
  EXPECT_EQ(model.family, "llama");
  EXPECT_EQ(fact(part, "layout"), "interleaved");
  EXPECT_EQ(fact(part, "head_dim"), "128");
  EXPECT_EQ(fact(part, "base"), "10000");
  EXPECT_EQ(fact(part, "scaling.type"), "default");
  EXPECT_EQ(std::get<Rope>(part.ready.value()).layout, Layout::interleaved);
  expect_note(model, "assumed: rope_theta is absent: 10000");
  expect_note(model, "reordered to halves");
}

TEST_F(Params, LlamaThreeOneHasAFactorThatNoKeyGives) {
  const Model model = read(
      R"({"dim": 4096, "n_layers": 32, "n_heads": 32, "rope_theta": 500000.0, "use_scaled_rope": true})");
  const auto rule = std::get<Llama3>(std::get<Rope>(model.components[0].ready.value()).scaling);
  EXPECT_EQ(rule.factor, 8);
  EXPECT_EQ(rule.high_freq_factor, 4);
  EXPECT_EQ(rule.original_max_position_embeddings, 8192);
  EXPECT_EQ(fact(model.components[0], "base"), "500000");
  expect_note(model, "assumed: rope_scaling_factor is absent: 8");
  EXPECT_EQ(notes_of(model).find("rope_theta"), std::string::npos);
}

TEST_F(Params, LlamaThreeTwoIsKnownByItsSize) {
  const Model model = read(
      R"({"dim": 2048, "n_layers": 16, "n_heads": 32, "rope_theta": 500000.0, "use_scaled_rope": true})");
  EXPECT_EQ(fact(model.components[0], "scaling.factor"), "32");
  EXPECT_EQ(fact(model.components[0], "head_dim"), "64");
  expect_note(model, "Meta's own code has 8 for every model");
}

TEST_F(Params, LlamaFourHasLayersThatDoNotTurn) {
  const Model model = read(
      R"({"dim": 512, "n_layers": 8, "n_heads": 4, "head_dim": 64, "rope_theta": 500000.0,
          "use_scaled_rope": true, "nope_layer_interval": 4, "attn_temperature_tuning": true,
          "attention_chunk_size": 8192, "vision_args": {"dim": 8}})");
  const Component& part = model.components[0];
  EXPECT_EQ(model.family, "llama4");
  EXPECT_EQ(fact(part, "head_dim"), "64");
  EXPECT_EQ(fact(part, "scaling.factor"), "16");
  EXPECT_EQ(fact(part, "scaling.high_freq_factor"), "1");
  EXPECT_EQ(fact(part, "nope_layers"), "3,7");
  EXPECT_EQ(part.layers, (std::vector<int64_t>{0, 1, 2, 4, 5, 6}));
  EXPECT_EQ(fact(part, "floor_scale"), "8192");
  expect_note(model, "vision_args");
}

TEST_F(Params, Mistral) {
  const Model model = read(
      R"({"dim": 5120, "n_layers": 2, "n_heads": 32, "head_dim": 128, "hidden_dim": 14336,
          "rope_theta": 1000000.0, "sliding_window": 4096, "n_kv_heads": 8})");
  EXPECT_EQ(model.family, "mistral");
  EXPECT_EQ(fact(model.components[0], "layout"), "interleaved");
  EXPECT_EQ(fact(model.components[0], "head_dim"), "128");
  EXPECT_EQ(fact(model.components[0], "window"), "4096");
}

TEST_F(Params, MistralsYarnAndTemperature) {
  const Model model = read(
      R"({"dim": 3072, "n_layers": 2, "n_heads": 32, "head_dim": 128, "hidden_dim": 9216,
          "rope_theta": 1000000.0, "max_position_embeddings": 262144,
          "llama_4_scaling": {"original_max_position_embeddings": 16384, "beta": 0.1},
          "yarn": {"original_max_position_embeddings": 16384, "factor": 16, "apply_scale": false,
                   "beta": 32, "alpha": 1}})");
  const auto& rope = std::get<Rope>(model.components[0].ready.value());
  const auto yarn = std::get<Yarn>(rope.scaling);
  EXPECT_EQ(yarn.factor, 16);
  EXPECT_EQ(yarn.attention_factor, 1);
  EXPECT_EQ(std::get<LogTemperature>(rope.temperature).floor, 16384);
  EXPECT_EQ(fact(model.components[0], "max_position"), "262144");
}

TEST_F(Params, HostileValues) {
  const auto expect = [&](const std::string& json, std::string_view part) {
    const std::string got = message([&] { read(json); });
    EXPECT_NE(got.find(part), got.npos) << "said:   " << got << "\nwanted: " << part;
  };
  expect(R"({"dim": 4096, "n_layers": 32, "n_heads": 0})", "n_heads");
  expect(R"({"dim": 4096, "n_layers": 32, "n_heads": 33})", "that n_heads divides");
  expect(R"({"dim": "x", "n_layers": 32, "n_heads": 32})", "expected a whole number as dim");
  expect(R"({"dim": 64, "n_layers": 1e12, "n_heads": 1})", "expected at most 4096 layers");
  expect(R"({"dim": 64, "n_layers": 4, "n_heads": 1, "nope_layer_interval": 0})",
         "nope_layer_interval of at least 1");
  expect(R"({"dim": 64, "n_layers": 4, "n_heads": 1, "rope_theta": NaN})", "base");
  expect(R"({"dim": 64, "n_layers": 4, "n_heads": 1, "rope_theta": -1})", "base");
  expect(R"({"dim": 64, "n_layers": 4, "n_heads": 1, "yarn": {"factor": 2}})",
         "expected yarn.original_max_position_embeddings");
}

}  // namespace
}  // namespace posenc::model::params_test
