// picture_rows.cc: encoders of pictures with tables of stages or frames, or what rows describe.
#include "base/text.h"
#include "model/families/model_row.h"

namespace posenc::model {
namespace {

constexpr ComponentRow table_writer{.where = "decoder",
                                    .scheme = "none",
                                    .note = "a recurrent network writes the table",
                                    .own = true};
constexpr ComponentRow convolutions{
    .where = "vision", .scheme = "none", .note = "convolutions carry position"};

// Queries have no positions; the text beside them, in models that compare it with pictures, has.
void add_text_table(const Reading& reading) {
  const Config& config = reading.config;
  if (!config.flag({"use_qformer_text_input"}).value_or(false))
    return config.unused({"max_position_embeddings"}, "queries have no positions");
  reading.add(learned_table({.rows = length_of(config, "max_position_embeddings"),
                             .dim = size_of(config, "hidden_size"),
                             .weight = "embeddings.position_embeddings.weight",
                             .positions = "tokens of the text, from 0; queries have none"}));
}

// A table for every stage, the last with a class token.
void read_pvt(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  Sides picture = sides_of(config, "image_size");
  const auto patches = sizes_of(config, "patch_sizes");
  const auto widths = sizes_of(config, "hidden_sizes");
  if (widths.size() != patches.size())
    config.fail("hidden_sizes for ", patches.size(), " stages, as patch_sizes has, got ",
                widths.size());
  for (size_t i = 0; i < patches.size(); ++i) {
    if (patches[i] < 1 || widths[i] < 1)
      config.fail("patch_sizes and hidden_sizes of at least 1, got ", patches[i], " and ",
                  widths[i]);
    picture = grid_of(config, picture, {patches[i], patches[i]});
    const int64_t prefix = i + 1 == patches.size() ? 1 : 0;
    reading.add(
        reading.where + ", stage " + std::to_string(i + 1),
        patch_table(picture, prefix, widths[i],
                    "encoder.patch_embeddings." + std::to_string(i) + ".position_embeddings"));
  }
}

// Patches overlap: their number follows from the strides.
void read_hiera(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const Sides picture = sides_of(config, "image_size"), stride = sides_of(config, "patch_stride");
  const Sides grid = grid_of(config, picture, stride);
  reading.add(patch_table(grid, 0, size_of(config, "embed_dim"), "embeddings.position_embeddings"));
}

void add_time_table(const Reading& reading, int64_t frames, int64_t dim, std::string weight) {
  reading.add(reading.where + ", time",
              learned_table({.rows = frames,
                             .dim = dim,
                             .weight = std::move(weight),
                             .positions = "frames, from 0; resized where there are others"}));
}

// One table for patches of a frame, one for frames.
void read_timesformer(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const int64_t dim = size_of(config, "hidden_size");
  reading.add(
      patch_table(patches_of(config, row.patches), 1, dim, "embeddings.position_embeddings"));
  if (config.text({"attention_type"}).value_or("divided_space_time") == "space_only") return;
  add_time_table(reading, size_of(config, "num_frames"), dim, "embeddings.time_embeddings");
}

void read_videoprism(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t dim = size_of(config, "hidden_size");
  const auto tube = tube_of(config);
  const Sides grid = grid_of(config, sides_of(config, "image_size"), {tube[1], tube[2]});
  reading.add(patch_table(grid, 0, dim, "spatial_embeddings.position_embeddings"));
  add_time_table(reading, size_of(config, "num_frames") / tube[0], dim,
                 "temporal_embeddings.position_embeddings");
}

}  // namespace

std::span<const ModelRow> picture_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "depth_anything prompt_depth_anything zoedepth upernet vitpose vitmatte",
       .sub_configs = {{"backbone_config", "vision", "dinov2", "backbone."}}},
      {.types = "chmv2", .sub_configs = {{"backbone_config", "vision", "dinov3_vit", "backbone."}}},
      {.types = "tipsv2_dpt",
       .sub_configs = {{"backbone_config", "vision", "tipsv2_vision_model", "backbone."}}},
      {.types = "slanet",
       .sub_configs = {{"backbone_config", "vision", "pp_lcnet", "backbone."}},
       .components = {table_writer}},
      {.types = "pp_ocrv5_mobile_det pp_ocrv5_mobile_rec pp_ocrv5_server_det pp_ocrv5_server_rec "
                "pp_ocrv6_medium_det pp_ocrv6_small_det pp_ocrv6_small_rec pp_ocrv6_tiny_rec uvdoc",
       .sub_configs = {{"backbone_config", "vision", "pp_lcnet", "backbone."}},
       .components = {convolutions}},
      {.types = "slanext",
       .sub_configs = {{"vision_config", "vision", "slanext_vision", "encoder."}},
       .components = {table_writer}},
      {.types = "depth_pro",
       .sub_configs = {{"patch_model_config", "vision, patches", "dinov2",
                        "encoder.patch_encoder.model."},
                       {"image_model_config", "vision, picture", "dinov2",
                        "encoder.image_encoder.model."},
                       {"fov_model_config", "vision, field of view", "dinov2", "fov_model."}}},
      {.types = "superglue",
       .sub_configs = {{"keypoint_detector_config", "vision", "superpoint"}},
       .components = {{.where = "keypoints",
                       .scheme = "box-linear",
                       .positions = "places of keypoints, from -1 to 1, and their scores",
                       .facts = {{{"dim", "hidden_size"}}},
                       .note = "a network of x, y and score is added",
                       .weights = "keypoint_encoder",
                       .own = true}}},
      {.types = "lightglue",
       .sub_configs = {{"keypoint_detector_config", "vision", "superpoint"}},
       .components = {{.where = "keypoints",
                       .scheme = "rope-learned",
                       .positions = "places of keypoints, from -1 to 1",
                       .facts = {{{"heads", "num_attention_heads"},
                                  {"dim", "descriptor_dim hidden_size"}}},
                       .note = "neighbouring pairs rotate by learned multiples of x and y",
                       .weights = "positional_encoder.projector.weight",
                       .own = true}}},
      {.types = "deepseek_ocr2_vision",
       .sub_configs = {{"sam_config", "vision", "deepseek_ocr2_sam_vision_model", "sam_encoder."},
                       {"encoder_config", "vision encoder", "deepseek_ocr2_encoder"}}},
      {.types = "unlimited_ocr_vision",
       .sub_configs = {{"sam_config", "vision", "unlimited_ocr_sam_vision_model", "sam_encoder."},
                       {"encoder_config", "vision encoder", "unlimited_ocr_vision_encoder"}}},
      {.types = "siglip_visual_tokenizer aimv2_visual_tokenizer clip_visual_tokenizer",
       .sub_configs = {{"backbone_config", "vision", "siglip_vision_model"}}},
      {.types = "dinat",
       .components = {{.where = "vision",
                       .scheme = "neighbourhood",
                       .positions = "offsets to the nearest patches",
                       .facts = {{{"kernel", "kernel_size"}, {"heads_per_stage", "num_heads"}}},
                       .note = "a bias of each head for each offset, (2 kernel - 1)^2 of them; "
                               "dilated in some layers",
                       .weights = "attention.self.rpb"}}},
      {.types = "tvp",
       .components = {{.where = "text",
                       .scheme = "learned",
                       .positions = "from 0",
                       .facts = {{{"rows", "max_position_embeddings"}, {"dim", "hidden_size"}}},
                       .weights = "embeddings.position_embeddings.weight",
                       .own = true},
                      {.where = "vision",
                       .scheme = "learned-2d",
                       .positions = patch_grid,
                       .facts = {{{"rows_per_axis", "max_grid_row_position_embeddings"},
                                  {"columns_per_axis", "max_grid_col_position_embeddings"},
                                  {"dim", "hidden_size"}}},
                       .note = "row + column (sum), resized where the picture has more",
                       .weights = "visual_embeddings.{row,col}_position_embeddings.weight",
                       .own = true,
                       .computed = Computed::sum}}},
      {.types = "gemma4_unified_vision",
       .components = {{.where = "vision",
                       .scheme = "learned-2d",
                       .positions = "a row for the column and one for the row of a patch",
                       .facts = {{{"rows_per_axis", "mm_posemb_size"}, {"dim", "mm_embed_dim"}}},
                       .note = "x row + y row (sum)",
                       .weights = "pos_embedding",
                       .computed = Computed::sum}}},
      {.types = "florence_vision",
       .components =
           {{.where = "vision",
             .scheme = "learned-2d",
             .positions = patch_grid,
             .facts = {{{"rows_per_axis", "max_position_embeddings"},
                        {"dim", "embed_dim", {}, true}}},
             .note = "column half then row half, after the encoder, whose convolutions carry "
                     "position; sinusoids of the frame are added",
             .weights = "multi_modal_projector.image_position_embed.{row,column}_embeddings.weight",
             .computed = Computed::beside}}},
      {.types = "vjepa2",
       .components =
           {{.where = "vision",
             .scheme = "rope-3d",
             .positions = "frame, row and column of a tube, from 0",
             .facts = {{{"heads", "num_attention_heads"}, {"dim", "hidden_size"}}},
             .note = "a third of the head for each axis, base 10000",
             .trap = "pairs are neighbours but their angles are in halves, (i, i + n/2): what is "
                     "done to a pair is not a rotation, and an engine must do the same"}}},
      {.types = "segformer glpn",
       .components = {{.where = "vision",
                       .scheme = "none",
                       .note = "Mix-FFN 3x3 depthwise convolution carries position"}}},
      {.types = "resnet regnet convnext convnextv2 efficientnet align_vision_model mobilenet_v1 "
                "mobilenet_v2 bit poolformer van gemma3n_vision dinov3_convnext hgnet_v2 "
                "rt_detr_resnet focalnet superpoint swiftformer textnet pp_lcnet pp_lcnet_v3 "
                "pp_lcnet_v4 uvdoc_backbone mobilevit mobilevitv2 chameleon_vqgan emu3_vqgan "
                "janus_vqgan glm_image_vqmodel flava_image_codebook inkling_vision",
       .components = {convolutions}},
      {.types = "cvt pvt_v2",
       .components = {{.where = "vision",
                       .scheme = "none",
                       .note = "convolutions of the patches carry position"}}},
      {.types = "blip_2_qformer",
       .more = add_text_table,
       .components = {{.where = "vision",
                       .scheme = "none",
                       .note = "the input already has positions"}}},
      {.types = "idefics2_perceiver idefics_perciever molmo2_adapter sapiens2_head "
                "flava_multimodal_model",
       .components = {{.where = "vision",
                       .scheme = "none",
                       .note = "the input already has positions"}}},
      {.types = "pvt", .where = "vision", .read = read_pvt},
      {.types = "hiera", .where = "vision", .read = read_hiera},
      {.types = "timesformer", .where = "vision", .read = read_timesformer},
      {.types = "videoprism_vision_model", .where = "vision", .read = read_videoprism},
  };
  return rows;
}

}  // namespace posenc::model
