// gguf_rules_test.cc: how models in GGUF files turn, against what llama.cpp does with their keys.
#include "files.h"

namespace posenc::model::gguf_rules_test {
namespace {

TEST(GgufRules, LlamaIsInterleavedAndReordered) {
  GgufFile file = gguf("llama");
  file.f32("llama.rope.freq_base", 500000).u32("llama.rope.dimension_count", 64);
  const Model model = file.read();
  const Component& part = only(model);
  EXPECT_EQ(model.format, "GGUF 3");
  EXPECT_EQ(model.family, "llama");
  EXPECT_EQ(part.where, "text");
  EXPECT_EQ(part.scheme, "rope");
  EXPECT_EQ(fact(part, "layout"), "interleaved");
  EXPECT_EQ(fact(part, "head_dim"), "64");
  EXPECT_EQ(fact(part, "rotary_dim"), "64");
  EXPECT_EQ(fact(part, "base"), "500000");
  EXPECT_EQ(fact(part, "scaling.type"), "default");
  EXPECT_EQ(fact(part, "max_position"), "4096");
  EXPECT_EQ(rope_of(part).layout, Layout::interleaved);
  EXPECT_EQ(rope_of(part).base, 500000);
  EXPECT_TRUE(part.layers.empty());
  expect_note(model, "trap: GGUF does not store the layout");
  expect_note(model, "trap: rows of q and k were reordered on conversion");
  EXPECT_EQ(notes_of(model).find("assumed"), std::string::npos) << notes_of(model);
}

TEST(GgufRules, WhatIsAbsentIsAssumedAndTold) {
  const Model model = gguf("qwen2").read();
  EXPECT_EQ(fact(only(model), "layout"), "half");
  EXPECT_EQ(fact(only(model), "base"), "10000");
  expect_note(model, "assumed: qwen2.rope.freq_base is absent: 10000");
  expect_note(model, "assumed: qwen2.rope.dimension_count is absent: 64");
}

TEST(GgufRules, AFactorWithoutTypeIsLinear) {
  GgufFile file = gguf("llama");
  file.f32("llama.rope.scaling.factor", 4);
  const Model model = file.read();
  EXPECT_EQ(fact(only(model), "scaling.type"), "linear");
  EXPECT_EQ(std::get<Linear>(rope_of(only(model)).scaling).factor, 4);
  expect_note(model, "assumed: llama.rope.scaling.type is absent: linear");
  GgufFile old = gguf("llama");
  old.f32("llama.rope.scale_linear", 2);
  EXPECT_EQ(std::get<Linear>(rope_of(only(old.read())).scaling).factor, 2);
  GgufFile none = gguf("llama");
  none.string("llama.rope.scaling.type", "none").f32("llama.rope.scaling.factor", 4);
  EXPECT_EQ(fact(only(none.read()), "scaling.type"), "default");
  GgufFile zero = gguf("llama");
  zero.f32("llama.rope.scaling.factor", 0);
  EXPECT_EQ(fact(only(zero.read()), "scaling.type"), "default");
}

GgufFile with_yarn(std::string_view architecture, float factor, uint32_t original) {
  GgufFile out = gguf(architecture);
  const std::string a = std::string(architecture) + ".rope.scaling.";
  out.string(a + "type", "yarn").f32(a + "factor", factor);
  out.u32(a + "original_context_length", original);
  return out;
}

TEST(GgufRules, YarnIsAlwaysRoundedAndHasDefaultBetas) {
  GgufFile file = with_yarn("qwen2", 4, 1024);
  file.f32("qwen2.rope.scaling.yarn_beta_fast", 64);
  const Model model = file.read();
  const auto yarn = std::get<Yarn>(rope_of(only(model)).scaling);
  EXPECT_EQ(yarn.factor, 4);
  EXPECT_EQ(yarn.original_max_position_embeddings, 1024);
  EXPECT_EQ(yarn.beta_fast, 32);
  EXPECT_TRUE(yarn.truncate);
  EXPECT_NEAR(*yarn.attention_factor, 1 + 0.1 * std::log(4), 1e-12);
  expect_note(model, "qwen2.rope.scaling.yarn_beta_fast = 64 is not read");
  expect_note(model, "rounds the ends of yarn's ramp");
}

TEST(GgufRules, MistralReadsTheBetasAndTheLogarithm) {
  GgufFile file = with_yarn("mistral3", 16, 1024);
  file.f32("mistral3.rope.scaling.yarn_beta_fast", 4)
      .f32("mistral3.rope.scaling.yarn_beta_slow", 2);
  file.f32("mistral3.rope.scaling.yarn_log_multiplier", 1);
  file.f32("mistral3.attention.temperature_scale", 0.1f);
  const Model model = file.read();
  const auto yarn = std::get<Yarn>(rope_of(only(model)).scaling);
  EXPECT_EQ(yarn.beta_fast, 4);
  EXPECT_EQ(yarn.beta_slow, 2);
  EXPECT_NEAR(*yarn.attention_factor, 1, 1e-12);
  EXPECT_EQ(std::get<LogTemperature>(rope_of(only(model)).temperature).floor, 1024);
}

// DeepSeek-V3 and V2-Lite, whose scales formats of the same models in config.json give too.
TEST(GgufRules, LatentHeadsTurnTheirLastFeatures) {
  for (const auto& [stored, scale] :
       {std::pair{0.1f, 0.1352337788608801}, std::pair{0.0707f, 0.11472138679292611}}) {
    GgufFile file = with_yarn("deepseek2", 40, 4096);
    file.f32("deepseek2.rope.scaling.yarn_log_multiplier", stored);
    file.u32("deepseek2.attention.key_length", 576).u32("deepseek2.attention.key_length_mla", 192);
    file.u32("deepseek2.rope.dimension_count", 64).u32("deepseek2.attention.kv_lora_rank", 512);
    const Model model = file.read();
    const Component& part = only(model);
    EXPECT_EQ(fact(part, "head_dim"), "64");
    EXPECT_EQ(fact(part, "rotary_dim"), "64");
    EXPECT_EQ(fact(part, "layout"), "interleaved");
    EXPECT_EQ(fact(part, "qk_nope_head_dim"), "128");
    EXPECT_EQ(fact(part, "scaling.attention_factor"), "1");
    EXPECT_NEAR(std::get<double>(*part.find("softmax_scale")), scale, 1e-7);
  }
}

TEST(GgufRules, LlamaThreeIsDivisors) {
  GgufFile file = gguf("llama");
  std::vector<float> divisors(32, 1);
  for (size_t i = 20; i < 32; ++i) divisors[i] = i < 24 ? 3.0f : 8.0f;
  file.floats("rope_freqs.weight", divisors);
  const Model model = file.read();
  EXPECT_EQ(fact(only(model), "scaling.type"), "llama3, as divisors");
  EXPECT_EQ(fact(only(model), "scaling.factor"), "8");
  const auto list = std::get<ListedFrequencies>(rope_of(only(model)).frequencies).values;
  EXPECT_EQ(list[0], 1);
  EXPECT_NEAR(list[31], std::pow(10000.0, -62.0 / 64) / 8, 1e-18);
  EXPECT_NEAR(list[20], std::pow(10000.0, -40.0 / 64) / 3, 1e-18);
}

TEST(GgufRules, FactorsThatTheGraphDoesNotReadAreNotUsed) {
  GgufFile file = gguf("falcon-h1");
  file.floats("rope_freqs.weight", std::vector<float>(32, 2));
  EXPECT_EQ(fact(only(file.read()), "scaling.type"), "default");
}

TEST(GgufRules, LongRopeIsTwoTensors) {
  GgufFile file = gguf("phi3");
  file.u32("phi3.rope.scaling.original_context_length", 1024);
  file.f32("phi3.rope.scaling.attn_factor", 1.25f);
  file.floats("rope_factors_long.weight", std::vector<float>(32, 4));
  file.floats("rope_factors_short.weight", std::vector<float>(32, 1));
  const Model model = file.read();
  const auto rule = std::get<LongRope>(rope_of(only(model)).scaling);
  EXPECT_EQ(fact(only(model), "scaling.factor"), "4");
  EXPECT_EQ(rule.long_factor, std::vector<double>(32, 4));
  EXPECT_EQ(rule.short_factor, std::vector<double>(32, 1));
  EXPECT_EQ(rule.attention_factor, 1.25);
  EXPECT_EQ(rule.original_max_position_embeddings, 1024);
  GgufFile without = gguf("phi3");
  without.string("phi3.rope.scaling.type", "longrope");
  const Model bare = without.read();
  EXPECT_FALSE(only(bare).ready);
  expect_note(bare, "conflict: rope.scaling.type is longrope, but this file has no tensors");
}

TEST(GgufRules, GemmaHasTwoKindsOfLayers) {
  GgufFile file = gguf("gemma3", 12);
  file.f32("gemma3.rope.freq_base", 1e6f).u32("gemma3.attention.sliding_window", 512);
  file.string("gemma3.rope.scaling.type", "linear").f32("gemma3.rope.scaling.factor", 8);
  const Model model = file.read();
  ASSERT_EQ(model.components.size(), 2u);
  const Component &full = model.components[0], &sliding = model.components[1];
  EXPECT_EQ(full.where, "text, full layers");
  EXPECT_EQ(full.layers, (std::vector<int64_t>{5, 11}));
  EXPECT_EQ(fact(full, "base"), "1000000");
  EXPECT_EQ(fact(full, "scaling.type"), "linear");
  EXPECT_EQ(fact(full, "window"), "(none)");
  EXPECT_EQ(sliding.where, "text, sliding layers");
  EXPECT_EQ(sliding.layers.size(), 10u);
  EXPECT_EQ(fact(sliding, "base"), "10000");
  EXPECT_EQ(fact(sliding, "scaling.type"), "default");
  EXPECT_EQ(fact(sliding, "window"), "512");
  expect_note(model, "assumed: gemma3.rope.freq_base_swa is absent: 10000");
  expect_note(model, "assumed: gemma3.attention.sliding_window_pattern is absent: 6");
}

TEST(GgufRules, LayersByAListAndByTheFirst) {
  GgufFile listed = gguf("gemma3", 4);
  listed.u32("gemma3.attention.sliding_window", 64).f32("gemma3.rope.freq_base", 1e6f);
  listed.numbers<uint8_t>("gemma3.attention.sliding_window_pattern", 7, {1, 0, 0, 1});
  EXPECT_EQ(listed.read().components.at(0).layers, (std::vector<int64_t>{1, 2}));
  GgufFile first = gguf("modern-bert", 6);
  first.u32("modern-bert.attention.sliding_window", 128).f32("modern-bert.rope.freq_base", 160000);
  EXPECT_EQ(first.read().components.at(0).layers, (std::vector<int64_t>{0, 3}));
  GgufFile few = gguf("gemma3", 4);
  few.u32("gemma3.attention.sliding_window", 64);
  few.numbers<uint8_t>("gemma3.attention.sliding_window_pattern", 7, {1, 0});
  expect_message([&] { few.read(); }, "expected 4 values, one for each layer");
}

TEST(GgufRules, OneRotationForBothKindsIsOneComponent) {
  GgufFile file = with_yarn("gpt-oss", 32, 4096);
  file.u32("gpt-oss.attention.sliding_window", 128);
  EXPECT_EQ(only(file.read()).where, "text");
  EXPECT_TRUE(only(file.read()).layers.empty());
}

TEST(GgufRules, GemmaFourRestsPairs) {
  GgufFile file = gguf("gemma4", 2);
  file.u32("gemma4.attention.sliding_window", 64).u32("gemma4.attention.key_length_swa", 32);
  file.u32("gemma4.rope.dimension_count_swa", 32).f32("gemma4.rope.freq_base", 1e6f);
  file.numbers<uint8_t>("gemma4.attention.sliding_window_pattern", 7, {1, 0});
  std::vector<float> divisors(32, 1e30f);
  std::fill_n(divisors.begin(), 8, 1.0f);
  file.floats("rope_freqs.weight", divisors);
  const Model model = file.read();
  ASSERT_EQ(model.components.size(), 2u);
  EXPECT_EQ(fact(model.components[0], "scaling.type"), "proportional");
  EXPECT_EQ(std::get<Proportional>(rope_of(model.components[0]).scaling).partial_rotary_factor,
            0.25);
  EXPECT_EQ(fact(model.components[1], "scaling.type"), "default");
  EXPECT_EQ(fact(model.components[1], "head_dim"), "32");
}

TEST(GgufRules, SomeLayersDoNotTurn) {
  GgufFile cohere = gguf("cohere2", 8);
  cohere.u32("cohere2.attention.sliding_window", 64);
  const Model model = cohere.read();
  EXPECT_EQ(only(model).layers, (std::vector<int64_t>{0, 1, 2, 4, 5, 6}));
  EXPECT_EQ(fact(only(model), "nope_layers"), "3,7");
  EXPECT_EQ(fact(only(model), "window"), "64");
  const Model llama = gguf("llama4", 8).read();
  EXPECT_EQ(fact(only(llama), "nope_layers"), "3,7");
  EXPECT_EQ(fact(only(llama), "floor_scale"), "8192");
  EXPECT_EQ(fact(only(gguf("smollm3", 4).read()), "nope_layers"), "3");
  GgufFile off = gguf("llama4", 8);
  off.u32("llama4.attention.sliding_window", 0);
  EXPECT_EQ(fact(only(off.read()), "nope_layers"), "(none)");
  EXPECT_EQ(fact(only(gguf("exaone4", 8).read()), "nope_layers"), "(none)");
  EXPECT_EQ(fact(only(gguf("exaone4", 64).read()), "nope_layers").substr(0, 4), "3,7,");
}

TEST(GgufRules, RecurrentLayersHaveNoRotation) {
  GgufFile next = gguf("qwen3next", 8);
  next.u32("qwen3next.full_attention_interval", 4);
  EXPECT_EQ(only(next.read()).layers, (std::vector<int64_t>{3, 7}));
  GgufFile hybrid = gguf("lfm2", 4);
  GgufFile zero = gguf("qwen3next", 8);
  zero.u32("qwen3next.full_attention_interval", 0);
  expect_message([&] { zero.read(); }, "full_attention_interval of at least 1");
  hybrid.numbers<int32_t>("lfm2.attention.head_count_kv", 5, {0, 2, 0, 2});
  EXPECT_EQ(only(hybrid.read()).layers, (std::vector<int64_t>{1, 3}));
}

TEST(GgufRules, GraniteSaysNoneByAnotherName) {
  GgufFile file = gguf("granite");
  file.flag("granite.rope.scaling.finetuned", false);
  const Model model = file.read();
  EXPECT_EQ(only(model).scheme, "none");
  expect_note(model, "does not rotate at all");
  EXPECT_EQ(only(gguf("granite").read()).scheme, "rope");
}

TEST(GgufRules, SectionsOfSeveralCoordinates) {
  GgufFile file = gguf("qwen2vl");
  file.numbers<int32_t>("qwen2vl.rope.dimension_sections", 5, {8, 12, 12, 0});
  const Model model = file.read();
  EXPECT_EQ(fact(only(model), "mrope_section"), "8,12,12");
  EXPECT_EQ(fact(only(model), "layout"), "half");
  EXPECT_EQ(std::get<Chunked>(rope_of(only(model)).axes).sections, (Sections{8, 12, 12}));
  GgufFile turns = gguf("qwen3vl");
  turns.numbers<int32_t>("qwen3vl.rope.dimension_sections", 5, {12, 10, 10, 0});
  const Model third = turns.read();
  EXPECT_EQ(std::get<Alternating>(rope_of(only(third)).axes).sections, (Sections{12, 10, 10}));
  expect_note(third, "by a fourth coordinate, which is 0 for text");
  expect_message([] { gguf("qwen2vl").read(); }, "expected qwen2vl.rope.dimension_sections");
  GgufFile glm = gguf("glm4");
  EXPECT_EQ(fact(only(glm.read()), "layout"), "interleaved");
  glm.numbers<int32_t>("glm4.rope.dimension_sections", 5, {8, 12, 12, 0});
  EXPECT_EQ(fact(only(glm.read()), "layout"), "half");
  GgufFile wrong = gguf("qwen2vl");
  wrong.numbers<int32_t>("qwen2vl.rope.dimension_sections", 5, {8, 12, 13, 0});
  expect_message([&] { wrong.read(); }, "expected keys that make an encoding, got others");
}

TEST(GgufRules, CompressedLayersHaveABaseOfTheirOwn) {
  GgufFile file = with_yarn("deepseek4", 16, 65536);
  file.u32("deepseek4.rope.dimension_count", 32).u32("deepseek4.attention.sliding_window", 128);
  file.f32("deepseek4.attention.compress_rope_freq_base", 160000);
  file.numbers<int32_t>("deepseek4.attention.compress_ratios", 5, {0, 4});
  const Model model = file.read();
  ASSERT_EQ(model.components.size(), 2u);
  EXPECT_EQ(fact(model.components[0], "base"), "10000");
  EXPECT_EQ(fact(model.components[0], "scaling.type"), "default");
  EXPECT_EQ(fact(model.components[1], "base"), "160000");
  EXPECT_EQ(fact(model.components[1], "scaling.attention_factor"), "1");
  EXPECT_EQ(rope_of(model.components[1]).rotary_offset, -32);
}

}  // namespace
}  // namespace posenc::model::gguf_rules_test
