// joint_rows.cc: models of several: what their parts are where configurations do not say.
#include "model/families/model_row.h"

namespace posenc::model {
namespace {

constexpr std::string_view tower = "vision_tower.";

// A text whose keys stand at the top, with LLaVA's picture encoder.
constexpr ModelRow with_tower(std::string_view types, std::string_view text,
                              std::string_view vision = "siglip_vision_model") {
  return {.types = types, .joint = {.text = text, .vision = vision, .flat = true, .prefix = tower}};
}

}  // namespace

std::span<const ModelRow> named_joint_rows() {
  static constexpr ModelRow rows[] = {
      {.types =
           "clip clipseg chinese_clip altclip metaclip_2 siglip siglip2 aimv2 align groupvit "
           "owlvit owlv2 bridgetower blip pix2struct mllama tipsv2 videoprism "
           "vision-text-dual-encoder kosmos-2 llama4 internvl pp_chart2table video_llama_3 "
           "idefics2 idefics3 smolvlm ovis2 got_ocr2 vibevoice_asr qwen3_vl qwen3_vl_moe qwen3_5 "
           "qwen3_5_moe glm_ocr cohere_compass cosmos3_edge deepseek_ocr2 ernie4_5_vl_moe "
           "glm_image inkling2 minimax_m3_vl molmo2 muse_glimmer pp_formulanet qwen4_exp "
           "unlimited_ocr qwen2_audio audioflamingo3 qwen3_asr aria cosmos3_omni diffusion_gemma "
           "embedding_gemma2 emu3 fast_vlm florence2 gemma4_unified gemma4_unified_assistant jev "
           "lfm3_vl hyperclovax_vision_v2 inkling_mm_model kosmos-2.5 minicpm_ocr "
           "minicpmv4_6 minicpmv4_7 mistral_large4 modernvbert moss_transcribe_diarize muse_spark "
           "perception_lm qianfan_ocr step3p7 t5gemma2_encoder ultravbert vibevoice"},
      {.types = "xclip",
       .components = {{.where = "frames",
                       .scheme = "learned",
                       .positions = "frames of a film, from 0",
                       .facts = {{{"rows", "num_frames"}, {"dim", "mit_hidden_size"}}},
                       .note = "added to one vector of each frame, before attention over frames",
                       .weights = "mit.position_embedding",
                       .own = true,
                       .inside = "vision_config"}}},
      {.types = "flava", .joint = {.vision = "_image_model"}},
      {.types = "blip-2 granite4_vision",
       .sub_configs = {{"qformer_config", "qformer", "blip_2_qformer"}}},
      {.types = "instructblip instructblipvideo",
       .sub_configs = {{"qformer_config", "qformer", "instructblip_qformer", "qformer."}}},
      {.types = "git", .joint = {.text = "_text_model", .flat = true}},
      {.types = "llava llava_next llava_next_video vipllava video_llava llava_llama granitevision",
       .joint = {.flat = true, .prefix = tower}},
      with_tower("bunny-llama", "llama"),
      with_tower("bunny-phi", "phi"),
      with_tower("bunny-phi3", "phi3"),
      with_tower("bunny-stablelm", "stablelm"),
      with_tower("bunny-minicpm", "minicpm"),
      with_tower("llava_phi", "phi", "clip_vision_model"),
      with_tower("llava_mistral", "mistral", "clip_vision_model"),
      {.types = "llava_onevision llava_qwen llava_qwen2 bunny-qwen bunny-qwen2",
       .joint = {.flat = true, .prefix = tower}},
      {.types = "paligemma gemma3 shieldgemma2 gemma3n mistral3 lighton_ocr aya_vision "
                "cohere2_vision lfm2_vl",
       .joint = {.prefix = tower}},
      {.types = "gemma4", .joint = {.vision = "_vision", .audio = "_audio", .prefix = tower}},
      {.types = "gemma4_assistant", .joint = {.text = "gemma4_text", .flat = true}},
      {.types = "internvl_chat h2ovl_chat skywork_chat NVLM_D",
       .joint = {.vision = "intern_vit_6b"}},
      {.types = "idefics", .joint = {.text = "llama", .flat = true}},
      {.types = "janus deepseek_vl multi_modality"},
      {.types = "ovis",
       .joint = {.text = "qwen2", .vision = "siglip2_navit"},
       .sub_configs = {{"visual_tokenizer_config", "vision", "siglip_visual_tokenizer"}}},
      {.types = "ovis2_5 ovis2_6 ovis2_6_moe",
       .joint = {.text = "qwen2", .vision = "siglip2_navit"}},
      {.types = "step3_vl", .joint = {.text = "step3_text", .vision = "step3_vision_encoder"}},
      {.types = "dots_vlm", .joint = {.text = "deepseek_v3", .vision = "dots_vit", .flat = true}},
      {.types = "Llama_Nemotron_Nano_VL", .joint = {.text = "llama", .vision = "radio"}},
      {.types = "NemotronH_Nano_VL_V2 nemotron_h_omni",
       .joint = {.text = "nemotron_h", .vision = "radio"}},
      {.types = "qwen2_vl glm4v_moe paddleocr_vl glm5_next hunyuan_vl glm4v glm46v glmga "
                "dots3_note",
       .joint = {.flat = true}},
      {.types = "kimi_k25 kimi_vl"},
      {.types = "deepseek_vl_v2",
       .joint = {.text = "deepseek_v2", .vision = "_vision", .prefix = "vision."}},
      {.types = "qwen2_5_vl",
       .joint = {.flat = true, .rate = {"tokens_per_second", 4, "vision_config"}}},
      {.types = "qwen2_5_omni_thinker qwen3_omni_moe_thinker",
       .joint = {.rate = {"position_id_per_seconds", 25}}},
      {.types = "fun_asr_nano", .joint = {.text = "qwen3", .audio = "_encoder"}},
      {.types = "voxtral", .joint = {.text = "voxtral:text", .filled = "llama"}},
      {.types = "deepseek_vl_hybrid",
       .sub_configs = {{"high_res_vision_config", "vision, high resolution", "sam_vision_model"}}},
      {.types = "exaone4_5", .joint = {.text = "exaone4", .vision = "_vision"}},
      {.types = "glmasr", .joint = {.text = "glmasr:text", .filled = "llama"}},
      {.types = "granite_docling",
       .components = {{.where = "connector",
                       .scheme = "sinusoidal-2d",
                       .positions = patch_grid,
                       .facts = {{{"dim", "out_hidden_size"}}},
                       .note = "of merged patches, added after the picture encoder",
                       .own = true,
                       .inside = "vision_config"}}},
      {.types = "granite_speech",
       .sub_configs = {{"encoder_config", "audio", "granite_speech_encoder", "encoder."},
                       {"projector_config", "projector", "blip_2_qformer"}}},
      {.types = "granite_speech_plus",
       .sub_configs = {{"encoder_config", "audio", "granite_speech_plus_encoder", "encoder."},
                       {"projector_config", "projector", "blip_2_qformer"}}},
      {.types = "grounding-dino mm-grounding-dino",
       .sub_configs = {{"backbone_config", "vision", "swin", "backbone."}},
       .components = {{.where = "encoder",
                       .scheme = "sinusoidal-2d",
                       .positions = "rows and columns, from 1, divided by the last, times 2 pi",
                       .facts = {{{"dim", "d_model"},
                                  {"temperature", "positional_embedding_temperature"}}},
                       .note = detr_order,
                       .own = true,
                       .computed = Computed::grounded},
                      {.where = "decoder queries",
                       .scheme = "box-sinusoidal",
                       .positions = "centre, width and height of a query's reference box",
                       .facts = {{{"dim", "d_model"}, {"queries", "num_queries"}}},
                       .note = "sinusoids of the box through a network",
                       .own = true}}},
      {.types = "musicflamingo",
       .joint = {.text = "qwen2", .audio = "audioflamingo3_encoder"},
       .more = add_time_turn,
       .idle = "max_position_embeddings"},
      {.types = "nemo_speechlm",
       .sub_configs = {{"word_timestamp_config", "word timestamps",
                        "nemotron3_5_transcribe_word_timestamp"}}},
      {.types = "omdet-turbo",
       .sub_configs = {{"backbone_config", "vision", "timm_backbone", "vision_backbone."}},
       .components = {{.where = "encoder",
                       .scheme = "sinusoidal-2d",
                       .positions =
                           "rows and columns of the coarsest map, from 0, where it is square",
                       .facts = {{{"dim", "encoder_hidden_dim d_model"},
                                  {"temperature", "positional_encoding_temperature"}}},
                       .note = quarters_order,
                       .trap = "the code lists the map's places column by column and its features "
                               "row by row: on a map that is not square they do not match; with "
                               "eval_size set they are added only in training",
                       .own = true,
                       .computed = Computed::quarters},
                      {.where = "decoder queries",
                       .scheme = "box-linear",
                       .positions = "centre, width and height of a query's reference box",
                       .facts = {{{"dim", "decoder_hidden_dim"}}},
                       .note = "a network of the box (query_position_head) is added to queries",
                       .weights = "decoder.query_position_head",
                       .own = true}}},
      {.types = "pe_audio", .joint = {.text = "pe_audio:text", .filled = "modernbert"}},
      {.types = "pe_audio_video",
       .joint = {.text = "pe_audio:text", .filled = "modernbert"},
       .sub_configs = {{"audio_video_config", "audio and video", "pe_audio_video_encoder"}}},
      {.types = "pe_video",
       .joint = {.text = "pe_audio:text", .filled = "modernbert"},
       .sub_configs = {{"video_config", "video", "pe_video_encoder"}}},
      {.types = "voxtral_realtime",
       .joint = {.text = "voxtral_realtime:text", .filled = "voxtral_realtime_text"}},

      // What is made of a whole model, or of several.
      {.types = "colpali",
       .read = read_parts_alone,
       .sub_configs = {{"vlm_config", "text", "paligemma"}}},
      {.types = "colqwen2",
       .read = read_parts_alone,
       .sub_configs = {{"vlm_config", "text", "qwen2_vl"}}},
      {.types = "colmodernvbert",
       .read = read_parts_alone,
       .sub_configs = {{"vlm_config", "text", "modernvbert"}}},
      {.types = "pi0",
       .read = read_parts_alone,
       .sub_configs = {{"vlm_config", "text", "paligemma"}, {"dit_config", "actions", "gemma"}}},
      {.types = "rag",
       .read = read_parts_alone,
       .sub_configs = {{"question_encoder", "question encoder", "dpr", "question_encoder."},
                       {"generator", "generator", "bart", "generator."}}},
  };
  return rows;
}

}  // namespace posenc::model
