// shards.cc: finding the files of a model.
#include "cli/convert/shards.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "base/text.h"
#include "cli/error.h"
#include "cli/json.h"
#include "model/output.h"

namespace posenc::cli {
namespace {

namespace fs = std::filesystem;

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

Json read_index_json(const fs::path& index) {
  const files::Source source("convert", index.string());
  return files::parse_json("convert", source.text(0, source.size()), index.string() + ": ");
}

std::set<std::string> names_in(const fs::path& index) {
  const Json json = read_index_json(index);
  const Json* map = json.find("weight_map");
  if (!map || !map->object())
    fail("convert", index.string(), ": expected JSON with a weight_map, got none");
  std::set<std::string> out;
  for (const auto& [tensor, name] : *map->object()) {
    const auto* file = std::get_if<std::string>(&name.value);
    if (!file || file->find('/') != std::string::npos)
      fail("convert", index.string(), ": expected the name of a file for ",
           files::in_quotes(tensor), ", got ", files::printable(files::write_json(name)));
    out.insert(*file);
  }
  return out;
}

std::set<std::string> names_there(const fs::path& folder) {
  std::set<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".safetensors") out.insert(entry.path().filename().string());
  return out;
}

// Whether a file holds weights, or says where some are.
bool holds_weights(const std::string& name) {
  constexpr std::string_view endings[] = {".safetensors", ".bin",     ".pt",        ".pth",
                                          ".ckpt",        ".gguf",    ".h5",        ".npz",
                                          ".onnx",        ".msgpack", ".index.json"};
  return std::any_of(std::begin(endings), std::end(endings),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

// Changes the size of all tensors that an index tells.
void add_to_size(const fs::path& index, int64_t grown) {
  Json json = read_index_json(index);
  const Json* metadata = json.find("metadata");
  if (!metadata || !metadata->find("total_size")) return;
  Json& total = json["metadata"]["total_size"];
  if (const auto* size = std::get_if<int64_t>(&total.value)) total = *size + grown;
  atomic_write(index.string(), dump(json));
}

}  // namespace

bool is_sharded(const std::string& path) {
  std::error_code failed;
  return path.ends_with(index_ending) || fs::is_directory(path, failed);
}

Shards open_shards(const std::string& path, const std::string& out) {
  const fs::path folder = folder_of(path), index = index_of(path);
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

std::string copy_rest(const std::string& path, const std::string& out, int64_t grown) {
  const fs::path folder = folder_of(path).empty() ? "." : folder_of(path), index = index_of(path);
  std::vector<std::string> left;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path& file = entry.path();
    const std::string name = file.filename().string();
    const fs::path copy = fs::path(out) / name;
    if (fs::exists(copy) || fs::equivalent(file, out, failed)) continue;  // a shard; the new folder
    if (!entry.is_regular_file() || (holds_weights(name) && name != index.filename())) {
      left.push_back(name);
      continue;
    }
    fs::copy_file(file, copy, failed);
    if (!failed) fs::permissions(copy, fs::perms::owner_write, fs::perm_options::add, failed);
    if (failed) fail("convert", "cannot copy ", file.string(), ": ", failed.message());
  }
  if (grown != 0 && !index.empty()) add_to_size(fs::path(out) / index.filename(), grown);
  if (left.empty()) return "";
  std::sort(left.begin(), left.end());
  return "Not copied, because only .safetensors files are converted: " +
         files::printable(join(left, ", ")) + "\n";
}

}  // namespace posenc::cli
