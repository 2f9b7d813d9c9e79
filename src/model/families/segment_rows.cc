// segment_rows.cc: what cuts out objects: prompts, maps and memories (SAM and its kin).
#include "model/families/model_row.h"

namespace posenc::model {
namespace {

constexpr std::string_view prompts = "points and corners of boxes, from 0 to 1 of the picture";
constexpr std::string_view gaussian =
    "[sin(2 pi c W) | cos(2 pi c W)], c = 2 (x, y) - 1, W random and stored";
constexpr std::string_view frozen = "places come from the encoder of prompts";

constexpr ComponentRow prompt_points{.where = "prompts",
                                     .scheme = "gaussian",
                                     .positions = prompts,
                                     .facts = {{{"hidden", "hidden_size"}}},
                                     .note = gaussian,
                                     .weights = "shared_image_embedding.positional_embedding",
                                     .own = true,
                                     .computed = Computed::random,
                                     .inside = "prompt_encoder_config"};
constexpr ComponentRow remembered_frames{
    .where = "memory",
    .scheme = "learned",
    .positions = "frames back, one row for each",
    .facts = {{{"rows", "num_maskmem"}, {"dim", "memory_encoder_output_channels"}}},
    .weights = "memory_temporal_positional_encoding",
    .own = true};
constexpr ComponentRow map_places{
    .where = "vision",
    .scheme = "sinusoidal-2d",
    .positions = "rows and columns of each map, from 1, divided by the last, times 2 pi",
    .facts = {{{"dim", "fpn_hidden_size"}}},
    .note = "y half then x half; inside each, sin/cos interleaved; passed on to the next part",
    .computed = Computed::pairs};

}  // namespace

std::span<const ModelRow> segment_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "sam2",
       .sub_configs = {{"vision_config", "vision", "sam2_vision_model", "vision_encoder."}},
       .components = {prompt_points}},
      {.types = "sam2_video",
       .sub_configs = {{"vision_config", "vision", "sam2_vision_model", "vision_encoder."}},
       .components = {prompt_points, remembered_frames}},
      {.types = "edgetam",
       .sub_configs = {{"vision_config", "vision", "edgetam_vision_model", "vision_encoder."}},
       .components = {prompt_points}},
      {.types = "edgetam_video",
       .sub_configs = {{"vision_config", "vision", "edgetam_vision_model", "vision_encoder."}},
       .components = {prompt_points, remembered_frames}},
      {.types = "sam3",
       .sub_configs = {{"vision_config", "vision", "sam3_vision_model", "vision_encoder."},
                       {"text_config", "text", "clip_text_model", "text_encoder."},
                       {"geometry_encoder_config", "geometry", "sam3_geometry_encoder"},
                       {"detr_encoder_config", "detr encoder", "sam3_detr_encoder"},
                       {"detr_decoder_config", "detr decoder", "sam3_detr_decoder"}}},
      {.types = "sam3_lite_text",
       .sub_configs = {{"vision_config", "vision", "sam3_vision_model", "vision_encoder."},
                       {"text_config", "text", "sam3_lite_text_text_model", "text_encoder."},
                       {"geometry_encoder_config", "geometry", "sam3_geometry_encoder"},
                       {"detr_encoder_config", "detr encoder", "sam3_detr_encoder"},
                       {"detr_decoder_config", "detr decoder", "sam3_detr_decoder"}}},
      {.types = "sam3_tracker",
       .sub_configs = {{"vision_config", "vision", "sam3_vision_model", "vision_encoder."}},
       .components = {prompt_points}},
      {.types = "sam3_tracker_video",
       .sub_configs = {{"vision_config", "vision", "sam3_vision_model", "vision_encoder."}},
       .components = {prompt_points, remembered_frames}},
      {.types = "sam3_video",
       .sub_configs = {{"detector_config", "detector", "sam3"},
                       {"tracker_config", "tracker", "sam3_tracker_video"}}},
      {.types = "sam2_vision_model",
       .sub_configs = {{"backbone_config", "vision", "sam2_hiera_det_model", "backbone."}},
       .components = {map_places}},
      {.types = "sam3_vision_model",
       .sub_configs = {{"backbone_config", "vision", "sam3_vit_model", "backbone."}},
       .components = {map_places}},
      {.types = "edgetam_vision_model",
       .sub_configs = {{"backbone_config", "vision", "timm_wrapper", "backbone."}},
       .components = {map_places}},
      {.types =
           "sam_prompt_encoder sam_hq_prompt_encoder sam2_prompt_encoder sam2_video_prompt_encoder "
           "sam3_tracker_prompt_encoder sam3_tracker_video_prompt_encoder edgetam_prompt_encoder "
           "edgetam_video_prompt_encoder",
       .components = {{.where = "prompts",
                       .scheme = "gaussian",
                       .positions = prompts,
                       .facts = {{{"hidden", "hidden_size"}}},
                       .note = gaussian,
                       .computed = Computed::random}}},
      {.types = "sam_mask_decoder sam_hq_mask_decoder sam2_mask_decoder sam2_video_mask_decoder "
                "sam3_mask_decoder sam3_lite_text_mask_decoder sam3_tracker_mask_decoder "
                "sam3_tracker_video_mask_decoder edgetam_mask_decoder edgetam_video_mask_decoder",
       .components = {{.where = "mask decoder", .scheme = "none", .note = frozen}}},
      {.types = "sam2_hiera_det_model",
       .components = {{.where = "vision",
                       .scheme = "learned-2d",
                       .positions = "rows and columns of patches, and inside a window",
                       .facts = {{{"dim", "hidden_size"},
                                  {"background", "window_positional_embedding_background_size"},
                                  {"window", "window_size_per_stage"}}},
                       .note =
                           "a small table resized (bicubic) to the picture, plus one of a window "
                           "repeated over it",
                       .weights = "pos_embed, pos_embed_window"}}},
      {.types = "sam3_detr_encoder sam3_lite_text_detr_encoder",
       .components = {{.where = "detr encoder",
                       .scheme = "sinusoidal-2d",
                       .positions = "rows and columns, from 1, divided by the last, times 2 pi",
                       .facts = {{{"dim", "hidden_size"}}},
                       .note = detr_order,
                       .computed = Computed::pairs}}},
      {.types = "sam3_detr_decoder sam3_lite_text_detr_decoder",
       .components = {{.where = "detr decoder",
                       .scheme = "box-sinusoidal",
                       .positions = "centre, width and height of a query's reference box",
                       .facts = {{{"dim", "hidden_size"}, {"queries", "num_queries"}}},
                       .note = "sinusoids of the box through a network; a bias of heads by the "
                               "distance to its edges"}}},
      {.types = "sam3_geometry_encoder sam3_lite_text_geometry_encoder",
       .components = {{.where = "geometry",
                       .scheme = "box-sinusoidal",
                       .positions = "centres and sides of boxes",
                       .facts = {{{"dim", "hidden_size"}}},
                       .note = "sinusoids of the box, and a linear layer of its numbers"}}},
      {.types = "sam3_lite_text_text_model",
       .components = {{.where = "text",
                       .scheme = "learned-resized",
                       .positions = "from 0; the table is resized to the length of the text",
                       .facts = {{{"rows", "max_position_embeddings"}, {"dim", "hidden_size"}}},
                       .note = "bilinear interpolation along the text",
                       .weights = "embeddings.position_embedding.position_embedding"}}},
  };
  return rows;
}

}  // namespace posenc::model
