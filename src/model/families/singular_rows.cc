// singular_rows.cc: text models with encodings that no other has.
#include <numeric>

#include "model/families/model_row.h"

namespace posenc::model {
namespace {

// A table of two factors: the row of a token is a row of each, one after the other.
void read_reformer(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t dim = size_of(config, "hidden_size");
  config.pass({"num_buckets"});
  if (!config.flag({"axial_pos_embds"}, true, by_class)) {
    return reading.add(
        learned_table({.rows = length_of(config, "max_position_embeddings"),
                       .dim = dim,
                       .weight = "embeddings.position_embeddings.embedding.weight"}));
  }
  const auto shape = sizes_of(config, "axial_pos_shape");
  const auto dims = sizes_of(config, "axial_pos_embds_dim");
  const int64_t all = std::accumulate(dims.begin(), dims.end(), int64_t{0});
  if (all != dim)
    config.fail("axial_pos_embds_dim of ", dim, " together, as hidden_size is, got ", all);
  Component out =
      described("axial",
                {{"shape", as_list(shape)},
                 {"dims", as_list(dims)},
                 {"dim", dim},
                 {"weights", "embeddings.position_embeddings.weights.{0,1}"}},
                "from 0; token p has the rows p / shape[1] and p % shape[1], one after the other");
  config.pass({"max_position_embeddings"});
  reading.trap("a text in training must have exactly shape[0] x shape[1] tokens");
  reading.add(with_scheme(out, Axial{.dim = dim, .rows = as_list(shape), .shares = as_list(dims)}));
}

void read_funnel(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  reading.add(
      described("transformer-xl",
                {{"d_model", size_of(config, "d_model")},
                 {"heads", size_of(config, "n_head")},
                 {"d_head", size_of(config, "d_head")},
                 {"sin_cos", "sin block then cos block, base 10000, over d_model"},
                 {"weights", "attention.{r_w_bias,r_r_bias,r_s_bias,r_kernel,seg_embed}"}},
                "distances between tokens; after each block two become one and distances double"));
}

// A table where text comes in; pictures and sounds have Fourier features or tables of their own.
void read_perceiver(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  reading.add(learned_table({.rows = length_of(config, "max_position_embeddings"),
                             .dim = size_of(config, "d_model"),
                             .weight = "input_preprocessor.position_embeddings.weight"}));
  reading.trap(
      "this is the table of text models; the class determines which encoding others have: Fourier "
      "features of rows and columns, or a trained table for pixels");
}

// Whether the three biases are made as the class makes them, which alone decides their buckets.
bool has_plain_biases(const Config& config) {
  const auto* given = config.json().find("relative_bias_args");
  if (!given) return true;
  const std::string kinds[] = {"1d", "horizontal", "vertical"};
  const auto* list = given->list();
  if (!list || list->size() != std::size(kinds)) return false;
  for (size_t i = 0; i < list->size(); ++i) {
    const auto* type = (*list)[i].find("type");
    const auto* kind = type ? std::get_if<std::string>(&type->value) : nullptr;
    if (!kind || *kind != kinds[i] || (*list)[i].object()->size() != 1) return false;
  }
  return true;
}

// T5's biases of the distance along the text and across the page, and tables for corners of boxes.
void read_udop(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const int64_t heads = size_of(config, "num_heads");
  const int64_t buckets = size_of(config, "relative_attention_num_buckets");
  const int64_t farthest = size_of(config, "relative_attention_max_distance");
  Component encoder{"encoder", "t5-2d", {}};
  encoder.facts = {{"num_buckets", buckets},
                   {"max_distance", farthest},
                   {"heads", heads},
                   {"biases", "along the text, across and down the page (those times 100), added"},
                   {"weights", "encoder.relative_bias.biases.N.relative_attention_bias.weight"}};
  encoder.positions = "distances between tokens, and between the corners of their boxes";
  const LayoutBias bias{
      .heads = heads, .box_buckets = 32, .box_max_distance = 100, .box_scale = 100};
  const bool plain = buckets == bias.buckets && farthest == bias.max_distance;
  reading.add(plain && has_plain_biases(config) ? with_scheme(encoder, bias) : encoder);
  Component boxes{"layout", "learned-2d", {}};
  const int64_t places = size_of(config, "max_2d_position_embeddings");
  const Axial corners{.dim = size_of(config, "d_model"),
                      .rows = as_list({places, places}),
                      .combine = Combine::sum,
                      .block_tables = {0, 1, 0, 1}};
  boxes.facts = {{"max_2d", places},
                 {"dim", corners.dim},
                 {"tables", "x, y: sum of both corners' rows"},
                 {"weights", "encoder.cell_2d_embedding.{x,y}_position_embeddings.weight"}};
  boxes.positions = "corners of the token's box: x, y, x, y, of 0 to max_2d - 1";
  reading.add(with_scheme(boxes, corners));
  config.pass({"relative_bias_args"});
  reading.add(
      "decoder",
      bucket_bias(
          {.heads = heads, .buckets = buckets, .max_distance = farthest, .bidirectional = false},
          "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"));
}

}  // namespace

std::span<const ModelRow> singular_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "reformer", .read = read_reformer},
      {.types = "funnel", .read = read_funnel},
      {.types = "perceiver", .read = read_perceiver},
      {.types = "udop", .read = read_udop},
  };
  return rows;
}

}  // namespace posenc::model
