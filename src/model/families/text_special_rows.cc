// text_special_rows.cc: text models with readers of their own.
#include "model/families/text_readers.h"

namespace posenc::model {
namespace {

using enum Layout;

constexpr LayerRule exaone4{.period_key = "sliding_window_pattern"};
constexpr LayerRule mimo{.period = 6, .list_key = "hybrid_layer_pattern", .listed_are_full = false};
constexpr LayerRule zamba2{.other = linear_kind, .list_key = "hybrid_layer_ids", .indices = true};

}  // namespace

std::span<const ModelRow> special_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "gemma4_text gemma4_unified_text", .read = read_gemma4},
      {.types = "diffusion_gemma_text", .rope = {.fraction = 1}, .read = read_gemma4},
      {.types = "embedding_gemma2_text",
       .layers = {.period_key = "sliding_window_pattern"},
       .read = read_gemma4},
      {.types = "mimo_v2_flash mimo_v2",
       .layers = mimo,
       .local = {.key = "swa_rope_theta"},
       .read = read_mimo},
      {.types = "step3p5",
       .rope = {.fraction = 1, .share = ShareKey::inside, .reads_flat = false},
       .read = read_step3p5},
      {.types = "exaone4 exaone_moe",
       .layers = exaone4,
       .turns = TurningLayers::sliding_only,
       .read = read_exaone4},
      {.types = "cohere2_moe",
       .rope = {.layout = interleaved, .reads_scaling = false},
       .read = read_cohere2_moe},
      {.types = "muse_glimmer_text muse_spark_text",
       .layers = {.from_end = true},
       .turns = TurningLayers::sliding_only,
       .read = read_layer_bases},
      {.types = "molmo2_text", .read = read_molmo2},
      {.types = "inkling_text inkling2_text", .read = read_inkling},
      {.types = "mllama_text_model", .read = read_mllama},
      {.types = "granitemoehybrid", .read = read_granite_hybrid},
      {.types = "recurrent_gemma",
       .window = {.everywhere = true, .key = "attention_window_size"},
       .read = read_recurrent_gemma},
      {.types = "zamba2", .layers = zamba2, .read = read_zamba2},
      {.types = "olmo_hybrid", .turns = TurningLayers::full_only, .read = read_olmo_hybrid},
      {.types = "qwen",
       .rope = {.sizes = {4096, 32, 32, 8192}, .fraction = 1},
       .read = read_qwen,
       .sub_configs = {{"visual", "vision", "qwen_visual"}, {"audio", "audio", "qwen_audio"}}},
      {.types = "chatglm",
       .rope = {.sizes = {4096, 32, 28}, .layout = interleaved},
       .read = read_chatglm,
       .sub_configs = {{"vision_config", "vision", "chatglm_vision"}}},
      {.types = "phi3small",
       .rope = {.sizes = {4096, 32, 32, 8192}, .base = 1000000, .mscales = true},
       .read = read_phi3small},
      {.types = "dbrx", .read = read_dbrx},
      {.types = "internlm", .rope = {.sizes = {4096, 32, 32, 2048}}, .read = read_internlm},
      {.types = "openelm",
       .rope = {.sizes = {.length = 2048, .head = 128}},
       .local = {.full_key = "rope_freq_constant"}},
      {.types = "csm", .read = read_csm, .sub_configs = {{"codec_config", "codec", "mimi"}}},
      {.types = "blt", .read = read_blt},
      {.types = "t5gemma", .read = read_both_sides, .joint = {.text = "t5_gemma_module"}},
      {.types = "t5gemma2", .read = read_both_sides, .joint = {.text = "t5gemma2_text"}},
      {.types = "dia",
       .read = read_both_sides,
       .joint = {.text = "dia_encoder", .decoder = "dia_decoder"}},
      {.types = "fuyu",
       .rope = {.sizes = {4096, 64, 36, 16384}, .base = 25000, .fraction = 0.5},
       .joint = {.text = "persimmon"}},
      {.types = "nomic_bert",
       .rope = {.fraction = 1, .share = ShareKey::nowhere},
       .read = read_nomic},
      {.types = "new", .rope = {.sizes = {768, 12, 12, 2048}}, .read = read_gte},
      {.types = "gte", .read = read_gte},
      {.types = "roformer", .rope = {.layout = interleaved, .fixed = true}, .read = read_roformer},
      {.types = "esm", .read = read_esm},
      {.types = "cpmant",
       .read = read_parts_alone,
       .components = {{.where = "text",
                       .scheme = "t5",
                       .positions =
                           "distances inside a segment; between segments the pair of their kinds",
                       .facts = {{{"num_buckets", "position_bias_num_buckets"},
                                  {"max_distance", "position_bias_max_distance"},
                                  {"heads", "num_attention_heads"},
                                  {"segment_types", "segment_types"}}},
                       .note = "rows for pairs of segments follow those of the buckets",
                       .weights = "position_bias.relative_attention_bias",
                       .computed = Computed::segments}}},
      {.types = "bloom", .read = read_bloom},
      {.types = "falcon RefinedWeb RefinedWebModel", .read = read_falcon},
      {.types = "mpt", .rope = {.sizes = {2048, 16, 24, 2048}}, .read = read_mpt},
      {.types = "jina_bert", .rope = {.sizes = {768, 12, 12, 512}}, .read = read_jina_alibi},
      {.types = "baichuan", .rope = {.sizes = {4096, 32, 32, 4096}}, .read = read_baichuan},
      {.types = "mamba mamba2 falcon_mamba jamba nemotron_h rwkv rwkv5 rwkv6 rwkv7 xlstm zamba "
                "glm5_next_text moshi_depth",
       .read = read_none},
  };
  return rows;
}

}  // namespace posenc::model
