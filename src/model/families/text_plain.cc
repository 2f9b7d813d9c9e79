// text_plain.cc: text models with one rope on every layer of attention, as data.
//
// Sizes (width, heads, layers, length, head) are written for names that are no class of
// transformers. A type "voxtral:text" is the text of such a model, whose class fills in sizes and
// base of its own.
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
      {"aria_text"},
      {"arcee"},
      {"bitnet", {.base = 500000}},
      {"chameleon"},
      {"cohere", {.base = 500000, .layout = interleaved}},
      {"csm_depth_decoder_model", {.base = 500000}},
      {"blt_local_encoder", {.base = 500000, .layout = interleaved}},
      {"blt_local_decoder", {.base = 500000, .layout = interleaved}},
      {"blt_global_transformer", {.base = 500000, .layout = interleaved}},
      {"blt_patcher", {.layout = interleaved}},
      {"deepseek_ocr2_text"},
      {"deepseek_ocr2_encoder"},
      {"diffllama"},
      {"doge"},
      {"dots1"},
      {"emu3_text_model", {.base = 1000000}},
      {"ernie4_5", {.base = 500000, .layout = interleaved}},
      {"ernie4_5_moe", {.base = 500000, .layout = interleaved}},
      {"esmc"},
      {"eurobert"},
      {"evolla", {.base = 500000}},
      {"flex_olmo", {.base = 500000}},
      {"gemma"},
      {"glm", {.layout = interleaved, .fraction = 0.5}},
      {"glm4", {.layout = interleaved, .fraction = 0.5}},
      {"glm4_moe", {.fraction = 0.5}},
      {"gpt_neox", {.base_key = "rotary_emb_base", .fraction = 0.25}},
      {"gpt_neox_japanese", {.base_key = "rotary_emb_base", .fraction = 1}},
      {"granite"},
      {"granite4_vision_text"},
      {"granite_docling_text"},
      {"granitemoe"},
      {"granitemoeshared"},
      {"helium", {.base = 100000, .layout = interleaved}},
      {"hrm_text", {.sizes = {1536, 12, 16, 2048, 128}}},
      {"hunyuan_v1_dense hunyuan hunyuan_dense", {.sizes = {4096, 32, 32, 2048}}},
      {"hunyuan_v1_moe hunyuan_moe", {.sizes = {4096, 32, 32, 2048}}},
      {"hy_v3", {.base = 11158840}},
      {"hyperclovax"},
      {"internlm3"},
      {"iquestcoder"},
      {"jais2"},
      {"jetmoe"},
      {"jina_embeddings_v3", {.base = 20000}},
      {"kyutai_speech_to_text"},
      {"llama smollm code_llama aquila orion xverse deepseek internlm2 minicpm solar"
       " teleflm arctic bailing_moe",
       {.sizes = {4096, 32, 32, 2048}}},
      {"minimax_m2", {.base = 5000000, .fraction = 1}},
      {"minimax_m3_vl_text",
       {.base = 5000000, .turning = 64},
       {},
       {},
       {},
       nullptr,
       rotary_dim_unread},
      {"mistral"},
      {"mixtral", {.base = 1000000}},
      {"nanochat", {.sign = Sign::negative}},
      {"nemotron", {.fraction = 0.5}},
      {"olmo"},
      {"olmo2"},
      {"olmoe"},
      {"openai_privacy_filter", {.base = 150000, .scaling = openai_privacy_filter}},
      {"apertus", {.base = 12000000, .scaling = apertus}},
      {"higgs_audio_v2", {.scaling = higgs_audio_v2}},
      {"ministral3", {.scaling = ministral3, .temperature = true}},
      {"persimmon", {.fraction = 0.5}},
      {"phi", {.fraction = 0.5}},
      {"phi3", {.fraction = 1, .yarn_is_longrope = true, .trained = 4096}},
      {"phi4_multimodal phi4mm",
       {.sizes = {3072, 32, 32, 131072}, .fraction = 1, .yarn_is_longrope = true, .trained = 4096}},
      {"phimoe", {.base = 1000000, .mscales = true}, {}, {}, {}, nullptr, phimoe_short},
      {"qwen2"},
      {"qwen2_moe"},
      {"qwen3"},
      {"qwen3_moe"},
      {"seed_oss"},
      {"solar_open", {.base = 1000000, .fraction = 1}},
      {"stablelm stablelm_epoch", {.sizes = {2560, 32, 32, 4096}, .fraction = 0.25}},
      {"starcoder2"},
      {"voxtral:text", {.sizes = {3072, 32, 30, 131072, 128}, .base = 100000000}},
      {"glmasr:text", {.sizes = {2048, 16, 28, 8192}, .scaling = glmasr}},
      {"voxtral_realtime_text"},
      {"voxtral_realtime:text", {.sizes = {3072, 32, 26, 131072, 128}, .base = 1000000}},
      {"qwen3_omni_moe_talker_code_predictor"},
      {"pocket_tts", {.sizes = {1024, 16, 6, 8192}}},
      {"gradium_phonon_tts", {.sizes = {768, 12, 6, 8192}}},
      {"timesfm2_5"},
      {"unlimited_ocr_text"},
      {"Yi yi", {.sizes = {4096, 32, 32, 4096}, .base = 5000000}},
      {"bailing_moe_v2", {.sizes = {2048, 16, 20, 32768}, .base = 600000, .fraction = 0.5}},
      {"moshi"},
      {"dia_encoder"},
      {"dia_decoder"},
      {"muse_glimmer_assistant", {.base = 500000}},
      {"exaone", {.sizes = {2048, 32, 32, 2048}}},
      {"neobert", {.sizes = {768, 12, 28, 4096}, .layout = interleaved, .fixed = true}},
      {"gptj codegen", {.layout = interleaved, .turning = 64, .fixed = true}},
      {"phi-msft mixformer-sequential",
       {.sizes = {1024, 16, 20, 2048}, .turning = 32, .fixed = true}},
  };
  return rules;
}

}  // namespace posenc::model
