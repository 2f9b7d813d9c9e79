// gguf_architectures.cc: what llama.cpp knows of an architecture that a GGUF file does not say.
#include "model/gguf/gguf_architectures.h"

#include <utility>

#include "model/families/families.h"

namespace posenc::model {
namespace {

constexpr std::string_view norm =
    "llama llada llama4 deci baichuan internlm2 minicpm xverse command-r cohere2 cohere2moe olmo "
    "arctic deepseek deepseek2 deepseek32 deepseek4 muse-glimmer plm chatglm granite granitemoe "
    "granitehybrid graniteswitch granite_swa chameleon bailingmoe bailingmoe3 neo-bert smollm3 "
    "arcee ernie4_5 ernie4_5-moe mistral3 eagle3 mistral4 llama-embed maincoder glm-dsa dots3note "
    "nanbeige pockettts";
// deepseek2-ocr is NORM in the table, but its graph asks for NEOX.
constexpr std::string_view neox =
    "falcon falcon-h1 grok dbrx jina-bert-v3 modern-bert nomic-bert nomic-bert-moe eurobert "
    "stablelm bitnet qwen qwen2 dream qwen2moe qwen3 qwen3moe llada-moe rnd1 olmo2 olmoe phi2 phi3 "
    "phimoe plamo plamo2 plamo3 gemma gemma2 gemma3 gemma3n gemma4 gemma4-assistant "
    "gemma-embedding starcoder2 openelm gptneox codeshell orion nemotron exaone exaone4 exaone-moe "
    "minicpm3 bailingmoe2 dots1 hunyuan-moe jais2 gpt-oss hunyuan-dense hy_v3 lfm2 lfm2moe "
    "smallthinker seed_oss grovemoe apertus minimax-01 minimax-m2 minimax-m3 cogvlm pangu-embedded "
    "afmoe laguna qwen3next mimo2 step35 talkie mellum deepseek2-ocr dflash";
constexpr std::string_view mrope = "qwen2vl paddleocr";
constexpr std::string_view imrope = "qwen3vl qwen3vlmoe qwen35 qwen35moe qwen3tts";
// Those turn by sections where the file has them, and else as their pair says.
constexpr std::string_view norm_or_mrope = "glm4", neox_or_mrope = "glm4moe hunyuan_vl";

constexpr std::pair<GgufKind, std::string_view> kinds[] = {
    {GgufKind::none,
     "mamba mamba2 jamba rwkv6 rwkv6qwen2 rwkv7 arwkv7 wavtokenizer-dec nemotron_h nemotron_h_moe "
     "kimi-linear kimi-k3"},
    {GgufKind::rope, norm},
    {GgufKind::rope, neox},
    {GgufKind::rope, mrope},
    {GgufKind::rope, imrope},
    {GgufKind::rope, norm_or_mrope},
    {GgufKind::rope, neox_or_mrope},
    {GgufKind::learned, "gpt2 starcoder bert"},
    {GgufKind::alibi, "bloom refact jina-bert-v2"},
    {GgufKind::alibi_key, "mpt jais"},
    {GgufKind::t5, "t5"},
    {GgufKind::t5_encoder, "t5encoder"},
    {GgufKind::projector, "clip"}};

constexpr GgufWindows windows[] = {
    {"afmoe cohere2 exaone4 exaone-moe mellum llama4", 4, false, false, true},
    {"muse-glimmer olmo2", 4, false, false, false},
    {"gemma2 gpt-oss", 2, false, false, true},
    {"gemma3n", 5, false, true, false},
    {"gemma3 gemma-embedding", 6, false, true, false},
    {"plamo3", 8, false, true, false},
    {"cohere2moe smallthinker", 4, true, false, true},
    {"laguna", 4, true, false, false},
    {"modern-bert", 3, true, true, false},
    {"gemma4 gemma4-assistant mimo2 step35 dots3note", 0, false, true, false},
    {"granite_swa dflash", 0, false, false, true}};

constexpr std::pair<GgufTrait, std::string_view> traits[] = {
    {GgufTrait::permuted,
     "llama deci arctic baichuan xverse internlm2 minicpm olmo deepseek granite granitemoe "
     "granitehybrid graniteswitch granite_swa smollm3 arcee llada bailingmoe chameleon "
     "llama-embed"},
    {GgufTrait::factors,
     "apertus arcee bailingmoe cohere2 cohere2moe deci deepseek eagle3 exaone exaone4 exaone-moe "
     "granite granitemoe granitehybrid graniteswitch granite_swa hunyuan-moe hunyuan-dense "
     "hunyuan_vl hy_v3 llama llama-embed llama4 minicpm minicpm3 mistral3 nanbeige phi3 phimoe "
     "step35 gemma4 gemma4-assistant"},
    {GgufTrait::factors_in_full, "step35 gemma4 gemma4-assistant"},
    {GgufTrait::latent, "deepseek2 deepseek32 glm-dsa mistral4 bailingmoe3 dots3note plm minicpm3"},
    {GgufTrait::full_is_nope, "cohere2 cohere2moe exaone4 exaone-moe muse-glimmer smallthinker"},
    {GgufTrait::fourth_is_nope, "llama4 afmoe smollm3"},
    {GgufTrait::finetuned, "granite granitemoe granitehybrid graniteswitch"},
    {GgufTrait::interval, "qwen3next qwen35 qwen35moe minimax-01"},
    {GgufTrait::log_multiplier, "deepseek2 deepseek32 mistral3 mistral4"},
    {GgufTrait::log_tenth, "deepseek2 deepseek32 mistral4"},
    {GgufTrait::betas, "grok mistral3"}};

}  // namespace

GgufKind gguf_kind(std::string_view architecture) {
  for (const auto& [kind, names] : kinds)
    if (is_among(names, architecture)) return kind;
  return GgufKind::unknown;
}

GgufTurn gguf_turn(std::string_view architecture, bool sections) {
  if (is_among(mrope, architecture)) return GgufTurn::mrope;
  if (is_among(imrope, architecture)) return GgufTurn::imrope;
  const bool is_norm = is_among(norm_or_mrope, architecture);
  if (sections && (is_norm || is_among(neox_or_mrope, architecture))) return GgufTurn::mrope;
  return is_norm || is_among(norm, architecture) ? GgufTurn::norm : GgufTurn::neox;
}

const GgufWindows* gguf_windows(std::string_view architecture) {
  for (const GgufWindows& row : windows)
    if (is_among(row.architectures, architecture)) return &row;
  return nullptr;
}

bool gguf_has(std::string_view architecture, GgufTrait trait) {
  for (const auto& [which, names] : traits)
    if (which == trait) return is_among(names, architecture);
  return false;
}

}  // namespace posenc::model
