// text_plain_rows.cc: text models with one rope on every layer of attention.
//
// Sizes (width, heads, layers, length, head) are written for names that are no class of
// transformers. A type "voxtral:text" is the text of such a model, whose class fills in sizes and
// base of its own.
#include "model/families/text_readers.h"

namespace posenc::model {
namespace {

using enum Layout;

constexpr std::string_view phimoe_short =
    "Past the trained length transformers changes the magnitude to long_mscale and keeps "
    "short_factor; the model's own code takes long_factor as well.";

constexpr std::string_view one_place =
    "The tokens of a picture share one position; the text continues right after it.";
constexpr std::string_view all_turn =
    "Layers with linear attention rotate as well as those with softmax.";

}  // namespace

std::span<const ModelRow> plain_rows() {
  static constexpr ModelRow rows[] = {
      {.types =
           "aria_text arcee chameleon diffllama esmc eurobert gemma granite granite4_vision_text "
           "granite_docling_text granitemoe granitemoeshared hyperclovax internlm3 iquestcoder "
           "jais2 jetmoe olmo olmo2 seed_oss timesfm2_5 dia_encoder dia_decoder bitnet "
           "csm_depth_decoder_model flex_olmo emu3_text_model hy_v3 jina_embeddings_v3"},
      {.types = "cohere blt_global_transformer ernie4_5 ernie4_5_moe helium",
       .rope = {.layout = interleaved}},
      {.types = "blt_patcher blt_local_encoder blt_local_decoder",
       .rope = {.layout = interleaved},
       .window = {.everywhere = true}},
      {.types = "deepseek_ocr2_text deepseek_ocr2_encoder doge dots1 mistral olmoe qwen2 qwen3 "
                "qwen3_moe starcoder2 voxtral_realtime_text unlimited_ocr_text mixtral "
                "muse_glimmer_assistant",
       .window = {.everywhere = true}},
      {.types = "evolla", .sub_configs = {{"protein_encoder_config", "protein", "evolla_protein"}}},
      {.types = "glm glm4", .rope = {.layout = interleaved}},
      {.types = "glm4_moe nemotron persimmon phi"},
      {.types = "stablelm stablelm_epoch"},
      {.types = "gpt_neox", .rope = {.base_key = "rotary_emb_base"}},
      {.types = "gpt_neox_japanese", .rope = {.base_key = "rotary_emb_base"}},
      {.types = "hrm_text", .rope = {.sizes = {1536, 12, 16, 2048, 128}}},
      {.types = "hunyuan_v1_dense hunyuan hunyuan_dense"},
      {.types = "hunyuan_v1_moe hunyuan_moe"},
      {.types = "kyutai_speech_to_text",
       .window = {.everywhere = true},
       .sub_configs = {{"codec_config", "codec", "mimi"}}},
      {.types = "llama smollm code_llama aquila orion xverse deepseek internlm2 minicpm solar "
                "teleflm arctic bailing_moe llama_bidirec"},
      {.types = "minimax_m2 solar_open", .rope = {.fraction = 1}},
      {.types = "minimax_m3_vl_text", .trap = rotary_dim_unread},
      {.types = "nanochat", .rope = {.sign = Sign::negative}},
      {.types = "openai_privacy_filter", .window = {.everywhere = true}},
      {.types = "apertus"},
      {.types = "higgs_audio_v2"},
      {.types = "ministral3",
       .rope = {.temperature = true},
       .window = {.everywhere = true},
       .joint = {.text = "mistral", .vision = "pixtral", .prefix = "vision_tower."}},
      {.types = "phi3", .rope = {.yarn_is_longrope = true}, .window = {.everywhere = true}},
      {.types = "phi4_multimodal",
       .rope = {.yarn_is_longrope = true},
       .window = {.everywhere = true},
       .sub_configs = {{"vision_config", "vision", "phi4_multimodal_vision",
                        "embed_tokens_extend.image_embed.img_processor."},
                       {"audio_config", "audio", "phi4_multimodal_audio",
                        "embed_tokens_extend.audio_embed.encoder."}}},
      {.types = "phi4mm",
       .rope = {.sizes = {3072, 32, 32, 131072},
                .fraction = 1,
                .yarn_is_longrope = true,
                .trained = 4096},
       .window = {.everywhere = true}},
      {.types = "phimoe",
       .rope = {.mscales = true},
       .window = {.everywhere = true},
       .trap = phimoe_short},
      {.types = "qwen2_moe", .window = {.everywhere = true, .early = true}},
      {.types = "voxtral:text"},
      {.types = "glmasr:text"},
      {.types = "voxtral_realtime:text", .window = {.everywhere = true}},
      {.types = "qwen3_omni_moe_talker_code_predictor",
       .window = {.everywhere = true, .asked = true}},
      {.types = "pocket_tts"},
      {.types = "gradium_phonon_tts"},
      {.types = "Yi yi", .rope = {.sizes = {4096, 32, 32, 4096}, .base = 5000000}},
      {.types = "bailing_moe_v2",
       .rope = {.sizes = {2048, 16, 20, 32768}, .base = 600000, .fraction = 0.5}},
      {.types = "moshi",
       .window = {.everywhere = true},
       .sub_configs = {{"audio_encoder_config", "codec", "mimi"},
                       {"depth_decoder_config", "depth decoder", "moshi_depth"}}},
      {.types = "exaone", .rope = {.sizes = {2048, 32, 32, 2048}}},
      {.types = "neobert",
       .rope = {.sizes = {768, 12, 28, 4096}, .layout = interleaved, .fixed = true}},
      {.types = "gptj codegen", .rope = {.layout = interleaved, .fixed = true}},
      {.types = "phi-msft mixformer-sequential",
       .rope = {.sizes = {1024, 16, 20, 2048}, .turning = 32, .fixed = true}},

      // Code that comes with the weights; sizes are left out where every published file says them.
      // As Llama's, under another name.
      {.types = "skywork telechat3 instella apriel jiutian ouro nanbeige zhinao BlueLM Klear "
                "iquestloopcoder deci internlmxcomposer2 PanguEmbedded PanguProMoE yuan llada_moe"},
      {.types = "minicpmv:text", .window = {.everywhere = true, .asked = true, .late = 28}},
      {.types = "mimo Dream sdar sdar_moe kimi_audio",
       .rope = {.sizes = {.length = 32768}},
       .window = {.everywhere = true, .asked = true, .late = 28}},
      {.types = "dots_ocr",
       .rope = {.sizes = {.length = 32768}},
       .window = {.everywhere = true, .asked = true, .late = 28},
       .sub_configs = {{"vision_config", "vision", "dots_vit"}}},
      {.types = "keye:text",
       .rope = {.coordinates = RopeCoordinates::chunked, .sections = {16, 24, 24}},
       .window = {.everywhere = true, .asked = true, .late = 28}},
      {.types = "grok-1", .rope = {.sizes = {6144, 48, 64, 8192}}},
      {.types = "step3_text", .rope = {.sizes = {7168, 64, 61, 65536, 256}, .base = 500000}},
      {.types = "molmo", .rope = {.base = 1000000}, .read = read_molmo},
      {.types = "cogvlm cogvlm2",
       .rope = {.fixed = true},
       .trap = one_place,
       .sub_configs = {{"vision_config", "vision", "cogvlm_vision"}}},
      {.types = "phi3_v",
       .rope = {.sizes = {3072, 32, 32, 4096}, .fraction = 1, .trained = 4096},
       .window = {.everywhere = true},
       .read = read_phi3_v},

      // Other pairs, shares or bases.
      {.types = "lille-130m", .rope = {.layout = interleaved}},
      {.types = "plamo", .rope = {.sizes = {4096, 32, 32, 2048}, .fixed = true}},
      {.types = "phixtral", .rope = {.sizes = {2560, 32, 32, 2048}, .turning = 32, .fixed = true}},
      {.types = "param2moe", .rope = {.fraction = 1}},
      {.types = "llada2_moe", .rope = {.base = 600000, .fraction = 0.5}},
      {.types = "bailing_moe_linear", .rope = {.base = 600000, .fraction = 0.5}, .trap = all_turn},
      {.types = "index", .read = read_index},
      {.types = "telechat telechat2", .read = read_telechat},

      // What says whether they turn.
      {.types = "llada", .rope = {.base = 500000}, .read = read_llada},
      {.types = "codeshell", .read = read_codeshell},
      {.types = "jais btlm", .read = read_jais},
      {.types = "step1", .read = read_step1},

      // Layers that differ.
      {.types = "nemotron-nas", .rope = {.sizes = {.length = 8192}}, .read = read_decilm},
      {.types = "baichuan_m1",
       .layers = {.list_key = "sliding_window_layers", .listed_are_full = false, .indices = true},
       .read = read_baichuan_m1},
      {.types = "plamo2", .rope = {.sizes = {4096, 32, 32, 2048, 128}}, .read = read_plamo2},
      {.types = "plamo3",
       .layers = {.period = 8, .period_key = "sliding_window_pattern"},
       .local = {.key = "rope_local_theta", .full_base = 1000000},
       .read = read_local},
  };
  return rows;
}

}  // namespace posenc::model
