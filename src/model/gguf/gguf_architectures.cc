// gguf_architectures.cc: what llama.cpp knows of an architecture that a GGUF file does not say.
#include "model/gguf/gguf_architectures.h"

#include "model/families/families.h"

namespace posenc::model {
namespace {

using enum GgufTurn;

// deepseek2-ocr is NORM in llama.cpp's table, but its graph asks for NEOX.
constexpr GgufArchitecture architectures[] = {
    {.names = "llama deci minicpm deepseek bailingmoe arcee llama-embed",
     .turn = norm,
     .permuted = true,
     .factors = true},
    {.names = "llada internlm2 xverse olmo arctic chameleon", .turn = norm, .permuted = true},
    {.names = "llama4",
     .turn = norm,
     .windows =
         GgufWindows{.period = 4, .scaled = true, .size = 8192, .fixed = true, .always = true},
     .factors = true,
     .fourth_is_nope = true,
     .tuned = true},
    {.names = "baichuan", .turn = norm, .permuted = true, .alibi_layers = 40},
    {.names = "command-r chatglm neo-bert ernie4_5 ernie4_5-moe maincoder pockettts", .turn = norm},
    {.names = "cohere2",
     .turn = norm,
     .windows = GgufWindows{.period = 4, .scaled = true},
     .factors = true,
     .full_is_nope = true},
    {.names = "cohere2moe",
     .turn = norm,
     .windows = GgufWindows{.period = 4, .full_first = true, .scaled = true},
     .factors = true,
     .full_is_nope = true,
     .dense_turn = true},
    {.names = "deepseek2",
     .turn = norm,
     .latent = true,
     .log_multiplier = true,
     .log_tenth = true,
     .mscale = true,
     .temperature_key = "attention.temperature_length"},
    {.names = "deepseek32",
     .turn = norm,
     .latent = true,
     .log_multiplier = true,
     .log_tenth = true},
    {.names = "deepseek4", .turn = norm, .compressed = true},
    {.names = "muse-glimmer",
     .turn = norm,
     .windows = GgufWindows{.period = 4},
     .full_is_nope = true},
    {.names = "plm bailingmoe3 glm-dsa", .turn = norm, .latent = true},
    {.names = "granite granitemoe granitehybrid graniteswitch",
     .turn = norm,
     .permuted = true,
     .factors = true,
     .finetuned = true},
    {.names = "granite_swa",
     .turn = norm,
     .windows = GgufWindows{.scaled = true},
     .permuted = true,
     .factors = true,
     .pattern = true},
    {.names = "smollm3", .turn = norm, .permuted = true, .fourth_is_nope = true},
    {.names = "mistral3",
     .turn = norm,
     .factors = true,
     .log_multiplier = true,
     .beta_fast = 32,
     .temperature_key = "rope.scaling.original_context_length"},
    {.names = "eagle3 nanbeige", .turn = norm, .factors = true},
    {.names = "mistral4",
     .turn = norm,
     .latent = true,
     .log_multiplier = true,
     .log_tenth = true,
     .temperature_key = "attention.temperature_length"},
    {.names = "dots3note", .turn = norm, .windows = GgufWindows{.own_base = true}, .latent = true},
    {.names = "falcon falcon-h1 dbrx jina-bert-v3 nomic-bert nomic-bert-moe eurobert stablelm "
              "bitnet qwen qwen2 dream qwen2moe qwen3 qwen3moe llada-moe rnd1 olmoe phi2 plamo "
              "plamo2 gemma starcoder2 openelm gptneox codeshell orion nemotron bailingmoe2 dots1 "
              "jais2 lfm2 lfm2moe seed_oss grovemoe minimax-m2 minimax-m3 pangu-embedded talkie"},
    {.names = "grok", .beta_fast = 8, .extrapolates = true},
    {.names = "modern-bert",
     .windows = GgufWindows{.period = 3, .full_first = true, .own_base = true}},
    {.names = "olmo2", .windows = GgufWindows{.period = 4}},
    {.names = "phi3 phimoe exaone hunyuan-moe hunyuan-dense hy_v3 apertus", .factors = true},
    {.names = "plamo3", .windows = GgufWindows{.period = 8, .own_base = true}},
    {.names = "gemma2 gpt-oss", .windows = GgufWindows{.period = 2, .scaled = true}},
    {.names = "gemma3 gemma-embedding", .windows = GgufWindows{.period = 6, .own_base = true}},
    {.names = "gemma3n", .windows = GgufWindows{.period = 5, .own_base = true}},
    {.names = "gemma4 gemma4-assistant",
     .windows = GgufWindows{.own_base = true},
     .factors = true,
     .factors_in_full = true},
    {.names = "exaone4",
     .windows = GgufWindows{.period = 4, .scaled = true, .size = 4096, .layers = 64},
     .factors = true,
     .full_is_nope = true},
    {.names = "exaone-moe",
     .windows = GgufWindows{.period = 4, .scaled = true},
     .factors = true,
     .full_is_nope = true},
    {.names = "minicpm3", .factors = true, .latent = true},
    {.names = "smallthinker",
     .windows =
         GgufWindows{.period = 4, .full_first = true, .scaled = true, .size = 4096, .fixed = true},
     .full_is_nope = true},
    {.names = "minimax-01", .interval = 8},
    {.names = "cogvlm", .fixed = true},
    {.names = "afmoe", .windows = GgufWindows{.period = 4, .scaled = true}, .fourth_is_nope = true},
    {.names = "laguna", .windows = GgufWindows{.period = 4, .full_first = true}},
    {.names = "qwen3next", .interval = 4},
    {.names = "mimo2", .windows = GgufWindows{.own_base = true}},
    {.names = "step35",
     .windows = GgufWindows{.own_base = true},
     .factors = true,
     .factors_in_full = true,
     .halved = true},
    {.names = "mellum", .windows = GgufWindows{.period = 4, .scaled = true}},
    {.names = "deepseek2-ocr", .scaled = false},
    {.names = "dflash", .windows = GgufWindows{.scaled = true}},
    {.names = "qwen2vl paddleocr", .turn = mrope},
    {.names = "qwen3vl qwen3vlmoe qwen3tts", .turn = imrope},
    {.names = "qwen35 qwen35moe", .turn = imrope, .interval = 4},
    {.names = "glm4", .turn = norm, .by_sections = true},
    {.names = "glm4moe", .by_sections = true},
    {.names = "hunyuan_vl", .by_sections = true, .factors = true, .alpha = true},
    {.names = "mamba mamba2 jamba rwkv6 rwkv6qwen2 rwkv7 arwkv7 wavtokenizer-dec nemotron_h "
              "nemotron_h_moe kimi-linear kimi-k3",
     .kind = GgufKind::none},
    {.names = "gpt2", .kind = GgufKind::learned},
    {.names = "starcoder",
     .kind = GgufKind::learned,
     .trap = "llama.cpp's table of rope types names starcoder, but nothing is rotated"},
    {.names = "bert",
     .kind = GgufKind::learned,
     .trap =
         "for models like RoBERTa the converter drops the first rows, padding and those before it: "
         "here the first token reads row 0, in the original row 2"},
    {.names = "bloom refact jina-bert-v2", .kind = GgufKind::alibi},
    {.names = "mpt jais", .kind = GgufKind::alibi_key},
    {.names = "t5", .kind = GgufKind::t5},
    {.names = "t5encoder", .kind = GgufKind::t5_encoder},
    {.names = "clip", .kind = GgufKind::projector},
};

}  // namespace

const GgufArchitecture* gguf_architecture(std::string_view name) {
  for (const GgufArchitecture& row : architectures)
    if (is_among(row.names, name)) return &row;
  return nullptr;
}

}  // namespace posenc::model
