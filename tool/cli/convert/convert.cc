// convert.cc: posenc convert.
#include <algorithm>

#include "cli/convert/convert_layout.h"
#include "cli/convert/convert_rows.h"
#include "model/formats.h"

namespace posenc::cli {
namespace {

struct ConvertKind {
  std::string_view name;
  std::vector<Option> options;
  void (*run)(const Call&);
};

void run_convert(const Call& call) {
  const ConvertKind kinds[] = {{"layout", convert_layout_options(), convert_layout},
                               {"rows", convert_rows_options(), convert_rows}};
  const auto has = [](const std::vector<Option>& options, const std::string& name) {
    return std::any_of(options.begin(), options.end(),
                       [&](const Option& option) { return option.name == name; });
  };
  for (const ConvertKind& kind : kinds) {
    if (kind.name != call.words[0]) continue;
    for (const auto& given : call.own)
      for (const ConvertKind& other : kinds)
        if (has(other.options, given.first) && !has(kind.options, given.first))
          refuse("expected convert ", other.name, " with --", given.first, ", got ", kind.name);
    for (const auto& [name, value] : call.own)  // before what its config.json would answer
      if (name == "in") model::check_exists("convert", value, "the model");
    return kind.run(call);
  }
  refuse("unknown conversion '", call.words[0], "'", suggestion(call.words[0], {"layout", "rows"}));
}

std::vector<Option> convert_options() {
  std::vector<Option> out = convert_layout_options();
  for (const Option& option : convert_rows_options())
    if (option.name != "in" && option.name != "out") out.push_back(option);
  return out;
}

}  // namespace

Command convert_command() {
  return {
      "convert",
      "convert a model's weights to the other pair layout, or resize a learned table",
      takes_one("CONVERSION"),
      "layout: permutes the rows of the query and key projections, their biases and the\n"
      "gains of their norms, so that a model trained with the layout half (Hugging Face's\n"
      "Llama) gives the same scores with interleaved pairs, and the other way round. Before\n"
      "anything is written, the scores are compared on a random input. Other tensors stay\n"
      "as they are. Options that config.json in the model's folder determines need not be\n"
      "given.\n\n"
      "A tensor is converted when a part of its name between dots is a known module: q_proj\n"
      "and k_proj, wq and wk, attn_q and attn_k, query and key, to_q and to_k, q and k,\n"
      "DeepSeek's q_b_proj and kv_a_proj_with_mqa (with --rotary_dim N --rotary_offset -N:\n"
      "its last rows rotate), and their norms; or one of --queries and --keys. The array of\n"
      "a .npy file is always converted. A layer without queries or keys, or with both fused\n"
      "into one tensor, is refused. In a multimodal model the text model is converted,\n"
      "unless --under names another part. Metadata records the layout and prevents\n"
      "converting twice.\n\n"
      "rows: gives a learned table, [rows, dim], more or fewer rows, and compares them with\n"
      "the formula. In a model's folder, config.json says which tensor that is and how many\n"
      "rows at the start are not positions (BART's two); these are kept.\n\n"
      "From the folder of a model, --out becomes a whole model folder: weights,\n"
      "configuration and tokenizer. It must be new or empty, and appears when it is\n"
      "complete.\n",
      convert_options(),
      {"posenc table sinusoidal --dim 48 --positions 0:128 --out q.npy",
       "posenc convert layout --in q.npy --out moved.npy --from half --to interleaved --heads 4 "
       "--dim 32",
       "posenc table sinusoidal --dim 16 --positions 0:32 --out table.npy",
       "posenc convert rows --in table.npy --rows 48 --out longer.npy"},
      run_convert,
      {"layout", "rows"}};
}

}  // namespace posenc::cli
