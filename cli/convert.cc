// convert.cc: posenc convert.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "console.h"
#include "files/safetensors.h"
#include "layout_proof.h"
#include "options.h"
#include "rewrite.h"

namespace posenc::cli {
namespace {

// Names of modules that make queries and keys; a tensor belongs to one when a part of its name
// between dots is the module's.
constexpr const char* query_names = "q_proj,q_norm,wq,attn_q,attn_q_norm,q_layernorm,query";
constexpr const char* key_names = "k_proj,k_norm,wk,attn_k,attn_k_norm,k_layernorm,key";

struct ConvertOptions {
  std::string in{}, out{};
  std::optional<Layout> from{}, to{};
  std::optional<int64_t> heads{}, kv_heads{}, dim{}, rotary_dim{};
  int64_t rotary_offset = 0, blocks = 1;
  std::string queries = query_names, keys = key_names;

  static constexpr auto fields() {
    using S = ConvertOptions;
    return std::tuple{
        Field{"in", &S::in, "file with weights, .safetensors or .npy"},
        Field{"out", &S::out, "file to write; may be --in"},
        Field{"from", &S::from, "the layout the weights were made for; must be given"},
        Field{"to", &S::to, "the layout they shall have; must be given"},
        Field{"heads", &S::heads, "query heads; must be given"},
        Field{"kv_heads", &S::kv_heads, "key heads; as many as query heads unless given"},
        Field{"dim", &S::dim, "features of a head; must be given"},
        Field{"rotary_dim", &S::rotary_dim, "features that turn; all unless given"},
        Field{"rotary_offset", &S::rotary_offset, "the first that turns; negative: from the end"},
        Field{"blocks", &S::blocks, "parts of the turning features with a layout of their own"},
        Field{"queries", &S::queries, "modules whose tensors make or scale queries"},
        Field{"keys", &S::keys, "modules whose tensors make or scale keys"}};
  }
};

HeadSpan span_of(const ConvertOptions& options, int64_t heads) {
  return {heads, *options.dim, options.rotary_dim, options.rotary_offset, options.blocks};
}

void check(const ConvertOptions& options) {
  const auto need = [](bool given, const char* what) {
    if (!given) refuse("expected ", what, ", got none");
  };
  need(!options.in.empty(), "--in FILE");
  need(!options.out.empty(), "--out FILE");
  need(options.from && options.to, "--from and --to, each half or interleaved");
  need(options.heads && options.dim, "--heads N and --dim N");
  const auto weights_of = [](Layout layout) { return layout == Layout::half; };
  if (weights_of(*options.from) == weights_of(*options.to))
    refuse("expected two layouts that differ in their weights, got ", enum_name(*options.from),
           " and ", enum_name(*options.to));
  for (const int64_t heads : {*options.heads, options.kv_heads.value_or(1)})
    typed([&] { layout_order(*options.from, *options.to, span_of(options, heads)); });
  if (*options.heads % options.kv_heads.value_or(1) != 0)
    refuse("expected kv_heads that divide the ", *options.heads, " heads, got ", *options.kv_heads);
}

// What stands before the module in the name of a tensor, when its module is one of the list.
std::optional<std::string> layer_of(const std::string& name, const std::string& list) {
  for (size_t at = 0; at < name.size();) {
    const size_t end = std::min(name.find('.', at), name.size());
    const std::string part = "," + name.substr(at, end - at) + ",";
    if (("," + list + ",").find(part) != std::string::npos) return name.substr(0, at);
    at = end + 1;
  }
  return {};
}

Part convert(const ConvertOptions& options, const std::string& name, bool is_query, Array array) {
  const int64_t dim = *options.dim;
  const int64_t heads = is_query ? *options.heads : options.kv_heads.value_or(*options.heads);
  const auto& shape = array.shape;
  const bool of_a_head = shape == std::vector{dim}, of_heads = shape == std::vector{heads, dim};
  const bool rows = (shape.size() == 1 || shape.size() == 2) && shape[0] == heads * dim;
  if ((!of_a_head && !of_heads && !rows) || !is_float(array.dtype))
    fail("convert", options.in, ": expected '", name, "' as floats [", heads * dim, ", inputs], [",
         heads * dim, "], [", heads, ", ", dim, "] or [", dim, "], got ", describe(array.view()));
  const bool bias = name == "bias" || name.ends_with(".bias");
  const auto role = rows && shape.size() == 2 ? Part::Role::projection
                    : bias                    ? Part::Role::bias
                                              : Part::Role::gain;
  Part part{name, is_query, role, array, std::move(array)};
  Tensor out = part.after.view();
  if (of_heads) out = tensor(out.data, out.dtype, std::array{heads * dim});
  convert_layout(out, out, *options.from, *options.to, span_of(options, of_a_head ? 1 : heads));
  return part;
}

std::vector<std::vector<Part>> convert_all(const ConvertOptions& options, bool npy) {
  if (npy) return {{convert(options, "array", true, read_array(options.in))}};
  const auto names = files::read_index(files::Source("convert", options.in)).names();
  std::map<std::string, std::vector<Part>> layers;
  for (const std::string& name : names)
    for (const bool is_query : {true, false})
      if (const auto layer = layer_of(name, is_query ? options.queries : options.keys))
        layers[*layer].push_back(convert(options, name, is_query, read_array(options.in, name)));
  if (layers.empty())
    fail("convert", options.in, ": expected tensors of modules such as q_proj and k_proj (fused ",
         "ones must be split first), got ", names.empty() ? "none" : "none; --queries and --keys ",
         names.empty() ? "" : "name others: '" + names[0] + "' is here");
  std::vector<std::vector<Part>> out;
  for (auto& layer : layers) out.push_back(std::move(layer.second));
  return out;
}

void report(const ConvertOptions& options, const std::vector<std::vector<Part>>& layers,
            const Proof& proof) {
  constexpr size_t most = 12;
  std::vector<std::string> lines;
  for (const auto& layer : layers)
    for (const Part& part : layer)
      lines.push_back(fmt::format("  {}  {}\n", part.name, describe(part.before.view())));
  print(fmt::format("{}: {} from {} to {}\n", options.in,
                    lines.size() == 1 ? "one tensor" : fmt::format("{} tensors", lines.size()),
                    enum_name(*options.from), enum_name(*options.to)));
  for (size_t i = 0; i < std::min(lines.size(), most); ++i) print(lines[i]);
  if (lines.size() > most) print(fmt::format("  ... and {} more\n", lines.size() - most));
  if (proof.layers == 0) return print("No projection among them on which to prove it.\n");
  print(fmt::format(
      "A random input through the old and the new weights, turned in the layout of each: scores\n"
      "of {} {} differ by {:.1e} at most, the largest is {:.3g}.\n",
      proof.layers, proof.layers == 1 ? "layer" : "layers", proof.difference, proof.largest));
}

void run_convert(const Call& call) {
  if (call.words[0] != "layout")
    refuse("unknown conversion '", call.words[0], "'", suggestion(call.words[0], {"layout"}));
  const auto options = read_options<ConvertOptions>(call);
  check(options);
  const bool npy = holds_npy(options.in);
  const auto layers = convert_all(options, npy);
  const Proof proof = prove(layers, *options.from, *options.to, span_of(options, 1));
  if (!(proof.difference <= 1e-9 * proof.largest) && proof.layers > 0)
    fail("convert", options.in, ": expected equal scores, got some that differ by ",
         proof.difference, "; nothing was written");
  NamedArrays arrays;
  Metadata notes;
  for (const auto& layer : layers)
    for (const Part& part : layer) {
      arrays.emplace_back(part.name, part.after);
      notes["posenc." + part.name] = fmt::format("layout {}", enum_name(*options.to));
    }
  npy ? write_arrays(options.out, arrays, notes) : rewrite(options.in, options.out, arrays, notes);
  report(options, layers, proof);
}

}  // namespace

Command convert_command() {
  return {
      "convert",
      "weights made for one pair layout into weights for the other, with proof",
      "layout",
      "Queries and keys of a model made for half (Hugging Face's Llama) turn wrongly in an engine\n"
      "that pairs features interleaved, and the other way round. Moving the rows of the query and\n"
      "key projections, their biases and the gains of their norms makes up for it: every score\n"
      "stays as it was, which is tried on a random input before anything is written. Other "
      "tensors\n"
      "stay as they are. A tensor is moved when a part of its name between dots is in --queries "
      "or\n"
      "--keys; an array of a .npy file always is.\n",
      options_of(ConvertOptions{}),
      {"posenc table sinusoidal --dim 48 --positions 0:128 --out q.npy",
       "posenc convert layout --in q.npy --out moved.npy --from half --to interleaved --heads 4 "
       "--dim 32"},
      run_convert};
}

}  // namespace posenc::cli
