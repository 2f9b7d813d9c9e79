// segment_rows.cc: what cuts out objects: prompts, maps and memories.
#include "model/families/described.h"

namespace posenc::model {
namespace {

constexpr std::string_view halves_order = "y half then x half; inside each, sin/cos interleaved";
constexpr std::string_view prompts = "points and corners of boxes, from 0 to 1 of the picture";
constexpr std::string_view gaussian =
    "[sin(2 pi c W) | cos(2 pi c W)], c = 2 (x, y) - 1, W random and stored";
constexpr std::string_view frozen = "places come from the encoder of prompts";

constexpr Described segment_list[] = {
    {"sam_prompt_encoder sam_hq_prompt_encoder sam2_prompt_encoder sam2_video_prompt_encoder "
     "sam3_tracker_prompt_encoder sam3_tracker_video_prompt_encoder edgetam_prompt_encoder "
     "edgetam_video_prompt_encoder",
     "prompts",
     "gaussian",
     prompts,
     {{{"hidden", "hidden_size", 256}}},
     gaussian,
     "",
     "",
     false,
     Computed::random},
    {"sam_mask_decoder sam_hq_mask_decoder sam2_mask_decoder sam2_video_mask_decoder "
     "sam3_mask_decoder sam3_lite_text_mask_decoder sam3_tracker_mask_decoder "
     "sam3_tracker_video_mask_decoder edgetam_mask_decoder edgetam_video_mask_decoder",
     "mask decoder",
     "none",
     "",
     {},
     frozen},
    {"sam2 sam2_video sam3_tracker sam3_tracker_video edgetam edgetam_video",
     "prompts",
     "gaussian",
     prompts,
     {{{"hidden", "hidden_size", 256}}},
     gaussian,
     "shared_image_embedding.positional_embedding",
     "",
     true,
     Computed::random,
     "prompt_encoder_config"},
    {"sam2_hiera_det_model",
     "vision",
     "learned-2d",
     "rows and columns of patches, and inside a window",
     {{{"dim", "hidden_size", 96},
       {"background", "window_positional_embedding_background_size", {7, 7}},
       {"window", "window_size_per_stage", {8, 4, 14, 7}}}},
     "a small table resized (bicubic) to the picture, plus one of a window repeated over it",
     "pos_embed, pos_embed_window"},
    {"sam2_vision_model sam3_vision_model edgetam_vision_model",
     "vision",
     "sinusoidal-2d",
     "rows and columns of each map, from 1, divided by the last, times 2 pi",
     {{{"dim", "fpn_hidden_size", 256}}},
     "y half then x half; inside each, sin/cos interleaved; handed to what comes after",
     "",
     "",
     false,
     Computed::pairs},
    {"sam3_detr_encoder sam3_lite_text_detr_encoder",
     "detr encoder",
     "sinusoidal-2d",
     "rows and columns, from 1, divided by the last, times 2 pi",
     {{{"dim", "hidden_size", 256}}},
     halves_order,
     "",
     "",
     false,
     Computed::pairs},
    {"sam3_detr_decoder sam3_lite_text_detr_decoder",
     "detr decoder",
     "box-sinusoidal",
     "centre, width and height of a query's reference box",
     {{{"dim", "hidden_size", 256}, {"queries", "num_queries", 200}}},
     "sinusoids of the box through a network; a bias of heads by the distance to its edges"},
    {"sam3_geometry_encoder sam3_lite_text_geometry_encoder",
     "geometry",
     "box-sinusoidal",
     "centres and sides of boxes",
     {{{"dim", "hidden_size", 256}}},
     "sinusoids of the box, and a linear layer of its numbers"},
    {"sam2_video sam3_tracker_video edgetam_video",
     "memory",
     "learned",
     "frames back, one row for each",
     {{{"rows", "num_maskmem", 7}, {"dim", "memory_encoder_output_channels", 64}}},
     "",
     "memory_temporal_positional_encoding",
     "",
     true},
    {"sam3_lite_text_text_model",
     "text",
     "learned-resized",
     "from 0; the table is resized to the length of the text",
     {{{"rows", "max_position_embeddings", 77}, {"dim", "hidden_size", 512}}},
     "bilinear interpolation along the text",
     "embeddings.position_embedding.position_embedding"},
};

}  // namespace

std::span<const Described> segment_rows() { return segment_list; }

}  // namespace posenc::model
