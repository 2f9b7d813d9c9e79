// given.cc: models by a path or by their keys in JSON.
#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "model/formats.h"

namespace posenc::model {
namespace {

namespace fs = std::filesystem;

// Members of `keys` take the place of those in `base`; objects are joined, null is absent.
void overlay(Json& base, const Json& keys) {
  if (!base.object() || !keys.object()) {
    base = keys;
    return;
  }
  for (const auto& [key, value] : *keys.object()) overlay(base[key], value);
}

std::string config_text(const std::string& word) {
  if (is_config(word)) return word;
  const files::Source source(
      "diff", fs::is_directory(word) ? (fs::path(word) / "config.json").string() : word);
  if (source.starts_with("GGUF") || source.size() > (1 << 28))
    source.refuse("expected a config.json to set other keys in");
  return source.text(0, source.size());
}

Model read_path(const std::string& path, std::string_view as_type) {
  check_exists("model", path, "the model's config.json");
  return read(path, as_type);
}

}  // namespace

void check_exists(std::string_view where, const std::string& path, std::string_view wanted) {
  std::error_code ignored;
  if (path != "-" && !fs::exists(path, ignored))
    fail(ErrorKind::data, where, files::printable(path),
         ": no such file or folder; posenc fetches nothing: download ", wanted, " first");
}

bool is_config(std::string_view word) {
  const size_t first = word.find_first_not_of(" \t\r\n");
  if (first == word.npos) return false;
  std::error_code ignored;
  return word[first] == '{' || (word[first] == '[' && !fs::exists(word, ignored));
}

Model read_given(const std::string& word, std::string_view as_type) {
  return is_config(word) ? read_config(word, as_type) : read_path(word, as_type);
}

Model read_beside(const std::string& word, const std::string& base) {
  if (!is_config(word)) return read_path(word, {});
  const Json keys = files::parse_json("diff", word);
  if (keys.find("model_type") || keys.find("architectures")) return read_config(word);
  Json tree = files::parse_json("diff", config_text(base));
  overlay(tree, keys);
  return read_config_tree(tree);
}

}  // namespace posenc::model
