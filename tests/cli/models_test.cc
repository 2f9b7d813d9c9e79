// models_test.cc: explain, and models in the place of schemes.
#include "tests/cli/models.h"
#include "posenc/posenc.h"

namespace posenc::models_test {
namespace {

TEST_F(Models, ExplainTellsWhatThePlanHas) {
  const Json all = json("explain llama3.json --frequencies --json");
  EXPECT_EQ(all["path"], "llama3.json");
  EXPECT_EQ(all["family"], "llama");
  ASSERT_EQ(all["components"].size(), 1u);
  const Json part = all["components"][0];
  EXPECT_EQ(part["where"], "text");
  EXPECT_EQ(part["scheme"], "rope");
  EXPECT_EQ(part["runnable"], true);
  EXPECT_EQ(part["options_of"], "rope");
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
  for (const char* told : {"text: rope", "llama3, factor 8",
                           "rope_theta =", "131072 tokens, trained on 8192", "32 pairs"})
    EXPECT_NE(text.find(told), text.npos) << told << "\n" << text;
}

TEST_F(Models, ExplainReadsAsAskedAndSaysSo) {
  write("other.json", R"({"model_type": "mystery", "hidden_size": 256, "num_attention_heads": 4, )"
                      R"("num_hidden_layers": 2, "rope_theta": 10000})");
  expect_refusal("explain other.json", 1, "(posenc explain MODEL --as llama)");
  const Json all = json("explain other.json --as llama --json");
  EXPECT_EQ(all["family"], "mystery");
  ASSERT_EQ(all["components"].size(), 1u);
  EXPECT_EQ(all["components"][0]["head_dim"], 64);
  EXPECT_EQ(all["components"][0]["assumed"], "read as llama, as asked");
  const std::string text = output("explain other.json --as llama");
  EXPECT_NE(text.find("read as llama, as asked"), text.npos) << text;
  expect_refusal("explain other.json --as lama", 2, "expected a model_type that a rule covers");
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
  expect_refusal("explain meta-llama/Llama-3.1-8B", 1,
                 "no such file or folder; posenc fetches nothing");
  write("marked.json", "\xef\xbb\xbf" + plain);
  expect_refusal("explain marked.json", 1, "without a byte order mark");
  expect_refusal("explain '{\"model_type\": \"pvt\", \"patch_sizes\": [4, 2, 2]}'", 1,
                 "hidden_sizes for 3 stages, as patch_sizes has, got 4");
  expect_refusal("explain ''", 2, "got an empty word");
  const std::string odd = R"(explain '{"model_type": "llama", "rope_scaling": {)";
  expect_refusal(odd + R"("type": "nonsense"}}')", 1, "as rope_scaling.type, got \"nonsense\"");
  expect_refusal(odd + R"("rope_type": "nonsense"}}')", 1, "as rope_scaling.rope_type, got");
  expect_refusal("explain '[]'", 1, "expected an object, got []");
  expect_refusal("explain", 2, "expected a MODEL");
  expect_refusal("explain plain.json --length 0", 2, "a length of at least 1");
}

// Proportional rope leaves pairs still: they have no period.
TEST_F(Models, PeriodsAreThoseOfPairsThatRotate) {
  const std::string gemma = R"(explain '{"model_type": "gemma4_text"}')";
  const std::string text = output(gemma);
  EXPECT_EQ(text.find("inf"), text.npos) << text;
  EXPECT_NE(text.find("64 of 256 pairs rotate; the slowest has a period of"), text.npos) << text;
  for (const Json& part : json(gemma + " --json")["components"])
    EXPECT_TRUE(part["longest_wavelength"].is_number()) << part;
}

TEST_F(Models, LengthsAreThoseOfTokens) {
  const std::string bert = R"({"model_type": "bert", "hidden_size": 64, "num_attention_heads": 4,)"
                           R"( "max_position_embeddings": 128)";
  const auto part = [&](const std::string& config) {
    return json("explain '" + config + "' --json")["components"][0];
  };
  EXPECT_EQ(part(bert + "}")["usable_length"], 128);
  EXPECT_EQ(part(bert + R"(, "position_embedding_type": "relative_key"})")["usable_length"], 128);
  const Json clipped = part(R"({"model_type": "wav2vec2-bert", "hidden_size": 64,)"
                            R"( "num_attention_heads": 4})");
  EXPECT_EQ(clipped["rows"], 73);
  EXPECT_FALSE(clipped.contains("usable_length"));
}

// A learned table is read from the folder of its model, whatever axes of one it is stored with.
TEST_F(Models, TablesOfFoldersAreRead) {
  std::filesystem::create_directory(path("gpt2"));
  write("gpt2/config.json", R"({"model_type": "gpt2", "n_positions": 3, "n_embd": 4})");
  Array table = make_array(DType::f32, {1, 3, 4});
  for (size_t i = 0; i < 12; ++i) table.values<float>()[i] = static_cast<float>(i) / 8;
  Array other = make_array(DType::f32, {2, 2});
  write_arrays(path("gpt2/model.safetensors"),
               {{"transformer.wte.weight", other}, {"transformer.wpe.weight", table}});
  output("table --model gpt2 --positions 1:3 --out rows.npy");
  Array rows = read_array(path("rows.npy"));
  ASSERT_EQ(rows.shape, (std::vector<int64_t>{2, 4}));
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(rows.values<float>()[i], static_cast<float>(i + 4) / 8) << i;
  output(
      "table learned --dim 4 --rows 3 --weights gpt2/model.safetensors --weights_tensor "
      "transformer.wpe.weight --positions 1:3 --out same.npy");
  EXPECT_EQ(read("same.npy"), read("rows.npy"));
  expect_refusal("table learned --dim 4 --rows 3 --weights_tensor x --positions 0", 2,
                 "expected --weights with --weights_tensor");
  std::filesystem::remove(path("gpt2/model.safetensors"));
  expect_refusal("table --model gpt2 --positions 1", 2, "expected --weights FILE");
}

// A convolution is told with its options, and refused where a scheme of positions is asked for.
TEST_F(Models, ConvolutionsAreTold) {
  write("wav2vec2.json", R"({"model_type": "wav2vec2", "hidden_size": 32})");
  const Json part = json("explain wav2vec2.json --json")["components"][0];
  EXPECT_EQ(part["runnable"], true);
  EXPECT_EQ(part["options_of"], "convolution");
  EXPECT_EQ(part["options"]["dim"], 32);
  EXPECT_EQ(output("explain wav2vec2.json").find("described only"), std::string::npos);
  expect_refusal("table --model wav2vec2.json --positions 1", 1,
                 "a convolution of the input, which has verbs of its own");
}

// A table of a grid that is stored as one is read as its rows.
TEST_F(Models, GridsOfFoldersAreRead) {
  std::filesystem::create_directory(path("kimi"));
  write("kimi/config.json",
        R"({"model_type": "moonvit", "hidden_size": 8, "num_attention_heads": 2,
            "init_pos_emb_height": 2, "init_pos_emb_width": 3})");
  Array grid = make_array(DType::f32, {2, 3, 8});
  for (size_t i = 0; i < 48; ++i) grid.values<float>()[i] = static_cast<float>(i);
  write_arrays(path("kimi/model.safetensors"), {{"vision_tower.patch_embed.pos_emb.weight", grid}});
  const Json all = json("explain kimi --json");
  EXPECT_EQ(all["components"][0]["options"]["height"], 2) << all;
  output(
      "table learned-grid --dim 8 --height 2 --width 3 --weights kimi/model.safetensors "
      "--weights_tensor vision_tower.patch_embed.pos_emb.weight --positions '1;2' --out row.npy");
  EXPECT_EQ(read_array(path("row.npy")).values<float>()[0], 40);
}

// Files of one model without an index are read as one; a missing one is told.
TEST_F(Models, ShardsWithoutAnIndexAreRead) {
  std::filesystem::create_directory(path("shards"));
  write_arrays(path("shards/model-00001-of-00002.safetensors"),
               {{"wte.weight", make_array(DType::f32, {5, 4})}});
  expect_refusal("explain shards", 1, "no tensor about positions");
  write_arrays(path("shards/model-00002-of-00002.safetensors"),
               {{"wpe.weight", make_array(DType::f32, {9, 4})}});
  const Json all = json("explain shards --json");
  ASSERT_EQ(all["components"].size(), 1u) << all;
  EXPECT_EQ(all["components"][0]["rows"], 9);
  std::filesystem::remove(path("shards/model-00001-of-00002.safetensors"));
  const std::string text = output("explain shards");
  EXPECT_NE(text.find("\"model-00001-of-00002.safetensors\""), text.npos) << text;
}

TEST_F(Models, NumbersThatAreNoShardsAreReadAlone) {
  const std::string name = path("lone-00001-of-00000.safetensors");
  write_arrays(name, {{"wpe.weight", make_array(DType::f32, {9, 4})}});
  const Json all = json("explain " + name + " --json");
  ASSERT_EQ(all["components"].size(), 1u) << all;
  EXPECT_EQ(all["components"][0]["rows"], 9);
}

TEST_F(Models, ModelsStandForSchemes) {
  const std::string scheme = " rope --layout half --dim 64 --base 10000 ";
  const auto same = [&](const std::string& verb, const std::string& rest) {
    EXPECT_EQ(output(verb + " --model plain.json " + rest), output(verb + scheme + rest)) << verb;
  };
  same("table", "--positions 5:9");
  same("frequencies", "");
  same("show", "--kind wavelengths --size 60x20");
  EXPECT_EQ(output(R"(table --model '{"model_type":"detr"}' --part encoder --positions '0:2;0:2')"),
            output("table detr --positions '0:2;0:2'"));
  output("table sinusoidal --dim 64 --positions 0:6 --out x.npy");
  output("apply --model plain.json --in x.npy --out turned.npy");
  output("apply" + scheme + "--in x.npy --out wanted.npy");
  EXPECT_EQ(read("turned.npy"), read("wanted.npy"));
  // Options refine what the model says.
  EXPECT_EQ(output("frequencies --model plain.json --base 20000"),
            output("frequencies rope --layout half --dim 64 --base 20000"));
  expect_refusal("table rope --model plain.json --positions 1", 2, "a SCHEME or --model, got both");
  expect_refusal("table --part text --positions 1", 2, "expected --model with --part");
  expect_refusal("table --model plain.json --part vision --positions 1", 2, "got none of 'text'");
  expect_refusal("table --model nowhere.json --positions 1", 1, "nowhere.json");
}

TEST_F(Models, WhatAModelCannotSayIsAskedFor) {
  write("gpt2.json", R"({"model_type": "gpt2", "n_positions": 32, "n_embd": 8, "n_head": 2})");
  expect_refusal("table --model gpt2.json --positions 1", 2,
                 "expected --weights FILE with --model");
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
                 "expected convert layout with --heads");
}

}  // namespace
}  // namespace posenc::models_test
