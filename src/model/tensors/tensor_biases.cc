// tensor_biases.cc: what is added to scores and what turns, by the shape of its tensors.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/ready.h"
#include "model/tensors/tensor_rules.h"

namespace posenc::model {
namespace {

// The side of a window whose table has so many offsets, (2 side - 1)^2; 0: none.
int64_t side_of(int64_t offsets) {
  if (offsets < 1 || offsets > int64_t{1} << 52) return 0;
  const auto root = static_cast<int64_t>(std::llround(std::sqrt(static_cast<double>(offsets))));
  return root * root == offsets && root % 2 == 1 ? (root + 1) / 2 : 0;
}

// The heads of each stage: numbers that follow each other, each once.
std::vector<double> heads_by_stage(const TensorGroup& group, size_t axis) {
  std::vector<double> out;
  for (const HeldTensor* tensor : group.tensors) {
    const auto& shape = tensor->stored.shape;
    if (shape.size() <= axis) continue;
    const auto heads = static_cast<double>(shape[axis]);
    if (out.empty() || out.back() != heads) out.push_back(heads);
  }
  return out;
}

void tell_heads(const std::vector<double>& heads, Facts& facts) {
  if (heads.size() == 1)
    facts.emplace_back("heads", static_cast<int64_t>(heads.front()));
  else
    facts.emplace_back("heads_per_stage", heads);
}

Component buckets_of(const TensorGroup& group, int64_t buckets, int64_t heads, int64_t distance) {
  const bool both = group.where != "decoder";
  Component out{group.where, "t5", {}};
  out.facts = {{"num_buckets", buckets},
               {"max_distance", distance},
               {"bidirectional", both},
               {"heads", heads},
               {"weight", group.weight()},
               {"table", group.tensors.size() == 1 ? "first layer only, shared by all layers"
                                                   : "own table in every layer"}};
  out.positions = "from 0";
  set_ready(
      out,
      T5Bias{.heads = heads, .buckets = buckets, .max_distance = distance, .bidirectional = both});
  group.journal.note(NoteKind::assumed, group.where,
                     "max_distance is no tensor: " + std::to_string(distance) +
                         ", the usual value; config.json decides");
  return out;
}

}  // namespace

std::optional<Component> read_buckets(const TensorGroup& group) {
  const auto& shape = group.shape();
  if (shape.size() != 2) return {};
  Component out = buckets_of(group, shape[0], shape[1], group.where == "audio" ? 800 : 128);
  if (group.where == "audio") out.ready.reset();  // WavLM's gate reads heads of unknown size
  return out;
}

std::optional<Component> read_buckets_by_head(const TensorGroup& group) {
  const auto& shape = group.shape();
  if (shape.size() != 2) return {};
  return buckets_of(group, shape[1], shape[0], 128);
}

std::optional<Component> read_buckets_by_side(const TensorGroup& group) {
  const auto& shape = group.shape();
  if (shape.size() != 2) return {};
  Component out{group.where, "t5-2d", {}};
  out.facts = {{"num_buckets", shape[1]}, {"heads", shape[0]}, {"weights", group.weight()}};
  out.positions = "corners of boxes, along each side";
  return out;
}

std::optional<Component> read_window_bias(const TensorGroup& group) {
  const auto& shape = group.shape();
  if (shape.size() != 2) return {};
  const bool beit = side_of(shape[0]) == 0 && side_of(shape[0] - 3) > 0;
  const int64_t side = beit ? side_of(shape[0] - 3) : side_of(shape[0]);
  const auto heads = heads_by_stage(group, 1);
  Component out{group.where, beit ? "beit" : "swin", {}};
  out.facts = {{"table_rows", shape[0]}, {"weight", group.weight()}};
  if (beit) out.facts.emplace_back("grid", std::vector<double>(2, static_cast<double>(side)));
  if (!beit && side > 0) out.facts.emplace_back("window", side);
  tell_heads(heads, out.facts);
  out.positions = "row by row inside a window";
  if (side > 0 && heads.size() == 1)
    set_ready(out, WindowBias{.heads = shape[1],
                              .height = side,
                              .width = side,
                              .table = beit ? WindowTable::beit : WindowTable::swin});
  return out;
}

std::optional<Component> read_window_network(const TensorGroup& group) {
  if (group.shape().size() != 2) return {};
  Component out{group.where, "swinv2", {}};
  out.facts = {{"hidden", group.shape()[1]}, {"weight", group.weight()}};
  tell_heads(heads_by_stage(group, 0), out.facts);
  out.positions = "row by row inside a window";
  group.trap("Swin-V2 does not store its window as a tensor: config.json has window_size");
  return out;
}

std::optional<Component> read_deberta(const TensorGroup& group) {
  if (group.shape().size() != 2) return {};
  Component out{group.where, "deberta", {}};
  out.facts = {{"rel_embedding_rows", group.shape()[0]},
               {"dim", group.shape()[1]},
               {"weight", group.weight()}};
  out.positions = "distances";
  return out;
}

std::optional<Component> read_xlnet(const TensorGroup& group) {
  const auto& shape = group.shape();
  if (shape.size() != 3) return {};
  Component out{group.where, "transformer-xl", {}};
  out.facts = {{"d_model", shape[0]},
               {"heads", shape[1]},
               {"d_head", shape[2]},
               {"weights", group.weight()}};
  out.positions = "distances";
  return out;
}

std::optional<Component> read_sinusoid_biases(const TensorGroup& group) {
  const auto& shape = group.shape();
  if (shape.size() != 2) return {};
  Component out{group.where, "transformer-xl", {}};
  out.facts = {{"heads", shape[0]}, {"d_head", shape[1]}, {"weights", group.weight()}};
  out.positions = "distances";
  return out;
}

std::optional<Component> read_distances(const TensorGroup& group) {
  auto shape = group.shape();
  if (shape.size() == 3 && shape[0] == 1) shape.erase(shape.begin());
  if (shape.size() != 2) return {};
  Component out{group.where, "shaw", {}};
  out.facts = {{"rows", shape[0]}, {"dim", shape[1]}, {"weight", group.weight()}};
  out.positions = "distances";
  group.trap("how many of the rows are for keys before the query is not stored");
  return out;
}

std::optional<Component> read_sides(const TensorGroup& group) {
  if (group.shape().size() != 2) return {};
  Component out{group.where, "rel-pos-2d", {}};
  out.facts = {
      {"table_rows", group.shape()[0]}, {"dim", group.shape()[1]}, {"weight", group.weight()}};
  out.positions = "distances along height and width";
  return out;
}

std::optional<Component> read_convolution(const TensorGroup& group) {
  const auto& shape = group.shape();
  if (shape.size() != 3 || shape[1] < 1 || shape[0] % shape[1] != 0) return {};
  Component out{group.where, "conv", {}};
  out.facts = {{"kernel", shape[2]},
               {"groups", shape[0] / shape[1]},
               {"hidden", shape[0]},
               {"weights", group.weight()}};
  out.positions = "none: a convolution over neighbours";
  return out;
}

std::optional<Component> read_fourier(const TensorGroup& group) {
  if (group.shape().size() != 2) return {};
  Component out{group.where, "gaussian", {}};
  out.facts = {
      {"axes", group.shape()[0]}, {"frequencies", group.shape()[1]}, {"weight", group.weight()}};
  out.positions = "coordinates";
  return out;
}

std::optional<Component> read_boxes(const TensorGroup& group) {
  if (group.shape().size() != 2) return {};
  Component out{group.where, "box-linear", {}};
  out.facts = {{"pos_dim", group.shape()[1]}, {"weights", group.weight()}};
  out.positions = "corners of boxes";
  return out;
}

std::optional<Component> read_graph(const TensorGroup& group) {
  if (group.shape().size() != 2) return {};
  Component out{group.where, "graphormer", {}};
  out.facts = {{"spatial_table", std::vector<double>{static_cast<double>(group.shape()[0]),
                                                     static_cast<double>(group.shape()[1])}}};
  out.positions = "distances in a graph";
  return out;
}

}  // namespace posenc::model
