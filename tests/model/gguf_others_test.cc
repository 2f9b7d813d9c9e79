// gguf_others_test.cc: GGUF files of models that do not turn, hostile ones, and real ones.
#include <nlohmann/json.hpp>

#include "files.h"

namespace posenc::model::gguf_others_test {
namespace {

TEST(GgufOthers, BiasesByArchitecture) {
  const Model bloom = gguf("bloom").read();
  EXPECT_EQ(std::get<Alibi>(only(bloom).ready.value()).heads, 4);
  EXPECT_EQ(fact(only(bloom), "alibi_bias_max"), "8");
  expect_note(bloom, "does not say that it has ALiBi");
  EXPECT_EQ(only(gguf("baichuan", 40).read()).scheme, "alibi");
  EXPECT_EQ(only(gguf("baichuan", 32).read()).scheme, "rope");
  GgufFile mpt = gguf("mpt");
  mpt.f32("mpt.attention.max_alibi_bias", 16);
  EXPECT_EQ(std::get<Alibi>(only(mpt.read()).ready.value()).bias_max, 16);
  EXPECT_EQ(only(gguf("mpt").read()).scheme, "none");
}

TEST(GgufOthers, TablesByTheirTensor) {
  GgufFile file = gguf("gpt2");
  file.tensor("position_embd.weight", {256, 1024}, 1, std::string(256 * 1024 * 2, '\0'));
  const Model model = file.read();
  EXPECT_EQ(fact(only(model), "rows"), "1024");
  EXPECT_EQ(fact(only(model), "dim"), "256");
  expect_note(model, "conflict: context_length = 4096, but position_embd.weight has 1024 rows");
  const Model bert = gguf("bert").read();
  EXPECT_EQ(fact(only(bert), "rows"), "4096");
  expect_note(bert, "position_embd.weight is not in this file");
  expect_note(bert, "the converter drops the first rows");
}

TEST(GgufOthers, BucketsOfEncoderAndDecoder) {
  GgufFile file = gguf("t5");
  file.u32("t5.attention.relative_buckets_count", 32);
  for (const char* name : {"enc.blk.0.attn_rel_b.weight", "dec.blk.0.attn_rel_b.weight",
                           "dec.blk.1.attn_rel_b.weight"})
    file.tensor(name, {4, 32}, 0, std::string(512, '\0'));
  const Model model = file.read();
  ASSERT_EQ(model.components.size(), 2u);
  EXPECT_EQ(model.components[0].where, "encoder");
  EXPECT_TRUE(std::get<T5Bias>(model.components[0].ready.value()).bidirectional);
  EXPECT_EQ(fact(model.components[0], "table"), "first layer only, shared by all layers");
  EXPECT_FALSE(std::get<T5Bias>(model.components[1].ready.value()).bidirectional);
  EXPECT_EQ(fact(model.components[1], "weight"), "dec.blk.N.attn_rel_b.weight");
  expect_note(model, "no file contains max_distance");
}

TEST(GgufOthers, ProjectorsHoldTables) {
  GgufFile file;
  file.string("general.architecture", "clip").string("clip.projector_type", "mlp");
  expect_message([&] { file.read(); }, "projector of type \"mlp\"");
  file.tensor("v.position_embd.weight", {8, 5}, 0, std::string(160, '\0'));
  const Model model = file.read();
  EXPECT_EQ(only(model).where, "vision");
  EXPECT_EQ(fact(only(model), "rows"), "5");
}

TEST(GgufOthers, NoneAndUnknown) {
  EXPECT_EQ(only(gguf("mamba").read()).scheme, "none");
  GgufFile unknown = gguf("brand-new");
  unknown.f32("brand-new.rope.freq_base", 1);
  expect_message([&] { unknown.read(); },
                 "not known: no rule covers the architecture \"brand-new\"; found "
                 "\"rope.freq_base\"");
  expect_message([] { GgufFile{}.read(); }, "expected the name of an architecture");
  GgufFile second;
  second.value("split.no", 2, raw<uint16_t>(1));
  expect_message([&] { second.read(); }, "expected the first of several files");
}

TEST(GgufOthers, DigitsLostInF32AreTold) {
  GgufFile file = gguf("starcoder2");
  file.f32("starcoder2.rope.freq_base", 999999.4375f);
  expect_note(file.read(), "rope.freq_base = 999999.4375 is not a whole number");
}

TEST(GgufOthers, HostileValues) {
  const auto refused = [](auto&& fill) {
    GgufFile file;
    file.string("general.architecture", "llama");
    fill(file);
    return message([&] { file.read(); });
  };
  const auto expect = [&](std::string_view part, auto&& fill) {
    const std::string got = refused(fill);
    EXPECT_NE(got.find(part), got.npos) << "said:   " << got << "\nwanted: " << part;
  };
  const auto sized = [](GgufFile& f, uint32_t width, uint32_t heads) {
    f.u32("llama.block_count", 2).u32("llama.context_length", 64);
    f.u32("llama.embedding_length", width).u32("llama.attention.head_count", heads);
  };
  expect("expected llama.block_count", [](GgufFile&) {});
  expect("expected at most 4096 layers",
         [](GgufFile& f) { f.u32("llama.block_count", 0xffffffff); });
  expect("expected llama.attention.head_count of at least 1",
         [&](GgufFile& f) { sized(f, 256, 0); });
  expect("that the heads divide", [&](GgufFile& f) { sized(f, 256, 3); });
  expect("expected a number as llama.rope.freq_base", [&](GgufFile& f) {
    sized(f, 256, 4);
    f.string("llama.rope.freq_base", "many");
  });
  for (const float wrong : {0.0f, -1.0f, std::nanf(""), INFINITY})
    expect("base", [&](GgufFile& f) {
      sized(f, 256, 4);
      f.f32("llama.rope.freq_base", wrong);
    });
  for (const float wrong : {-1.0f, std::nanf(""), INFINITY})
    expect("expected a positive number as llama.rope.scaling.factor", [&](GgufFile& f) {
      sized(f, 256, 4);
      f.f32("llama.rope.scaling.factor", wrong);
    });
  expect("of at most the 64 features of a head", [&](GgufFile& f) {
    sized(f, 256, 4);
    f.u32("llama.rope.dimension_count", 128);
  });
  expect("rotary_dim", [&](GgufFile& f) {
    sized(f, 256, 4);
    f.u32("llama.rope.dimension_count", 63);
  });
  expect("expected none, linear, yarn or longrope", [&](GgufFile& f) {
    sized(f, 256, 4);
    f.string("llama.rope.scaling.type", "dynamic");
  });
  expect("tensor rope_freqs.weight: expected 32 numbers", [&](GgufFile& f) {
    sized(f, 256, 4);
    f.floats("rope_freqs.weight", {1, 2});
  });
  expect("expected positive divisors, got 0", [&](GgufFile& f) {
    sized(f, 256, 4);
    f.floats("rope_freqs.weight", std::vector<float>(32, 0));
  });
}

// Real metadata, where someone has it: POSENC_MODELS/gguf-metadata.json.
TEST(GgufOthers, RealKeysAreRead) {
  const char* folder = std::getenv("POSENC_MODELS");
  if (!folder) GTEST_SKIP() << "POSENC_MODELS names no folder";
  std::ifstream in(std::string(folder) + "/gguf-metadata.json");
  const auto all = nlohmann::ordered_json::parse(in);
  const std::map<std::string, std::string> wanted{
      {"baichuan", "rope interleaved 128 128 10000 default"},
      {"bert-bge", "learned 512 384"},
      {"deepseek-coder", "rope interleaved 128 128 100000 linear"},
      {"deepseek-llm", "rope interleaved 128 128 10000 default"},
      {"falcon", "rope half 64 64 10000 default"},
      {"gpt-2", "learned 1024 768"},
      {"gpt-neox", "rope half 96 24 10000 default"},
      {"llama-spm", "rope interleaved 128 128 10000 default"},
      {"mpt", "alibi 32 8"},
      {"phi-3", "rope half 96 96 10000 default"},
      {"refact", "alibi 32 8"},
      {"starcoder", "rope half 128 128 999999.4375 default"}};
  size_t count = 0;
  for (const auto& [path, meta] : all.items()) {
    GgufFile file;
    for (const auto& kv : meta["kv"]) {
      const std::string key = kv[0], type = kv[1];
      if (type == "str") file.string(key, kv[2].get<std::string>());
      if (type == "u32") file.u32(key, kv[2]);
      if (type == "f32") file.f32(key, kv[2]);
      if (type == "bool") file.flag(key, kv[2]);
    }
    const std::string name =
        path.substr(path.find("vocab-") + 6, path.size() - path.find("vocab-") - 11);
    SCOPED_TRACE(name);
    const Model model = file.read();
    std::string got = only(model).scheme;
    for (const char* key : {"layout", "head_dim", "rotary_dim", "rows", "dim", "heads",
                            "alibi_bias_max", "base", "scaling.type"})
      if (only(model).find(key)) got += " " + fact(only(model), key);
    EXPECT_EQ(got, wanted.at(name));
    EXPECT_TRUE(only(model).ready);
    ++count;
  }
  EXPECT_EQ(count, wanted.size());
}

}  // namespace
}  // namespace posenc::model::gguf_others_test
