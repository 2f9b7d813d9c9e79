// search.cc: names and texts of schemes, compared by their letters and digits.
#include "cli/help/search.h"

#include <algorithm>

#include "base/other_names.h"
#include "cli/options.h"

namespace posenc::cli {
namespace {

// Whose rotation is in an unusual place: docs/rotary.md, "Unusual places".
struct Unusual {
  std::string_view names, about;
};
constexpr Unusual unusual_turns[] = {
    {"Dual-Chunk Attention (DCA), Qwen2.5-1M", "at positions that dual_chunk() makes"},
    {"ReRoPE, Leaky ReRoPE, Self-Extend",
     "twice, the second time at positions that rerope(), leaky_rerope() or self_extend() make"},
    {"DeepSeek-V4, RoFormer (rotary_value)",
     "values rotate too; DeepSeek-V4's outputs rotate back by rotate_inverse()"},
    {"Wav2Vec2-Conformer, Wav2Vec2-BERT", "the hidden state rotates, before the projections"},
    {"Llama 4, SmolLM3, Cohere 2, NoPE", "only some layers: posenc explain lists them"}};

}  // namespace

std::string as_spelled(std::string_view command, const std::string& word) {
  const auto all = scheme_names(command);
  if (std::find(all.begin(), all.end(), word) != all.end()) return word;
  const std::string letters = letters_of(word);
  const auto same = std::find_if(all.begin(), all.end(),
                                 [&](const std::string& n) { return letters_of(n) == letters; });
  return same == all.end() ? word : *same;
}

std::vector<Mention> mentions_of(std::string_view name) {
  const std::string letters = letters_of(name);
  std::vector<Mention> out;
  const auto is_letter = [](char c) { return c < '0' || c > '9'; };
  if (letters.size() < 2 || std::none_of(letters.begin(), letters.end(), is_letter)) return out;
  for (const SchemeInfo& scheme : known_schemes("list")) {
    for (const PresetInfo& preset : scheme.presets)
      if (says(preset.name, letters, false) || says(preset.help, letters, true))
        out.push_back({scheme.name, scheme.name + " --preset " + preset.name, preset.help});
    if (says(scheme.used_by, letters, true))
      out.push_back({scheme.name, scheme.name, scheme.about});
  }
  for (const auto& [names, about] : unusual_turns)
    if (says(names, letters, true)) out.push_back({"rope", "rope", std::string(about)});
  return out;
}

}  // namespace posenc::cli
