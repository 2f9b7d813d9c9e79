// hints.cc: names of other libraries and of models, and what posenc calls them.
#include "cli/help/hints.h"

#include <algorithm>

#include "base/other_names.h"
#include "cli/help/search.h"
#include "cli/options.h"

namespace posenc::cli {
namespace {

void check_preset(std::string_view scheme, const std::string& preset) {
  const auto presets = usual_info(scheme).presets;
  if (std::any_of(presets.begin(), presets.end(), [&](const auto& p) { return p.name == preset; }))
    return;
  for (const auto& p : presets)
    if (is_said_as(p.name, preset))
      refuse("unknown preset '", preset, "' of ", scheme, "; did you mean '", p.name, "'?");
  if (!mentions_of(preset).empty())
    refuse("unknown preset '", preset, "' of ", scheme, "; 'posenc list ", preset,
           "' shows what goes by that name, and --model CONFIG takes a model's own numbers");
}

}  // namespace

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
    if (const auto layout = layout_called(value); name == "layout" && !layout.empty())
      refuse("unknown layout '", value, "'; posenc calls it '", layout, "'");
  }
}

}  // namespace posenc::cli
