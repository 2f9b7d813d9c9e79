// convert_layout.h: a model's weights for the other pair layout.
#pragma once

#include "cli/convert/conversion.h"
#include "cli/options.h"

namespace posenc::cli {

struct ConvertOptions {
  std::string in{}, out{};
  std::optional<Layout> from{}, to{};
  std::optional<int64_t> heads{}, kv_heads{}, dim{}, rotary_dim{};
  int64_t rotary_offset = 0, blocks = 1;
  std::string queries{}, keys{}, under{};

  static Fields fields() {
    using S = ConvertOptions;
    return {
        {"in", &S::in,
         "file with weights, .safetensors or .npy; or the folder of a model with several"},
        {"out", &S::out, "file to write, which may be --in; or a new folder"},
        {"from", &S::from,
         "the layout the weights were made for; must be given, or be in config.json"},
        {"to", &S::to, "the new layout; must be given"},
        {"heads", &S::heads, "query heads; must be given, or be in config.json"},
        {"kv_heads", &S::kv_heads, "number of key heads (default: as many as query heads)"},
        {"dim", &S::dim, "features of a head; must be given, or be in config.json"},
        {"rotary_dim", &S::rotary_dim, "number of features that rotate (default: all)"},
        {"rotary_offset", &S::rotary_offset,
         "the first feature that rotates; negative: from the end"},
        {"blocks", &S::blocks,
         "number of parts of the rotating features that have their own pairs"},
        {"queries", &S::queries,
         "modules whose tensors make or scale queries, instead of the known ones"},
        {"keys", &S::keys, "modules whose tensors make or scale keys, instead of the known ones"},
        {"under", &S::under, "only tensors whose names start with this: one model inside another"}};
  }
};

// Options that were not given, from the configuration in the folder of the model.
void ask_model(ConvertOptions& options);
// The model inside another that makes text: the start of its tensors' names. Empty where there is
// one model alone, or it is not clear.
std::string text_model(const Shards& shards, const ConvertOptions& options);

std::vector<Option> convert_layout_options();
void convert_layout(const Call& call);

}  // namespace posenc::cli
