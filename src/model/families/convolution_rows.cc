// convolution_rows.cc: sounds whose frames know their place by what lies around them.
#include "model/families/model_row.h"
#include "model/ready.h"

namespace posenc::model {
namespace {

// What posenc's convolution lacks to be this one, or nothing.
std::string lacking(const Component& part) {
  const Value* activation = part.find("activation");
  if (activation && text::write(*activation) != "gelu") return "no activation but gelu";
  if (part.find("batch_norm")) return "no batch norm";
  const Value* stride = part.find("stride");
  return stride && *stride != Value(int64_t{1}) ? "no stride" : "";
}

std::string conv_weights(bool many, bool batch_norm) {
  if (many) return "encoder.pos_conv_embed.layers.N.conv.{weight,bias}";
  if (batch_norm) return "encoder.pos_conv_embed.{batch_norm,conv}.{weight,bias}";
  return "encoder.pos_conv_embed.conv.{weight_g,weight_v,bias} (or "
         "parametrizations.weight.original0/1)";
}

}  // namespace

void read_convolution(const Reading& reading, const ModelRow& given) {
  const Config& config = reading.config;
  const ConvolutionRow& row = given.convolution;
  const bool many = row.layers > 0;
  const bool batch_norm = row.batch_norm && config.flag({"conv_pos_batch_norm"}).value_or(false);
  const Convolution conv{
      .dim = size_of(config, "hidden_size", 768),
      .kernel =
          size_of(config, many ? "conv_pos_kernel_size" : "num_conv_pos_embeddings", row.kernel),
      .groups = size_of(config, "num_conv_pos_embedding_groups", 16),
      .layers = many ? size_of(config, "num_conv_pos_embeddings", row.layers) : 1,
      .weight_norm = !many,
      .layer_norm = many};
  Component out{"", "conv", {}};
  out.facts = {{"kernel", conv.kernel},
               {"groups", conv.groups},
               {"hidden", conv.dim},
               {"activation", config.text({"feat_extract_activation"}).value_or("gelu")}};
  if (many) {
    out.facts.emplace_back("layers", conv.layers);
    reading.trap("num_conv_pos_embeddings counts convolutions here, not the taps of one");
  }
  if (batch_norm) out.facts.emplace_back("batch_norm", "of the input, instead of weight norm");
  if (row.stride > 1)
    out.facts.emplace_back("stride", size_of(config, "squeeze_factor", row.stride));
  out.facts.emplace_back("weights", conv_weights(many, batch_norm));
  out.positions = "frames, by what lies around them";
  if (conv.kernel % 2 == 0)
    reading.trap("an even kernel pads by half on both sides, and the last frame is cut off");
  if (const std::string what = lacking(out); what.empty())
    set_ready(out, conv);
  else
    out.facts.emplace_back("note", "posenc's convolution has " + what);
  reading.add(std::move(out));
}

std::span<const ModelRow> convolution_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "wav2vec2 unispeech unispeech-sat",
       .where = "audio",
       .convolution = {.kernel = 128}},
      {.types = "hubert", .where = "audio", .convolution = {.kernel = 128, .batch_norm = true}},
      {.types = "sew", .where = "audio", .convolution = {.kernel = 128, .stride = 2}},
      {.types = "data2vec-audio", .where = "audio", .convolution = {.kernel = 19, .layers = 5}},
  };
  return rows;
}

}  // namespace posenc::model
