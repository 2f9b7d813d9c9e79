// packages_test.cc: files written by the packages that people use; make_files.py made them.
#include "files.h"
#include "tests/support/paths.h"

namespace posenc::model::packages_test {
namespace {

Model golden(const std::string& name) { return read(golden_path("model/" + name)); }
const Rope& first(const Model& model) { return rope_of(model.components.at(0)); }

TEST(Packages, GgufOfLlamaThree) {
  const Model model = golden("llama3.gguf");
  ASSERT_EQ(model.components.size(), 1u);
  EXPECT_EQ(fact(model.components[0], "base"), "500000");
  EXPECT_EQ(fact(model.components[0], "scaling.type"), "llama3, as divisors");
  EXPECT_EQ(fact(model.components[0], "scaling.factor"), "8");
  EXPECT_EQ(std::get<ListedFrequencies>(first(model).frequencies).values.size(), 32u);
}

TEST(Packages, GgufOfPhiThree) {
  const auto rule = std::get<LongRope>(first(golden("phi3.gguf")).scaling);
  EXPECT_EQ(rule.long_factor.back(), 4);
  EXPECT_EQ(rule.short_factor.back(), 1);
  EXPECT_EQ(rule.attention_factor, 1.25);
  EXPECT_EQ(rule.original_max_position_embeddings, 1024);
}

TEST(Packages, GgufOfGemmaThree) {
  const Model model = golden("gemma3.gguf");
  ASSERT_EQ(model.components.size(), 2u);
  EXPECT_EQ(model.components[0].layers, std::vector<int64_t>{5});
  EXPECT_EQ(std::get<Linear>(first(model).scaling).factor, 8);
  EXPECT_EQ(fact(model.components[1], "window"), "512");
}

TEST(Packages, GgufWithAnAlignmentOfItsOwn) {
  EXPECT_EQ(std::get<Yarn>(first(golden("qwen2.gguf")).scaling).factor, 4);
}

TEST(Packages, GgufOfGptTwo) {
  const Model model = golden("gpt2.gguf");
  EXPECT_EQ(fact(model.components.at(0), "rows"), "16");
  EXPECT_EQ(fact(model.components.at(0), "dim"), "256");
}

TEST(Packages, GgufWithSections) {
  EXPECT_EQ(std::get<Chunked>(first(golden("qwen2vl.gguf")).axes).sections, (Sections{8, 12, 12}));
}

TEST(Packages, Safetensors) {
  EXPECT_EQ(fact(golden("gpt2.safetensors").components.at(0), "rows"), "16");
  const Model llama = golden("llama.safetensors");
  EXPECT_EQ(fact(llama.components.at(0), "rotary_dim"), "32");
  EXPECT_EQ(fact(llama.components.at(0), "base"), "10000");
}

TEST(Packages, SafetensorsInSeveralFiles) {
  const Model model = golden("t5.safetensors.index.json");
  ASSERT_EQ(model.components.size(), 2u);
  EXPECT_EQ(model.components[0].where, "decoder");
  EXPECT_EQ(model.components[1].where, "encoder");
  EXPECT_EQ(fact(model.components[1], "heads"), "4");
}

}  // namespace
}  // namespace posenc::model::packages_test
