// hints.cc: names of other libraries and of models, and what posenc calls them.
#include "cli/help/hints.h"

#include <algorithm>

#include "cli/help/search.h"
#include "cli/options.h"

namespace posenc::cli {
namespace {

struct Other {
  std::string_view name, ours;
};
constexpr Other other_options[] = {{"theta", "base"},           {"rope_theta", "base"},
                                   {"rope_base", "base"},       {"rotary_base", "base"},
                                   {"rotary_emb_base", "base"}, {"freq_base", "base"},
                                   {"rope_scaling", "scaling"}, {"rope_type", "scaling"},
                                   {"head_dim", "dim"},         {"head_size", "dim"},
                                   {"hidden_size", "dim"},      {"d_model", "dim"},
                                   {"embed_dim", "dim"},        {"num_heads", "heads"},
                                   {"n_heads", "heads"},        {"num_attention_heads", "heads"},
                                   {"max_len", "rows"},         {"is_neox_style", "layout"},
                                   {"interleaved", "layout"}};
constexpr Other other_layouts[] = {{"neox", "half"},           {"gpt-neox", "half"},
                                   {"rotate_half", "half"},    {"gptj", "interleaved"},
                                   {"gpt-j", "interleaved"},   {"rotate_every_two", "interleaved"},
                                   {"complex", "interleaved"}, {"traditional", "interleaved"}};

template <size_t N>
std::string_view ours(const Other (&list)[N], std::string_view name) {
  for (const Other& other : list)
    if (other.name == name) return other.ours;
  return "";
}

// Names as they are said: without what some write between their parts.
std::string squeezed(std::string name) {
  std::erase_if(name, [](char c) { return c == '-' || c == '_' || c == '.' || c == ' '; });
  return name;
}

void check_preset(std::string_view scheme, const std::string& preset) {
  const auto presets = usual_info(scheme).presets;
  if (std::any_of(presets.begin(), presets.end(), [&](const auto& p) { return p.name == preset; }))
    return;
  for (const auto& p : presets)
    if (p.name.ends_with("-" + preset) || squeezed(p.name) == squeezed(preset))
      refuse("unknown preset '", preset, "' of ", scheme, "; did you mean '", p.name, "'?");
  if (!mentions_of(preset).empty())
    refuse("unknown preset '", preset, "' of ", scheme, "; 'posenc list ", preset,
           "' shows what goes by that name, and --model CONFIG takes a model's own numbers");
}

}  // namespace

std::string_view option_called(std::string_view name) { return ours(other_options, name); }

void refuse_scheme(std::string_view name, const std::vector<std::string>& names) {
  if (const auto option = option_called(name); !option.empty())
    refuse("unknown scheme '", name, "'; it is the option --", option, " of schemes");
  for (const char* extension : {".json", ".safetensors", ".gguf"})
    if (name.ends_with(extension))
      refuse("expected a scheme's name, got the file ", name, "; --model ", name,
             " takes the encoding of a model");
  if (!mentions_of(name).empty())
    refuse("unknown scheme '", name, "'; 'posenc list ", name,
           "' shows the schemes and presets that go by that name");
  if (const std::string near = closest(name, names); !near.empty())
    refuse("unknown scheme '", name, "'; did you mean '", near, "'?");
  refuse("unknown scheme '", name, "'; 'posenc list' shows all of them");
}

void check_names(std::string_view scheme, const Options& options) {
  for (const auto& [name, value] : options) {
    if (name == "preset") check_preset(scheme, value);
    if (const auto layout = ours(other_layouts, value); name == "layout" && !layout.empty())
      refuse("unknown layout '", value, "'; posenc calls it '", layout, "'");
  }
}

}  // namespace posenc::cli
