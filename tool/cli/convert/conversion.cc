// conversion.cc: finding the weights of queries and keys, converting them, and proof.
#include "cli/convert/conversion.h"

#include <array>

#include "base/text.h"
#include "cli/stop.h"

namespace posenc::cli {
namespace {

using files::in_quotes;

bool same_weights(Layout a, Layout b) { return (a == Layout::half) == (b == Layout::half); }

// Refuses a tensor whose file says that it was converted to another layout than it comes from.
void check_note(const Conversion& conversion, const Part& part) {
  const auto& notes = part.shard->index.metadata;
  const auto note = notes.find("posenc." + part.tensor->name);
  if (note == notes.end() || !note->second.starts_with("layout ")) return;
  for (const Layout said : {Layout::half, Layout::interleaved, Layout::interleaved_in_half_out})
    if (note->second.substr(7) == enum_name(said) && !same_weights(said, conversion.from))
      fail("convert", part.shard->in, ": expected weights in layout ", enum_name(conversion.from),
           " as --from says, got ", in_quotes(part.tensor->name), ", whose metadata says ",
           enum_name(said));
}

void check_fused(const Shard& shard, const std::string& name) {
  if (is_fused(name))
    fail("convert", shard.in, ": expected queries and keys in tensors of their own, got ",
         in_quotes(name), ", where they are fused: split it first, or leave it out by --under");
}

// Refuses a layer in which anything that moves with queries and keys would be left as it is.
void check_rest(const Conversion& conversion, const Shard& shard, const Layers& layers) {
  for (const files::Stored& t : shard.index.tensors)
    for (const auto& [layer, parts] : layers) {
      if (!t.name.starts_with(layer) || files::bits_of(t.shape, 1) == 1) continue;
      const std::string module =
          t.name.substr(layer.size(), t.name.find('.', layer.size()) - layer.size());
      if (may_move(module) && !find_module(t.name, conversion.queries + "," + conversion.keys))
        fail("convert", shard.in, ": expected to know every tensor beside ",
             in_quotes(parts[0].tensor->name), ", got ", in_quotes(t.name),
             ": if it moves with queries or keys, --queries or --keys must name its module");
    }
}

// Refuses a layer without one tensor that makes queries and one that makes keys: the other half of
// its scores would turn wrongly, and nothing can be tried.
void check_layer(const std::vector<Part>& parts) {
  for (const bool is_query : {true, false}) {
    std::vector<std::string> names;
    for (const Part& p : parts)
      if (p.is_query == is_query && p.role == Role::projection) names.push_back(p.tensor->name);
    if (names.size() == 1) continue;
    fail("convert", parts[0].shard->in, ": expected one tensor that makes ",
         is_query ? "queries" : "keys", " to match ", in_quotes(parts[0].tensor->name), ", got ",
         names.empty() ? "none" : files::listed(names), "; ", is_query ? "--queries" : "--keys",
         " names modules, and a folder as --in takes all shards of a model");
  }
}

[[noreturn]] void refuse_nothing(const Conversion& conversion, const Shard& shard) {
  const auto names = shard.index.names();
  fail("convert", shard.in, ": expected tensors of modules such as q_proj and k_proj",
       conversion.under.empty() ? "" : " under " + conversion.under, ", got none",
       names.empty() ? ""
                     : "; --queries and --keys name others: " + in_quotes(names[0]) + " is here");
}

// DeepSeek's latent attention: the last rows are the turning features of the one key.
HeadSpan shared_span(const Conversion& conversion, int64_t rows) {
  HeadSpan span = conversion.head;
  const int64_t turning = span.rotary_dim.value_or(span.dim);
  const bool last = span.rotary_offset == -turning || span.rotary_offset == span.dim - turning;
  if (!span.rotary_dim || !last || rows < turning) return {0};
  span.dim = rows, span.rotary_offset = -turning;
  return span;
}

}  // namespace

Part make_part(const Conversion& conversion, const std::string& file, const files::Stored& tensor,
               bool is_query, const std::string& module) {
  const int64_t dim = conversion.head.dim;
  const int64_t heads = is_query ? conversion.heads : conversion.kv_heads;
  const auto& shape = tensor.shape;
  const bool matrix = shape.size() == 2, line = shape.size() == 1;
  const bool bias = tensor.name == "bias" || tensor.name.ends_with(".bias");
  Part part{nullptr, &tensor, is_query, bias ? Role::bias : Role::gain, conversion.head};
  const std::string where = file + ": ";
  if (!tensor.supported() || !is_float(*tensor.supported()))
    fail("convert", where, "expected ", in_quotes(tensor.name), " as F32, F64, F16 or BF16, got ",
         tensor.dtype);
  if (makes_shared_key(module)) {
    part.span = shared_span(conversion, matrix || line ? shape[0] : 0);
    if (matrix) part.role = Role::projection;
    if (part.span.heads == 1) return part;
    fail("convert", where,
         "expected --rotary_dim N and --rotary_offset -N, because the last N rows of ",
         in_quotes(tensor.name), " rotate, got ", files::shape_text(shape), " and rotary_dim ",
         conversion.head.rotary_dim.value_or(dim));
  }
  if (line && shape[0] == dim) return part;
  part.span.heads = heads;
  if (matrix && shape == std::vector{heads, dim}) return part;
  if ((matrix || line) && shape[0] == heads * dim) {
    if (matrix) part.role = Role::projection;
    return part;
  }
  fail("convert", where, "expected ", in_quotes(tensor.name), " as [", heads * dim, ", inputs], [",
       heads * dim, "], [", heads, ", ", dim, "] or [", dim, "], got ", files::shape_text(shape));
}

Layers find_parts(const Conversion& conversion, const Shards& shards) {
  Layers layers;
  for (const Shard& shard : shards)
    for (const files::Stored& t : shard.index.tensors) {
      if (!t.name.starts_with(conversion.under)) continue;
      const auto query = find_module(t.name, conversion.queries);
      const auto found = query ? query : find_module(t.name, conversion.keys);
      if (!found) check_fused(shard, t.name);
      if (!found) continue;
      auto& parts = layers[found->layer];
      parts.push_back(make_part(conversion, shard.in, t, query.has_value(), found->module));
      parts.back().shard = &shard;
      check_note(conversion, parts.back());
    }
  if (layers.empty()) refuse_nothing(conversion, shards[0]);
  for (const auto& layer : layers) check_layer(layer.second);
  for (const Shard& shard : shards) check_rest(conversion, shard, layers);
  return layers;
}

Array read_part(const Part& part) {
  return files::load(*part.shard->source, part.shard->index, *part.tensor);
}

void convert(const Conversion& conversion, const Part& part, Array& array) {
  Tensor out = array.view();
  if (part.role != Role::projection)
    out = tensor(out.data, out.dtype, std::array{part.span.heads * part.span.dim});
  convert_layout(out, out, conversion.from, conversion.to, part.span);
}

void add_effect(const Conversion& conversion, const Part& part, Array array, Made& made) {
  add_effect(made.before, effect(array, part.role), part.role);
  convert(conversion, part, array);
  add_effect(made.after, effect(array, part.role), part.role);
  if (part.role == Role::projection || part.role == Role::heads) made.span = part.span;
}

Proof prove(const Conversion& conversion, const Layers& layers, const Watch& watch) {
  Proof proof;
  for (const auto& layer : layers) {
    check_stopped();
    Made queries, keys;
    for (const auto role : {Role::projection, Role::bias, Role::gain})
      for (const Part& part : layer.second)
        if (part.role == role)
          add_effect(conversion, part, read_part(part), part.is_query ? queries : keys);
    prove(proof, queries, keys, conversion.from, conversion.to);
    watch(static_cast<double>(proof.layers) / static_cast<double>(layers.size()));
  }
  return proof;
}

}  // namespace posenc::cli
