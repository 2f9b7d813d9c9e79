// search.cc: names and texts of schemes, compared by their letters and digits.
#include "cli/help/search.h"

#include <algorithm>

#include "cli/options.h"

namespace posenc::cli {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); }

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

std::string letters_of(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (is_letter(c) || is_digit(c)) out += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// Split where a name may end; "Kimi's" is Kimi.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t end; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    end = std::min(text.find_first_of(" ,;:()-'"), text.size());
    if (end > 0 && text.substr(0, end) != "s") out.push_back(text.substr(0, end));
  }
  return out;
}

// Whether words that follow each other are the name; in a sentence one of them has a capital or a
// digit, as names have.
bool says(std::string_view text, const std::string& name, bool sentence) {
  const auto words = words_of(text);
  for (size_t first = 0; first < words.size(); ++first) {
    std::string run, seen;
    for (size_t i = first; i < words.size() && seen.size() < name.size(); ++i) {
      run += words[i], seen = letters_of(run);
      const bool named =
          std::any_of(run.begin(), run.end(), [](char c) { return is_upper(c) || is_digit(c); });
      if (seen == name && (named || !sentence)) return true;
    }
  }
  return false;
}

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
