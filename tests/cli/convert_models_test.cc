// convert_models_test.cc: posenc convert layout on the tensors of model families: whole layers, or
// nothing.
#include <sys/resource.h>

#include <limits>

#include "posenc/absolute.h"
#include "posenc/layout.h"
#include "tests/cli/tool.h"

namespace posenc::convert_models_test {
namespace {

// Rows of f32 that differ from each other.
Array rows(std::vector<int64_t> shape, float from = 0) {
  Array out = make_array(DType::f32, std::move(shape));
  for (float& x : out.values<float>()) x = 1 / (1 + (from += 1));
  return out;
}

class ConvertModels : public Tool {
 protected:
  const std::string heads = "convert layout --from half --to interleaved --heads 3 --dim 10 ";
  const std::string files = "--in m.safetensors --out n.safetensors ";

  void write_model(const NamedArrays& arrays, const Metadata& notes = {}) const {
    write_arrays(path("m.safetensors"), arrays, notes);
  }
  void expect_layer_refused(const NamedArrays& more, std::string_view part) const {
    NamedArrays all = more;
    all.emplace_back("a.q_proj.weight", rows({30, 7}));
    all.emplace_back("a.k_proj.weight", rows({30, 7}));
    write_model(all);
    expect_refusal(heads + files, 1, part);
  }
};

TEST_F(ConvertModels, HalfOfALayerIsRefused) {
  const Array w = rows({30, 7});
  write_model({{"a.q_proj.weight", w}, {"a.v_proj.weight", w}});
  expect_refusal(heads + files, 1,
                 "expected one tensor that makes keys to match \"a.q_proj.weight\"");
  write_model({{"a.q_proj.weight", w}, {"a.k_proj.weight", w}});
  expect_refusal(heads + files + "--keys k_prj", 1, "expected one tensor that makes keys");
  expect_refusal(heads + files + "--queries q_prj", 1, "expected one tensor that makes queries");
  write_model({{"a.q_proj.weight", w}, {"a.k_proj.weight", w}, {"b.wk.weight", w}});
  expect_refusal(heads + files, 1, "makes queries to match \"b.wk.weight\", got none");
  write_model({{"a.q_proj.weight", w}, {"a.q_b_proj.weight", w}, {"a.k_proj.weight", w}});
  expect_refusal(heads + files, 1, "got \"a.q_b_proj.weight\", \"a.q_proj.weight\"");
  write_model({{"a.q_norm.weight", rows({10})}, {"a.k_norm.weight", rows({10})}});
  expect_refusal(heads + files, 1, "makes queries");
}

// In a model of texts and pictures the text model is meant; explain tells what was done to it.
TEST_F(ConvertModels, TheTextModelIsFoundAndItsLayoutTold) {
  std::filesystem::create_directory(path("llava"));
  write("llava/config.json",
        R"({"model_type": "llava", "text_config": {"model_type": "llama", "hidden_size": 24,)"
        R"( "num_attention_heads": 4, "num_hidden_layers": 1}, "vision_config": {"model_type":)"
        R"( "clip_vision_model", "hidden_size": 6, "image_size": 4, "patch_size": 2}})");
  const std::string text = "language_model.model.layers.0.self_attn.";
  const std::string pictures = "vision_tower.vision_model.encoder.layers.0.self_attn.";
  const Array small = rows({6, 6}, 50);
  write_arrays(path("llava/model.safetensors"), {{text + "q_proj.weight", rows({24, 7})},
                                                 {text + "k_proj.weight", rows({24, 7}, 90)},
                                                 {pictures + "q_proj.weight", small},
                                                 {pictures + "k_proj.weight", small}});
  const std::string told = output("convert layout --in llava --out moved --to interleaved");
  EXPECT_NE(told.find("2 tensors under language_model.model. from half"), told.npos) << told;
  EXPECT_EQ(read_array(path("moved/model.safetensors"), pictures + "q_proj.weight").bytes,
            small.bytes);
  EXPECT_EQ(json("explain llava --json")["components"][0]["layout"], "half");
  const Json all = json("explain moved --json");
  EXPECT_EQ(all["components"][0]["layout"], "interleaved") << all;
  const Result lint = posenc("lint moved --kinds conflict");
  EXPECT_EQ(lint.code, 1);
  EXPECT_NE(lint.out.find("has moved the weights"), lint.out.npos) << lint.out;
  std::filesystem::remove(path("moved/config.json"));
  EXPECT_EQ(json("explain moved --json")["components"][0]["layout"], "interleaved");
}

// What the configuration says need not be typed.
TEST_F(ConvertModels, FoldersSayWhatTheyHold) {
  for (const char* folder : {"m", "typed", "read"}) std::filesystem::create_directory(path(folder));
  write("m/config.json", R"({"model_type": "llama", "hidden_size": 24, "num_attention_heads": 4,)"
                         R"( "num_key_value_heads": 2, "num_hidden_layers": 1, "rope_theta": 1e4,)"
                         R"( "max_position_embeddings": 128})");
  write_arrays(path("m/model.safetensors"),
               {{"a.q_proj.weight", rows({24, 7})}, {"a.k_proj.weight", rows({12, 7}, 90)}});
  output("convert layout --to interleaved --in m --out read");
  output(
      "convert layout --from half --to interleaved --heads 4 --kv_heads 2 --dim 6 --in m "
      "--out typed");
  EXPECT_EQ(read("read/model.safetensors"), read("typed/model.safetensors"));
  expect_refusal("convert layout --to half --in m --out read", 2, "expected two layouts");
  // A learned table: its name and the rows that are no positions are told too.
  for (const char* folder : {"opt", "longer"}) std::filesystem::create_directory(path(folder));
  write("opt/config.json", R"({"model_type": "opt", "hidden_size": 8, "num_attention_heads": 2,)"
                           R"( "num_hidden_layers": 1, "max_position_embeddings": 10})");
  write_arrays(path("opt/model.safetensors"),
               {{"model.decoder.embed_positions.weight", rows({12, 8})}, {"x", rows({3})}});
  EXPECT_NE(
      output("convert rows --in opt --out longer --rows 22").find("the first 2 are as they were"),
      std::string::npos);
  EXPECT_EQ(read_array(path("longer/model.safetensors"), "x").bytes, rows({3}).bytes);
  // By a name that lacks a prefix, the model's offset counts all the same.
  EXPECT_NE(output("convert rows --in opt --out again --rows 22 --tensor embed_positions.weight")
                .find("the first 2 are as they were"),
            std::string::npos);
  std::filesystem::create_directory(path("vit"));
  write("vit/config.json", R"({"model_type": "vit", "hidden_size": 8, "image_size": 4,)"
                           R"( "patch_size": 1, "num_attention_heads": 2})");
  write_arrays(path("vit/model.safetensors"),
               {{"vit.embeddings.position_embeddings", rows({1, 17, 8})}});
  expect_refusal("convert rows --in vit --out grown --rows 26", 2,
                 "expected --new_grid HEIGHTxWIDTH for the table of vit, a grid of 4 x 4 patches");
  const std::string said =
      output("convert rows --in vit --out grown --new_grid 5x7 --how cubic-antialias");
  EXPECT_NE(said.find("17 rows of 8 became 36 (cubic-antialias); the first 1 are"), said.npos)
      << said;
  const Array old = rows({17, 8}), made = make_array(DType::f32, {36, 8});
  resize_grid(old.view(), made.view(), {4, 4}, {5, 7}, Resize::cubic_antialias, 1);
  EXPECT_EQ(read_array(path("grown/model.safetensors"), "vit.embeddings.position_embeddings").bytes,
            made.bytes);
  expect_refusal("convert rows --in vit --out other --new_grid 5x7 --grid 3x4", 2,
                 "expected --grid and --keep of the table's 17 rows, got 3x4 and 1");
}

// Queries of 6 features that rest and 4 that turn; one key of 4 in the last rows, after 5 others.
TEST_F(ConvertModels, TurnsTheLastRowsOfLatentAttention) {
  const auto order = layout_order(Layout::half, Layout::interleaved, {1, 4, {}, 0, 1});
  for (const std::string query : {"q_proj", "q_b_proj"}) {
    write_model({{"l." + query + ".weight", rows({30, 7})},
                 {"l.q_a_proj.weight", rows({7, 20})},
                 {"l.q_a_layernorm.weight", rows({7})},
                 {"l.kv_a_layernorm.weight", rows({5})},
                 {"l.kv_a_proj_with_mqa.weight", rows({9, 20}, 3)},
                 {"l.kv_a_proj_with_mqa.bias", rows({9}, 5)}});
    expect_refusal(heads + files, 1, "expected --rotary_dim N and --rotary_offset -N");
    expect_refusal(heads + files + "--rotary_dim 4", 1, "expected --rotary_dim N");
    const std::string said = output(heads + files + "--rotary_dim 4 --rotary_offset -4");
    EXPECT_NE(said.find("3 tensors"), said.npos) << said;
    Array key = read_array(path("n.safetensors"), "l.kv_a_proj_with_mqa.weight");
    Array bias = read_array(path("n.safetensors"), "l.kv_a_proj_with_mqa.bias");
    Array old_key = rows({9, 20}, 3), old_bias = rows({9}, 5);
    for (size_t r = 0; r < 9; ++r) {
      const size_t from = r < 5 ? r : 5 + static_cast<size_t>(order[r - 5]);
      EXPECT_EQ(bias.values<float>()[r], old_bias.values<float>()[from]) << r;
      for (size_t c = 0; c < 20; ++c)
        EXPECT_EQ(key.values<float>()[r * 20 + c], old_key.values<float>()[from * 20 + c]) << r;
    }
    for (const char* rest : {"l.q_a_proj.weight", "l.q_a_layernorm.weight"})
      expect_same(read_array(path("n.safetensors"), rest), read_array(path("m.safetensors"), rest));
  }
}

TEST_F(ConvertModels, KnowsNamesOfFamilies) {
  const std::pair<std::string, std::string> names[] = {
      {"model.layers.0.self_attn.q_proj", "model.layers.0.self_attn.k_proj"},
      {"layers.0.attention.wq", "layers.0.attention.wk"},
      {"blk.0.attn_q", "blk.0.attn_k"},
      {"encoder.layer.0.attention.self.query", "encoder.layer.0.attention.self.key"},
      {"encoder.block.0.layer.0.SelfAttention.q", "encoder.block.0.layer.0.SelfAttention.k"},
      {"blocks.0.attn.to_q", "blocks.0.attn.to_k"}};
  for (const auto& [query, key] : names) {
    write_model({{query + ".weight", rows({30, 7})},
                 {query + ".bias", rows({30})},
                 {key + ".weight", rows({30, 7})},
                 {key + ".bias", rows({30})}});
    const std::string said = output(heads + files);
    EXPECT_NE(said.find("4 tensors"), said.npos) << query << "\n" << said;
  }
}

TEST_F(ConvertModels, RefusesWhatItCannotMove) {
  for (const std::string fused : {"qkv_proj", "query_key_value", "c_attn", "Wqkv", "attn_qkv"})
    expect_layer_refused({{"b." + fused + ".weight", rows({90, 7})}}, "fused");
  expect_layer_refused({{"a.q_conv1d.weight", rows({30, 4})}}, "got \"a.q_conv1d.weight\"");
  expect_layer_refused({{"a.q_norm.weight", rows({11})}}, "expected \"a.q_norm.weight\" as");
  expect_layer_refused({{"a.k_proj.lora_B.weight", rows({30, 7})}},
                       "got \"a.k_proj.lora_B.weight\"");
  expect_layer_refused({{"a.q_proj.scales", numbered(DType::i32, {30})}}, "got I32");
  write_model(
      {{"a.q_proj.weight", make_array(DType::f32, {30, 7})}, {"a.k_proj.weight", rows({30, 7})}});
  expect_refusal(heads + files, 1, "got zeros");
  Array broken = rows({30, 7});
  broken.values<float>()[7 * 13] = std::numeric_limits<float>::quiet_NaN();
  write_model({{"a.q_proj.weight", broken}, {"a.k_proj.weight", rows({30, 7})}});
  expect_refusal(heads + files, 1, "expected finite weights");
}

TEST_F(ConvertModels, LeavesScalarsAndOtherTowers) {
  write_model({{"text.q_proj.weight", rows({30, 7})},
               {"text.k_proj.weight", rows({30, 7})},
               {"text.k_scale", rows({1})},
               {"sight.qkv.weight", rows({90, 7})}});
  expect_refusal(heads + files, 1, "leave it out by --under");
  output(heads + files + "--under text.");
  for (const char* name : {"text.k_scale", "sight.qkv.weight"})
    expect_same(read_array(path("n.safetensors"), name), read_array(path("m.safetensors"), name));
}

TEST_F(ConvertModels, BelievesItsOwnNotes) {
  write_model({{"a.q_proj.weight", rows({30, 7})}, {"a.k_proj.weight", rows({30, 7})}});
  output(heads + files);
  expect_refusal(heads + "--in n.safetensors --out o.safetensors", 1,
                 "got \"a.k_proj.weight\", whose metadata says interleaved");
  output(
      "convert layout --from interleaved --to half --heads 3 --dim 10 --in n.safetensors "
      "--out o.safetensors");
  output(heads + "--in o.safetensors --out p.safetensors");
}

TEST_F(ConvertModels, ComesThroughPipes) {
  write_model({{"a.q_proj.weight", rows({30, 7})}, {"a.k_proj.weight", rows({30, 7})}});
  output(heads + files);
  for (const std::string out : {"-", "/dev/stdout"}) {
    const Result piped = shell("cat m.safetensors | posenc " + heads + "--in - --out " + out);
    EXPECT_EQ(piped.code, 0) << piped.err;
    EXPECT_TRUE(piped.out == read("n.safetensors"));
    EXPECT_NE(piped.err.find("2 tensors from half to interleaved"), piped.err.npos) << piped.err;
  }
}

TEST_F(ConvertModels, EscapesNames) {
  write_model({{"\033[31ma.q_proj.weight", rows({30, 7})},
               {"\033[31ma.k_proj.weight", rows({30, 7})},
               {"层.q_proj.weight", rows({30, 7})},
               {"层.k_proj.weight", rows({30, 7})}});
  const std::string said = output(heads + files);
  EXPECT_EQ(said.find('\033'), said.npos) << said;
  EXPECT_NE(said.find("\\x1b[31ma.q_proj.weight"), said.npos) << said;
  EXPECT_NE(said.find("层.q_proj.weight"), said.npos) << said;
  write_model({{"\033[31ma.q_proj.weight", rows({30, 7})}});
  expect_refusal(heads + files, 1, "\\x1b[31ma.q_proj.weight");
  const Result missing = shell("posenc identify $'\\033[31mx.npy'");
  EXPECT_EQ(missing.err.find('\033'), missing.err.npos) << missing.err;
}

TEST_F(ConvertModels, TakesModelsInSeveralFiles) {
  const std::string both = "--in model --out there ";
  std::filesystem::create_directory(path("model"));
  write_arrays(path("model/1.safetensors"), {{"a.q_proj.weight", rows({30, 7})}});
  write_arrays(path("model/2.safetensors"),
               {{"a.k_proj.weight", rows({30, 7})}, {"rest", numbered(DType::i64, {9})}});
  output(heads + both);
  const Array key = read_array(path("there/2.safetensors"), "a.k_proj.weight");
  expect_same(read_array(path("there/1.safetensors"), "a.q_proj.weight"), key);
  expect_same(read_array(path("there/2.safetensors"), "rest"), numbered(DType::i64, {9}));
  EXPECT_EQ(read_metadata(path("there/1.safetensors")).at("posenc.a.q_proj.weight"),
            "layout interleaved");
  expect_refusal(heads + "--in model/1.safetensors --out x.safetensors", 1, "takes all shards");
  expect_refusal(heads + "--in model --out model", 2, "expected a new or empty folder");
  const std::string index = R"({"weight_map": {"a.q_proj.weight": "1.safetensors"}})";
  write("model/model.safetensors.index.json", index);
  expect_refusal(heads + "--in model --out other", 1, "makes keys");
  const std::string all =
      R"({"weight_map": {"a.q_proj.weight": "1.safetensors", "rest": "2.safetensors"}})";
  write("model/model.safetensors.index.json", all);
  output(heads + "--in model/model.safetensors.index.json --out other");
  EXPECT_EQ(read("other/model.safetensors.index.json"), all);
  expect_same(read_array(path("other/2.safetensors"), "a.k_proj.weight"), key);
  write("model/model.safetensors.index.json", R"({"weight_map": {"a": "../1.safetensors"}})");
  expect_refusal(heads + "--in model --out third", 1, "expected the name of a file");
}

// 256 MB that are not converted pass through in pieces.
TEST_F(ConvertModels, HoldsOneTensorAtATime) {
  constexpr int64_t large = 256 << 20;
  NamedArrays arrays{{"a.q_proj.weight", rows({30, 7})}, {"a.k_proj.weight", rows({30, 7})}};
  const std::string small = format_safetensors(arrays);
  const size_t begin =
      8 + static_cast<unsigned char>(small[0]) + 256u * static_cast<unsigned char>(small[1]);
  Json header = Json::parse(small.substr(8, begin - 8));
  const int64_t end = std::ssize(small) - static_cast<int64_t>(begin);
  header["large"] = {{"dtype", "U8"}, {"shape", {large}}, {"data_offsets", {end, end + large}}};
  const std::string text = header.dump();
  std::string length(8, '\0');
  for (size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(text.size() >> (8 * i));
  write("m.safetensors", length + text + small.substr(begin));
  std::filesystem::resize_file(path("m.safetensors"),
                               8 + text.size() + static_cast<size_t>(end + large));
  output(heads + files);
  rusage used{};
  ASSERT_EQ(::getrusage(RUSAGE_CHILDREN, &used), 0);
  EXPECT_LT(used.ru_maxrss * 1024, large * 3 / 4);
  EXPECT_GT(std::filesystem::file_size(path("n.safetensors")), static_cast<size_t>(large));
}

}  // namespace
}  // namespace posenc::convert_models_test
