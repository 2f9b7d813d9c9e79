// gguf_others.cc: GGUF files whose models do not turn: tables, biases, nothing.
#include <algorithm>

#include "base/text.h"
#include "model/gguf/gguf_rules.h"
#include "model/ready.h"

namespace posenc::model {
namespace {

int64_t heads_of(const GgufReading& in) {
  return in.config().needed({"attention.head_count"}, "the number of heads");
}

void add_table(const GgufReading& in, std::string where, const files::GgufTensor& tensor) {
  auto shape = tensor.shape;
  while (shape.size() > 2 && shape.front() == 1) shape.erase(shape.begin());
  Component part{std::move(where), "learned", {}};
  part.positions = "from 0";
  if (shape.size() == 3) {
    part.scheme = "learned-2d";
    part.facts = {{"rows_per_axis", shape[1]}, {"dim", shape[2]}, {"weight", tensor.name}};
    if (shape[0] == 2) set_ready(part, two_tables(shape[1], shape[2]));
  } else if (shape.size() == 2) {
    part.facts = {{"rows", shape[0]},
                  {"dim", shape[1]},
                  {"position_offset", int64_t{0}},
                  {"weight", tensor.name}};
    set_ready(part, Learned{.dim = shape[1], .rows = shape[0]});
  } else {
    in.source.refuse("tensor ", files::in_quotes(tensor.name),
                     ": expected a table of rows, got shape ", files::shape_text(tensor.shape));
  }
  in.reading.add(std::move(part));
}

void read_learned(const GgufReading& in) {
  const Config& config = in.config();
  const auto* tensor = in.file.find("position_embd.weight");
  const int64_t rows = config.needed({"context_length"}, "the rows of the table");
  if (tensor) {
    add_table(in, in.reading.where, *tensor);
    const auto* stored = in.reading.components.back().find("rows");
    if (stored && std::get<int64_t>(*stored) != rows)
      config.journal().note(NoteKind::conflict, in.reading.where,
                            "context_length = " + std::to_string(rows) +
                                ", but position_embd.weight has " + text::write(*stored) + " rows");
  } else {
    const int64_t dim = config.needed({"embedding_length"}, "the features of a row");
    Component part{in.reading.where, "learned", {}};
    part.positions = "from 0";
    part.facts = {{"rows", rows}, {"dim", dim}, {"position_offset", int64_t{0}}};
    set_ready(part, Learned{.dim = dim, .rows = rows});
    in.reading.add(std::move(part));
    config.journal().note(NoteKind::assumed, in.reading.where,
                          "position_embd.weight is not in this file: a row for each token of "
                          "context_length");
  }
  if (!in.is.trap.empty()) in.reading.trap(std::string(in.is.trap));
}

void add_alibi(const GgufReading& in, double most) {
  const int64_t heads = heads_of(in);
  Component part{in.reading.where, "alibi", {}};
  part.positions = "from 0";
  part.facts = {
      {"heads", heads}, {"alibi_bias_max", most}, {"symmetric", true}, {"bias", "-slope*|i-j|"}};
  if (const auto longest = in.config().whole({"context_length"}))
    part.facts.emplace_back("max_position", *longest);
  set_ready(part, Alibi{.heads = heads, .bias_max = most});
  in.reading.add(std::move(part));
  if (in.is.kind != GgufKind::alibi_key)
    in.reading.trap(
        "the file does not say that it has ALiBi: llama.cpp knows from the architecture" +
        std::string(in.is.alibi_layers > 0 ? " and its 40 layers" : ""));
}

void read_alibi_by_key(const GgufReading& in) {
  const double most = in.config().number({"attention.max_alibi_bias"}).value_or(0);
  if (most > 0) return add_alibi(in, most);
  if (in.file.find("position_embd.weight")) return read_learned(in);
  in.config().note(NoteKind::assumed,
                   "attention.max_alibi_bias is absent: no bias, as in llama.cpp",
                   in.reading.where);
  in.reading.add({in.reading.where, "none", {}});
}

void add_buckets(const GgufReading& in, bool decoder) {
  const int64_t heads = heads_of(in);
  const int64_t buckets =
      in.config().needed({"attention.relative_buckets_count"}, "the rows of the bias");
  const std::string start = decoder ? "dec.blk." : "enc.blk.";
  const auto tables =
      std::count_if(in.file.tensors.begin(), in.file.tensors.end(), [&](const auto& tensor) {
        return tensor.name.starts_with(start) && tensor.name.ends_with(".attn_rel_b.weight");
      });
  Component part{decoder ? "decoder" : "encoder", "t5", {}};
  part.positions = "from 0";
  part.facts = {{"num_buckets", buckets},
                {"max_distance", int64_t{128}},
                {"bidirectional", !decoder},
                {"heads", heads}};
  if (tables > 0) {
    part.facts.emplace_back("table", tables == 1 ? "first layer only, shared by all layers"
                                                 : "own table in every layer");
    part.facts.emplace_back("weight", start + (tables == 1 ? "0" : "N") + ".attn_rel_b.weight");
  }
  set_ready(part, T5Bias{.heads = heads, .buckets = buckets, .bidirectional = !decoder});
  in.reading.add(std::move(part));
  in.config().journal().note(NoteKind::assumed, "",
                             "no file contains max_distance: it is 128, fixed in llama.cpp");
}

void read_projector(const GgufReading& in) {
  constexpr std::pair<std::string_view, std::string_view> tables[] = {
      {"v.position_embd.weight", "vision"},
      {"v.sam.pos_embd.weight", "vision, first stage"},
      {"a.position_embd.weight", "audio"},
      {"resampler.pos_embd_k", "resampler"}};
  for (const auto& [name, where] : tables)
    if (const auto* tensor = in.file.find(name)) add_table(in, std::string(where), *tensor);
  if (in.reading.components.empty())
    in.source.refuse("not known: no table of positions in a projector of type ",
                     files::in_quotes(in.config().text({"projector_type"}).value_or("")),
                     "; a rotary encoder leaves no tensor");
  in.reading.trap(
      "a projector's file holds tables only: no tensor shows that an encoder also rotates "
      "(Pixtral, Qwen-VL)");
}

}  // namespace

void read_gguf_others(const GgufReading& in, GgufKind kind) {
  switch (kind) {
    case GgufKind::learned:
      return read_learned(in);
    case GgufKind::alibi:
      return add_alibi(in, 8);
    case GgufKind::alibi_key:
      return read_alibi_by_key(in);
    case GgufKind::t5:
      add_buckets(in, false);
      return add_buckets(in, true);
    case GgufKind::t5_encoder:
      return add_buckets(in, false);
    case GgufKind::projector:
      return read_projector(in);
    default:
      in.config().ignore({"rope.freq_base", "rope.dimension_count", "rope.scaling.type",
                          "rope.scaling.factor", "rope.scaling.finetuned"},
                         "attention layers of this architecture use no positions");
      return in.reading.add({in.reading.where, "none", {}});
  }
}

}  // namespace posenc::model
