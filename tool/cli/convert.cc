// convert.cc: posenc convert.
#include <algorithm>

#include "convert_layout.h"
#include "convert_rows.h"

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
          refuse("expected convert ", other.name, " beside --", given.first, ", got ", kind.name);
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
      "a model's weights for the other pair layout, or a learned table of another length",
      "CONVERSION",
      "layout: queries and keys of a model made for half (Hugging Face's Llama) turn wrongly "
      "where\n"
      "features pair interleaved, and the other way round. Moving the rows of the query and key\n"
      "projections, their biases and the gains of their norms makes up for it: every score stays\n"
      "as it was, which is tried on a random input before anything is written. Other tensors stay\n"
      "as they are. What the configuration in the folder of a model says need not be given.\n\n"
      "A tensor is moved when a part of its name between dots is a known module: q_proj and "
      "k_proj,\n"
      "wq and wk, attn_q and attn_k, query and key, to_q and to_k, q and k, DeepSeek's q_b_proj "
      "and\n"
      "kv_a_proj_with_mqa (with --rotary_dim N --rotary_offset -N: its last rows turn), and their\n"
      "norms; or one of --queries and --keys. An array of a .npy file always is. A layer is moved\n"
      "whole or refused: without its queries or its keys, or with both fused into one tensor, it\n"
      "is refused. In a model of texts and pictures the one that makes text is meant, unless "
      "--under\n"
      "says another. Notes in the metadata say what was done, and keep it from being done "
      "twice.\n\n"
      "rows: a learned table, [rows, dim], gets more or fewer rows, which are compared with the\n"
      "formula. In the folder of a model its configuration says which tensor that is, and how "
      "many\n"
      "rows at the start are no positions (BART's two): they stay.\n",
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
