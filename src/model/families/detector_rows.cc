// detector_rows.cc: what finds objects: places in maps, and boxes of what is asked for.
#include "model/families/model_row.h"

namespace posenc::model {
namespace {

constexpr ComponentRow coarsest_map{
    .where = "encoder",
    .scheme = "sinusoidal-2d",
    .positions = "rows and columns of the coarsest map, from 0",
    .facts = {{{"dim", "encoder_hidden_dim"}, {"temperature", "positional_encoding_temperature"}}},
    .note = quarters_order,
    .trap =
        "coordinates are whole numbers, not fractions of the picture: another size gives different "
        "ones",
    .computed = Computed::quarters};
constexpr ComponentRow query_boxes{
    .where = "decoder queries",
    .scheme = "box-linear",
    .positions = "centre, width and height of a query's reference box",
    .facts = {{{"dim", "d_model"}}},
    .note = "a network of the box (query_pos_head) is added to queries",
    .weights = "decoder.query_pos_head",
    .own = true};
constexpr ComponentRow refined_boxes{
    .where = "decoder queries",
    .scheme = "box-sinusoidal",
    .positions = "centre, width and height of a query's reference box",
    .facts = {{{"dim", "hidden_size d_model"}, {"queries", "num_queries"}}},
    .note = "sinusoids of the box through a network; boxes are learned and refined layer by layer",
    .own = true};
// Learned queries of the decoder, one for each object that may be found.
constexpr ComponentRow object_queries(std::string_view dim_keys, std::string_view inside = {}) {
  return {.where = "decoder queries",
          .scheme = "learned",
          .positions = "one row for each object",
          .facts = {{{"rows", "num_queries"}, {"dim", dim_keys}}},
          .weights = "transformer_module.queries_embedder.weight",
          .own = true,
          .inside = inside};
}
constexpr ComponentRow pixel_map = detr_map("pixel decoder", "feature_size conv_dim");
constexpr ComponentRow decoder_map = detr_map("decoder", "hidden_dim hidden_size");

constexpr ComponentRow with_reading_order[] = {
    coarsest_map,
    query_boxes,
    {.where = "reading order",
     .scheme = "learned",
     .positions = "places in the list of boxes; the first has the row after that of padding",
     .facts = {{{"rows", "max_position_embeddings"}, {"dim", "hidden_size"}}},
     .weights = "reading_order.embeddings.position_embeddings.weight",
     .own = true,
     .inside = "reading_order_config"},
    {.where = "reading order",
     .scheme = "learned-2d",
     .positions = "corners, width and height of a box, side by side as in LayoutLMv3",
     .facts = {{{"rows_per_axis", "max_2d_position_embeddings"},
                {"coordinate_size", "coordinate_size"},
                {"shape_size", "shape_size"}}},
     .weights = "reading_order.embeddings.{x,y,h,w}_position_embeddings.weight",
     .own = true,
     .inside = "reading_order_config"},
    {.where = "reading order",
     .scheme = "box-relative",
     .positions = "differences of boxes' centres and sides, in logarithms",
     .facts = {{{"dim", "relation_bias_embed_dim"},
                {"heads", "num_attention_heads"},
                {"base", "relation_bias_theta"},
                {"scale", "relation_bias_scale"}}},
     .note = "sinusoids of each pair of boxes give a bias of each head",
     .own = true,
     .computed = Computed::boxes,
     .inside = "reading_order_config"}};
void add_reading_order(const Reading& reading) {
  for (const ComponentRow& part : with_reading_order) add_component(reading, part);
  const auto order = reading.config.inside({"reading_order_config"});
  if (order && reading.components.back().scheme != "none")
    order->ignore_unless({"has_relative_attention_bias"}, false,
                         "the code adds the biases of boxes instead");
}

// Its decoder is DETR's, but for this.
void tell_fixed_maps(const Reading& reading) {
  if (const auto decoder = reading.config.inside({"decoder_config"}))
    decoder->ignore_unless({"position_embedding_type"}, "sine", "sinusoids are added in any case");
}

}  // namespace

std::span<const ModelRow> detector_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "rt_detr rt_detr_v2",
       .sub_configs = {{"backbone_config", "vision", "rt_detr_resnet", "backbone."}},
       .components = {coarsest_map, query_boxes}},
      {.types = "pp_doclayout_v2",
       .sub_configs = {{"backbone_config", "vision", "rt_detr_resnet", "backbone."}},
       .more = add_reading_order,
       .idle = "layer_types"},
      {.types = "d_fine deimv2 pp_doclayout_v3 pp_doclayout_v4",
       .sub_configs = {{"backbone_config", "vision", "hgnet_v2", "backbone."}},
       .components = {coarsest_map, query_boxes},
       .idle = "layer_types"},  // of its backbone
      {.types = "dab-detr",
       .sub_configs = {{"backbone_config", "vision", "resnet", "backbone."}},
       .components =
           {{.where = "encoder",
             .scheme = "sinusoidal-2d",
             .positions =
                 "cumulative sum of valid mask, starts at 1, divided by the last, times scale",
             .facts = {{{"dim", "hidden_size"},
                        {"temperature", "temperature_height"},
                        {"temperature_width", "temperature_width"},
                        {"scale", "sine_position_embedding_scale"}}},
             .note = detr_order,
             .trap = "the temperature is 20, not DETR's 10000",
             .computed = Computed::pairs},
            refined_boxes}},
      {.types = "lw_detr",
       .sub_configs = {{"backbone_config", "vision", "lw_detr_vit", "backbone."}},
       .components = {refined_boxes}},
      {.types = "rf_detr",
       .sub_configs = {{"backbone_config", "vision", "rf_detr_dinov2", "backbone."}},
       .components = {refined_boxes}},
      {.types = "mask2former",
       .sub_configs = {{"backbone_config", "vision", "swin", "model."}},
       .components = {pixel_map, decoder_map, object_queries("hidden_dim hidden_size")}},
      {.types = "maskformer",
       .sub_configs = {{"backbone_config", "vision", "swin", "model."}},
       .more = tell_fixed_maps,
       .components = {detr_map("decoder", "d_model hidden_size", "decoder_config"),
                      object_queries("d_model hidden_size", "decoder_config")}},
      {.types = "oneformer",
       .sub_configs = {{"backbone_config", "vision", "swin", "model."}},
       .components = {pixel_map, decoder_map, object_queries("hidden_dim hidden_size")}},
  };
  return rows;
}

}  // namespace posenc::model
