// none_rows.cc: models in which nothing but their build tells positions.
#include "model/families/described.h"

namespace posenc::model {
namespace {

constexpr std::string_view conv = "convolutions carry position";

constexpr Described none_list[] = {
    {"segformer glpn",
     "vision",
     "none",
     "",
     {},
     "Mix-FFN 3x3 depthwise convolution carries position"},
    {"resnet regnet convnext convnextv2 efficientnet align_vision_model mobilenet_v1 mobilenet_v2 "
     "bit poolformer van gemma3n_vision dinov3_convnext hgnet_v2 rt_detr_resnet focalnet "
     "superpoint "
     "swiftformer textnet pp_lcnet pp_lcnet_v3 pp_lcnet_v4 pp_ocrv5_mobile_det pp_ocrv5_mobile_rec "
     "pp_ocrv5_server_det pp_ocrv5_server_rec pp_ocrv6_medium_det pp_ocrv6_small_det "
     "pp_ocrv6_small_rec pp_ocrv6_tiny_rec uvdoc uvdoc_backbone mobilevit mobilevitv2 "
     "chameleon_vqgan emu3_vqgan janus_vqgan glm_image_vqmodel flava_image_codebook inkling_vision",
     "vision",
     "none",
     "",
     {},
     conv},
    {"cvt pvt_v2", "vision", "none", "", {}, "convolutions of the patches carry position"},
    {"dac encodec univnet speecht5_hifigan fastspeech2_conformer_hifigan qwen2_5_omni_bigvgan "
     "muse_spark_audio vibevoice_acoustic_tokenizer vibevoice_acoustic_tokenizer_encoder "
     "vibevoice_acoustic_tokenizer_decoder",
     "audio",
     "none",
     "",
     {},
     conv},
    {"inkling_audio gemma4_unified_audio",
     "audio",
     "none",
     "",
     {},
     "frames enter the text model, which has the positions"},
    {"slanet slanext",
     "decoder",
     "none",
     "",
     {},
     "a recurrent network writes the table",
     "",
     "",
     true},
    {"vibevoice_diffusion",
     "audio",
     "none",
     "",
     {},
     "single frames are made; sinusoids tell the step of the diffusion only"},
    {"blip_2_qformer idefics2_perceiver idefics_perciever molmo2_adapter sapiens2_head "
     "flava_multimodal_model",
     "vision",
     "none",
     "",
     {},
     "what comes in has its positions already"},
};

}  // namespace

std::span<const Described> none_rows() { return none_list; }

}  // namespace posenc::model
