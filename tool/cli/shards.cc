// shards.cc: finding the files of a model.
#include "shards.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "error.h"
#include "json.h"
#include "model/output.h"
#include "model/text.h"

namespace posenc::cli {
namespace {

namespace fs = std::filesystem;
using namespace nlohmann::literals;

constexpr std::string_view index_ending = ".safetensors.index.json";

fs::path folder_of(const std::string& path) {
  return path.ends_with(".json") ? fs::path(path).parent_path() : fs::path(path);
}

// The index of a folder, or of the path itself; empty where there is none.
fs::path index_of(const std::string& path) {
  if (path.ends_with(".json")) return path;
  const fs::path usual = fs::path(path) / "model.safetensors.index.json";
  return fs::exists(usual) ? usual : fs::path();
}

std::set<std::string> names_in(const fs::path& index) {
  std::ifstream file(index);
  const Json json = Json::parse(file, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("weight_map") ||
      !json["weight_map"].is_object())
    fail("convert", index.string(), ": expected JSON with a weight_map, got none");
  std::set<std::string> out;
  for (const auto& [tensor, name] : json["weight_map"].items()) {
    if (!name.is_string() || name.get<std::string>().find('/') != std::string::npos)
      fail("convert", index.string(), ": expected the name of a file for ",
           files::in_quotes(tensor), ", got ", files::printable(name.dump()));
    out.insert(name.get<std::string>());
  }
  return out;
}

std::set<std::string> names_there(const fs::path& folder) {
  std::set<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".safetensors") out.insert(entry.path().filename().string());
  return out;
}

}  // namespace

bool is_sharded(const std::string& path) {
  std::error_code failed;
  return path.ends_with(index_ending) || fs::is_directory(path, failed);
}

Shards open_shards(const std::string& path, const std::string& out) {
  const fs::path folder = folder_of(path), index = index_of(path);
  std::error_code failed;
  if (fs::exists(out) && !fs::is_directory(out))
    refuse("expected a folder as --out for a model in several files, got ", out);
  if (fs::equivalent(folder.empty() ? "." : folder, out, failed))
    refuse("expected another folder as --out than that of --in, got ", out,
           ": were it stopped, half of the model would be converted");
  const auto names = index.empty() ? names_there(folder) : names_in(index);
  if (names.empty()) fail("convert", path, ": expected .safetensors files, got none");
  Shards shards;
  for (const std::string& name : names) {
    const std::string in = (folder / name).string();
    shards.push_back({in, (fs::path(out) / name).string(),
                      std::make_unique<const files::Source>("convert", in)});
  }
  return shards;
}

void copy_index(const std::string& path, const std::string& out, int64_t grown) {
  const fs::path index = index_of(path);
  if (index.empty()) return;
  const files::Source source("convert", index.string());
  std::string text = source.text(0, source.size());
  if (Json json = Json::parse(text, nullptr, false);
      grown != 0 && json.contains("/metadata/total_size"_json_pointer)) {
    Json& total = json["metadata"]["total_size"];
    if (total.is_number_integer()) total = total.get<int64_t>() + grown;
    text = dump(json);
  }
  atomic_write((fs::path(out) / index.filename()).string(), text);
}

}  // namespace posenc::cli
