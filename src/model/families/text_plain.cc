// text_plain.cc: text models with one rope on every layer of attention, as data.
//
// The sizes are those of the class in transformers: width, heads, layers, length, head. A type
// "voxtral:text" is the text of such a model, whose class fills in sizes and base of its own.
#include "model/families/text_rules.h"

namespace posenc::model {
namespace {

using enum Layout;

constexpr std::string_view apertus =
    R"({"rope_type": "llama3", "rope_theta": 12000000, "factor": 8, "low_freq_factor": 1,)"
    R"( "high_freq_factor": 4, "original_max_position_embeddings": 8192})";
constexpr std::string_view glmasr = R"({"rope_type": "default", "rope_theta": 10000})";
constexpr std::string_view higgs_audio_v2 =
    R"({"rope_type": "llama3", "rope_theta": 500000, "factor": 32, "low_freq_factor": 0.125,)"
    R"( "high_freq_factor": 0.5, "original_max_position_embeddings": 1024})";
constexpr std::string_view ministral3 =
    R"({"rope_type": "yarn", "rope_theta": 1000000, "factor": 16, "mscale": 1,)"
    R"( "mscale_all_dim": 1, "original_max_position_embeddings": 16384,)"
    R"( "llama_4_scaling_beta": 0.1})";
constexpr std::string_view openai_privacy_filter =
    R"({"rope_type": "yarn", "factor": 32, "truncate": false,)"
    R"( "original_max_position_embeddings": 4096})";
constexpr std::string_view phimoe_short =
    "Past the trained length transformers changes the magnitude to long_mscale and keeps "
    "short_factor; the model's own code takes long_factor as well.";

}  // namespace

std::span<const TextRule> plain_rules() {
  static const TextRule rules[] = {
      {"aria_text", {.sizes = {4096, 32, 32, 2048}}},
      {"arcee", {.sizes = {2560, 32, 32, 4096}}},
      {"bitnet", {.sizes = {2560, 20, 30, 2048}, .base = 500000}},
      {"chameleon", {.sizes = {4096, 32, 32, 4096}}},
      {"cohere", {.sizes = {8192, 64, 40, 8192}, .base = 500000, .layout = interleaved}},
      {"csm_depth_decoder_model", {.sizes = {1024, 8, 4, 33}, .base = 500000}},
      {"blt_local_encoder", {.sizes = {1024, 16, 1, 24576}, .base = 500000, .layout = interleaved}},
      {"blt_local_decoder", {.sizes = {1024, 16, 9, 24576}, .base = 500000, .layout = interleaved}},
      {"blt_global_transformer",
       {.sizes = {2048, 16, 25, 4096}, .base = 500000, .layout = interleaved}},
      {"blt_patcher", {.sizes = {768, 12, 14, 8192}, .layout = interleaved}},
      {"deepseek_ocr2_text", {.sizes = {4096, 32, 32, 2048}}},
      {"deepseek_ocr2_encoder", {.sizes = {4096, 32, 32, 32768}}},
      {"diffllama", {.sizes = {2048, 32, 16, 2048}}},
      {"doge", {.sizes = {1024, 8, 32, 2048}}},
      {"dots1", {.sizes = {4608, 32, 62, 2048}}},
      {"emu3_text_model", {.sizes = {4096, 32, 32, 9216}, .base = 1000000}},
      {"ernie4_5", {.sizes = {1024, 16, 18, 131072, 128}, .base = 500000, .layout = interleaved}},
      {"ernie4_5_moe", {.sizes = {2560, 20, 28, 131072}, .base = 500000, .layout = interleaved}},
      {"esmc", {.sizes = {2560, 40, 80, 2048}}},
      {"eurobert", {.sizes = {768, 12, 12, 8192}}},
      {"evolla", {.sizes = {4096, 32, 32, 8192}, .base = 500000}},
      {"flex_olmo", {.sizes = {4096, 32, 32, 4096}, .base = 500000}},
      {"gemma", {.sizes = {3072, 16, 28, 8192, 256}}},
      {"glm", {.sizes = {4096, 32, 40, 131072, 128}, .layout = interleaved, .fraction = 0.5}},
      {"glm4", {.sizes = {4096, 32, 40, 131072, 128}, .layout = interleaved, .fraction = 0.5}},
      {"glm4_moe", {.sizes = {4096, 96, 46, 131072}, .fraction = 0.5}},
      {"gpt_neox",
       {.sizes = {6144, 64, 44, 2048}, .base_key = "rotary_emb_base", .fraction = 0.25}},
      {"gpt_neox_japanese",
       {.sizes = {2560, 32, 32, 2048}, .base_key = "rotary_emb_base", .fraction = 1}},
      {"granite", {.sizes = {4096, 32, 32, 2048}}},
      {"granite4_vision_text", {.sizes = {4096, 32, 32, 2048}}},
      {"granite_docling_text", {.sizes = {1024, 16, 28, 32768}}},
      {"granitemoe", {.sizes = {4096, 32, 32, 2048}}},
      {"granitemoeshared", {.sizes = {4096, 32, 32, 2048}}},
      {"helium", {.sizes = {2560, 20, 24, 4096, 128}, .base = 100000, .layout = interleaved}},
      {"hrm_text", {.sizes = {1536, 12, 16, 2048, 128}}},
      {"hunyuan_v1_dense hunyuan hunyuan_dense", {.sizes = {4096, 32, 32, 2048}}},
      {"hunyuan_v1_moe hunyuan_moe", {.sizes = {4096, 32, 32, 2048}}},
      {"hy_v3", {.sizes = {4096, 64, 80, 131072, 128}, .base = 11158840}},
      {"hyperclovax", {.sizes = {4096, 32, 32, 2048}}},
      {"internlm3", {.sizes = {4096, 32, 48, 32768, 128}}},
      {"iquestcoder", {.sizes = {5120, 40, 80, 131072, 128}}},
      {"jais2", {.sizes = {3328, 26, 32, 8192}}},
      {"jetmoe", {.sizes = {2048, 32, 12, 4096, 128}}},
      {"jina_embeddings_v3", {.sizes = {1024, 16, 24, 8194}, .base = 20000}},
      {"kyutai_speech_to_text", {.sizes = {2048, 32, 48, 750}}},
      {"llama smollm code_llama aquila orion xverse deepseek internlm2 minicpm solar"
       " teleflm arctic bailing_moe",
       {.sizes = {4096, 32, 32, 2048}}},
      {"minimax_m2", {.sizes = {3072, 48, 62, 196608, 128}, .base = 5000000, .fraction = 1}},
      {"minimax_m3_vl_text",
       {.sizes = {6144, 64, 60, 524288, 128}, .base = 5000000, .turning = 64},
       {},
       {},
       {},
       nullptr,
       rotary_dim_unread},
      {"mistral", {.sizes = {4096, 32, 32, 131072}}},
      {"mixtral", {.sizes = {4096, 32, 32, 131072}, .base = 1000000}},
      {"nanochat", {.sizes = {768, 6, 12, 2048}, .sign = Sign::negative}},
      {"nemotron", {.sizes = {6144, 48, 32, 4096}, .fraction = 0.5}},
      {"olmo", {.sizes = {4096, 32, 32, 2048}}},
      {"olmo2", {.sizes = {4096, 32, 32, 2048}}},
      {"olmoe", {.sizes = {2048, 16, 16, 4096}}},
      {"openai_privacy_filter",
       {.sizes = {640, 14, 8, 131072, 64}, .base = 150000, .scaling = openai_privacy_filter}},
      {"apertus", {.sizes = {4096, 32, 32, 65536}, .base = 12000000, .scaling = apertus}},
      {"higgs_audio_v2", {.sizes = {3072, 24, 28, 2048, 128}, .scaling = higgs_audio_v2}},
      {"ministral3",
       {.sizes = {4096, 32, 34, 262144, 128}, .scaling = ministral3, .temperature = true}},
      {"persimmon", {.sizes = {4096, 64, 36, 16384}, .fraction = 0.5}},
      {"phi", {.sizes = {2048, 32, 24, 2048}, .fraction = 0.5}},
      {"phi3",
       {.sizes = {3072, 32, 32, 4096}, .fraction = 1, .yarn_is_longrope = true, .trained = 4096}},
      {"phi4_multimodal phi4mm",
       {.sizes = {3072, 32, 32, 131072}, .fraction = 1, .yarn_is_longrope = true, .trained = 4096}},
      {"phimoe",
       {.sizes = {4096, 32, 32, 131072}, .base = 1000000, .mscales = true},
       {},
       {},
       {},
       nullptr,
       phimoe_short},
      {"qwen2", {.sizes = {4096, 32, 32, 32768}}},
      {"qwen2_moe", {.sizes = {2048, 16, 24, 32768}}},
      {"qwen3", {.sizes = {4096, 32, 32, 32768, 128}}},
      {"qwen3_moe", {.sizes = {2048, 32, 24, 32768}}},
      {"seed_oss", {.sizes = {4096, 80, 64, 524288, 128}}},
      {"solar_open", {.sizes = {4096, 64, 48, 131072, 128}, .base = 1000000, .fraction = 1}},
      {"stablelm stablelm_epoch", {.sizes = {2560, 32, 32, 4096}, .fraction = 0.25}},
      {"starcoder2", {.sizes = {3072, 24, 30, 4096}}},
      {"voxtral:text", {.sizes = {3072, 32, 30, 131072, 128}, .base = 100000000}},
      {"glmasr:text", {.sizes = {2048, 16, 28, 8192}, .scaling = glmasr}},
      {"voxtral_realtime_text", {.sizes = {4096, 32, 32, 131072}}},
      {"voxtral_realtime:text", {.sizes = {3072, 32, 26, 131072, 128}, .base = 1000000}},
      {"qwen3_omni_moe_talker_code_predictor", {.sizes = {1024, 16, 5, 32768, 128}}},
      {"pocket_tts", {.sizes = {1024, 16, 6, 8192}}},
      {"gradium_phonon_tts", {.sizes = {768, 12, 6, 8192}}},
      {"timesfm2_5", {.sizes = {1280, 16, 20, 16384, 80}}},
      {"unlimited_ocr_text", {.sizes = {1280, 10, 12, 32768}}},
      {"Yi yi", {.sizes = {4096, 32, 32, 4096}, .base = 5000000}},
      {"bailing_moe_v2", {.sizes = {2048, 16, 20, 32768}, .base = 600000, .fraction = 0.5}},
      {"moshi", {.sizes = {4096, 32, 32, 3000}}},
      {"dia_encoder", {.sizes = {1024, 16, 12, 1024, 128}}},
      {"dia_decoder", {.sizes = {2048, 16, 18, 3072, 128}}},
      {"muse_glimmer_assistant", {.sizes = {6656, 32, 5, 131072, 128}, .base = 500000}},
      {"exaone", {.sizes = {2048, 32, 32, 2048}}},
      {"neobert", {.sizes = {768, 12, 28, 4096}, .layout = interleaved, .fixed = true}},
      {"gptj codegen",
       {.sizes = {4096, 16, 28, 2048}, .layout = interleaved, .turning = 64, .fixed = true}},
      {"phi-msft mixformer-sequential",
       {.sizes = {1024, 16, 20, 2048}, .turning = 32, .fixed = true}},
  };
  return rules;
}

}  // namespace posenc::model
