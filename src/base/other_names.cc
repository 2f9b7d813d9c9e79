// other_names.cc: lists of names, and names compared by their letters and digits.
#include "base/other_names.h"

#include <algorithm>
#include <vector>

namespace posenc {
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

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); }

// Split where a name may end; "Kimi's" is Kimi.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t end; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    end = std::min(text.find_first_of(" ,;:()-'"), text.size());
    if (end > 0 && text.substr(0, end) != "s") out.push_back(text.substr(0, end));
  }
  return out;
}

// As names are said: without what some write between their parts.
std::string squeezed(std::string_view name) {
  std::string out(name);
  std::erase_if(out, [](char c) { return c == '-' || c == '_' || c == '.' || c == ' '; });
  return out;
}

}  // namespace

std::string_view option_called(std::string_view name) { return ours(other_options, name); }
std::string_view layout_called(std::string_view name) { return ours(other_layouts, name); }

bool is_said_as(std::string_view ours, std::string_view name) {
  return ours.ends_with("-" + std::string(name)) || squeezed(ours) == squeezed(name);
}

std::string letters_of(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (is_letter(c) || is_digit(c)) out += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

bool says(std::string_view text, const std::string& letters, bool sentence) {
  const auto words = words_of(text);
  for (size_t first = 0; first < words.size(); ++first) {
    std::string run, seen;
    for (size_t i = first; i < words.size() && seen.size() < letters.size(); ++i) {
      run += words[i], seen = letters_of(run);
      const bool named =
          std::any_of(run.begin(), run.end(), [](char c) { return is_upper(c) || is_digit(c); });
      if (seen == letters && (named || !sentence)) return true;
    }
  }
  return false;
}

}  // namespace posenc
