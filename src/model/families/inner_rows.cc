// inner_rows.cc: models made of parts, each of which has a rule.
#include "model/families/described.h"

namespace posenc::model {
namespace {

constexpr std::string_view backbone = "backbone.", encoder = "encoder.", model = "model.";

constexpr Inner inner_list[] = {
    // Pictures.
    {"rt_detr rt_detr_v2 pp_doclayout_v2", "backbone_config", "vision", "rt_detr_resnet", backbone},
    {"d_fine deimv2 pp_doclayout_v3 pp_doclayout_v4", "backbone_config", "vision", "hgnet_v2",
     backbone},
    {"omdet-turbo", "backbone_config", "vision", "timm_backbone", "vision_backbone."},
    {"dab-detr", "backbone_config", "vision", "resnet", backbone},
    {"lw_detr", "backbone_config", "vision", "lw_detr_vit", backbone},
    {"rf_detr", "backbone_config", "vision", "rf_detr_dinov2", backbone},
    {"mask2former maskformer oneformer", "backbone_config", "vision", "swin", model},
    {"chmv2", "backbone_config", "vision", "dinov3_vit", backbone},
    {"tipsv2_dpt", "backbone_config", "vision", "tipsv2_vision_model", backbone},
    {"slanet", "backbone_config", "vision", "pp_lcnet", backbone},
    {"pp_ocrv5_mobile_det pp_ocrv5_mobile_rec pp_ocrv5_server_det pp_ocrv5_server_rec "
     "pp_ocrv6_medium_det pp_ocrv6_small_det pp_ocrv6_small_rec pp_ocrv6_tiny_rec uvdoc",
     "backbone_config", "vision", "pp_lcnet", backbone},
    {"slanext", "vision_config", "vision", "slanext_vision", encoder},
    {"depth_pro", "patch_model_config", "vision, patches", "dinov2",
     "encoder.patch_encoder.model."},
    {"depth_pro", "image_model_config", "vision, picture", "dinov2",
     "encoder.image_encoder.model."},
    {"depth_pro", "fov_model_config", "vision, field of view", "dinov2", "fov_model."},
    {"superglue lightglue", "keypoint_detector_config", "vision", "superpoint"},
    {"deepseek_ocr2_vision", "sam_config", "vision", "deepseek_ocr2_sam_vision_model",
     "sam_encoder."},
    {"deepseek_ocr2_vision", "encoder_config", "vision encoder", "deepseek_ocr2_encoder"},
    {"unlimited_ocr_vision", "sam_config", "vision", "unlimited_ocr_sam_vision_model",
     "sam_encoder."},
    {"unlimited_ocr_vision", "encoder_config", "vision encoder", "unlimited_ocr_vision_encoder"},
    {"sam2 sam2_video", "vision_config", "vision", "sam2_vision_model", "vision_encoder."},
    {"edgetam edgetam_video", "vision_config", "vision", "edgetam_vision_model", "vision_encoder."},
    {"sam3 sam3_lite_text sam3_tracker sam3_tracker_video", "vision_config", "vision",
     "sam3_vision_model", "vision_encoder."},
    {"sam3", "text_config", "text", "clip_text_model", "text_encoder."},
    {"sam3_lite_text", "text_config", "text", "sam3_lite_text_text_model", "text_encoder."},
    {"sam3 sam3_lite_text", "geometry_encoder_config", "geometry", "sam3_geometry_encoder"},
    {"sam3 sam3_lite_text", "detr_encoder_config", "detr encoder", "sam3_detr_encoder"},
    {"sam3 sam3_lite_text", "detr_decoder_config", "detr decoder", "sam3_detr_decoder"},
    {"sam3_video", "detector_config", "detector", "sam3"},
    {"sam3_video", "tracker_config", "tracker", "sam3_tracker_video"},
    {"sam2_vision_model", "backbone_config", "vision", "sam2_hiera_det_model", backbone},
    {"sam3_vision_model", "backbone_config", "vision", "sam3_vit_model", backbone},
    {"edgetam_vision_model", "backbone_config", "vision", "timm_wrapper", backbone},

    // Texts and pictures.
    {"colpali", "vlm_config", "text", "paligemma"},
    {"colqwen2", "vlm_config", "text", "qwen2_vl"},
    {"colmodernvbert", "vlm_config", "text", "modernvbert"},
    {"pi0", "vlm_config", "text", "paligemma"},
    {"pi0", "dit_config", "actions", "gemma"},
    {"rag", "question_encoder", "question encoder", "dpr", "question_encoder."},
    {"rag", "generator", "generator", "bart", "generator."},

    {"phi4_multimodal", "vision_config", "vision", "phi4_multimodal_vision",
     "embed_tokens_extend.image_embed.img_processor."},
    {"phi4_multimodal", "audio_config", "audio", "phi4_multimodal_audio",
     "embed_tokens_extend.audio_embed.encoder."},
    {"deepseek_vl_hybrid", "high_res_vision_config", "vision, high resolution", "sam_vision_model"},
    {"grounding-dino mm-grounding-dino", "backbone_config", "vision", "swin", backbone},
    {"pe_video", "video_config", "video", "pe_video_encoder"},
    {"pe_audio_video", "audio_video_config", "audio and video", "pe_audio_video_encoder"},
    {"esmfold2", "esmc_config", "protein", "esmc"},
    {"evolla EvollaModel", "protein_encoder_config", "protein", "evolla_protein"},

    // Sound.
    {"csm kyutai_speech_to_text", "codec_config", "codec", "mimi"},
    {"moshi", "audio_encoder_config", "codec", "mimi"},
    {"moshi", "depth_decoder_config", "depth decoder", "moshi_depth"},
    {"granite_speech", "encoder_config", "audio", "granite_speech_encoder", encoder},
    {"granite_speech_plus", "encoder_config", "audio", "granite_speech_plus_encoder", encoder},
    {"nemo_speechlm", "word_timestamp_config", "word timestamps",
     "nemotron3_5_transcribe_word_timestamp"},
    {"bark", "semantic_config", "semantic", "semantic", "semantic."},
    {"bark", "coarse_acoustics_config", "coarse acoustics", "coarse_acoustics",
     "coarse_acoustics."},
    {"bark", "fine_acoustics_config", "fine acoustics", "fine_acoustics", "fine_acoustics."},
    {"bark", "codec_config", "codec", "encodec"},
    {"canary", "encoder_config", "encoder", "parakeet_encoder", encoder},
    {"canary", "decoder_config", "decoder", "canary_decoder", "decoder."},
    {"cohere_asr", "encoder_config", "encoder", "parakeet_encoder", encoder},
    {"nemotron_asr_streaming nemotron3_5_asr", "encoder_config", "audio",
     "nemotron_asr_streaming_encoder", encoder},
    {"lasr_ctc", "encoder_config", "audio", "lasr_encoder", encoder},
    {"granite_speech5_ctc", "encoder_config", "audio", "granite_speech5_encoder", encoder},
    {"nemotron3_5_transcribe_audio", "asr_config", "audio", "nemotron3_5_transcribe_asr_audio"},
    {"nemotron3_5_transcribe_audio", "diarization_config", "diarization", "nemotron3_diarization"},
    {"nemotron3_diarization", "audio_config", "audio", "nemotron3_diarization_audio"},
    {"clvp", "text_config", "text", "clvp_encoder"},
    {"clvp", "speech_config", "speech", "clvp_encoder"},
    {"clvp", "decoder_config", "decoder", "clvp_decoder", "speech_decoder_model.model."},
    {"fastspeech2_conformer_with_hifigan", "model_config", "", "fastspeech2_conformer", model},
    {"xcodec higgs_audio_v2_tokenizer", "semantic_model_config", "semantic", "hubert",
     "semantic_model."},
    {"xcodec higgs_audio_v2_tokenizer", "acoustic_model_config", "acoustic", "dac"},
    {"neucodec xcodec2", "semantic_model_config", "semantic", "wav2vec2-bert", "semantic_model."},
    {"qwen2_5_omni_token2wav", "dit_config", "audio", "qwen2_5_omni_dit"},
    {"qwen2_5_omni", "token2wav_config", "waves", "qwen2_5_omni_token2wav"},
    {"qwen3_omni_moe", "code2wav_config", "waves", "code2wav"},
    {"pe_audio_video_encoder", "audio_config", "audio", "pe_audio_encoder", "audio_encoder."},
    {"pe_audio_video_encoder", "video_config", "video", "pe_video_encoder", "video_encoder."},
    {"pe_video_encoder", "vision_config", "vision", "timm_wrapper"},
    {"moonshine_streaming", "encoder_config", "encoder", "moonshine_streaming_encoder"},
};

}  // namespace

std::span<const Inner> inner_rows() { return inner_list; }

}  // namespace posenc::model
