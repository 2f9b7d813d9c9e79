// read.cc: a path, and what kind of model file it is.
#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "model/families/families.h"
#include "model/formats.h"

namespace posenc::model {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t longest_config = uint64_t{1} << 28;

// Members of one take the place of the other's, and it is told where they say something else.
void put_over(Json& whole, const Json& keys, const std::string& name, Journal& journal) {
  auto& members = std::get<files::JsonObject>(whole.value);
  for (const auto& [key, value] : *keys.object()) {
    const auto at = std::find_if(members.begin(), members.end(),
                                 [&, &wanted = key](const auto& m) { return m.first == wanted; });
    if (at == members.end()) {
      members.emplace_back(key, value);
      continue;
    }
    if (is_about_positions(key) && !same_value(at->second, value))
      journal.note(NoteKind::conflict, "",
                   name + "." + key + " = " + files::brief(at->second) + " is not read: " + name +
                       "_dict." + key + " = " + files::brief(value) + " is");
    at->second = value;
  }
}

// CLIP's files of before text_config was whole: what text_config_dict says stands in its place.
bool join_dicts(Json& tree, Journal& journal) {
  auto* members = std::get_if<files::JsonObject>(&tree.value);
  bool any = false;
  for (const std::string key : {"text_config", "vision_config", "audio_config"}) {
    const Json* found = tree.find(key + "_dict");
    if (!found || !found->object()) continue;
    const Json older = *found;
    const auto is_older = [&](const auto& member) { return member.first == key + "_dict"; };
    members->erase(std::find_if(members->begin(), members->end(), is_older));
    const auto at = std::find_if(members->begin(), members->end(),
                                 [&](const auto& member) { return member.first == key; });
    if (at == members->end() || !at->second.object()) {
      if (at != members->end()) members->erase(at);
      members->emplace_back(key, older);
    } else {
      put_over(at->second, older, key, journal);
    }
    any = true;
  }
  return any;
}

Model read_configuration(const Config& config) {
  if (config.has({"text_config_dict", "vision_config_dict", "audio_config_dict"})) {
    Json joined = config.json();
    if (join_dicts(joined, config.journal()))
      return read_configuration(Config(joined, config.journal(), config.path()));
  }
  Model out;
  out.format = "config.json";
  const Reading reading{config, type_of_config(config), "text", out.components};
  out.family = reading.type;
  read_whole(reading);
  config.report_unread();
  out.notes = config.journal().notes;
  return out;
}

Model read_json(const std::string& path, const files::Source& source, std::string_view as_type) {
  if (source.size() > longest_config)
    source.refuse("expected a configuration of at most ", longest_config, " bytes, got ",
                  source.size());
  const Json json = files::parse_json("read", source.text(0, source.size()));
  if (!json.object()) source.refuse("expected an object, got ", files::brief(json));
  if (json.find("weight_map")) return read_tensor_index(path, json);
  Journal journal;
  journal.as_type = as_type;
  const Config config(json, journal);
  const bool meta = as_type.empty() && !config.has({"model_type", "architectures"}) &&
                    config.has("dim") && config.has("n_layers") && config.has("n_heads");
  return meta ? read_params(config) : read_configuration(config);
}

// The file of a folder that says most.
std::string chosen_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    names.push_back(entry.path().filename().string());
  if (error) fail(ErrorKind::data, "read", folder, ": cannot read: ", error.message());
  std::sort(names.begin(), names.end());
  const auto path = [&](const std::string& name) { return (fs::path(folder) / name).string(); };
  for (const char* name : {"config.json", "params.json", "model.safetensors.index.json"})
    if (std::binary_search(names.begin(), names.end(), name)) return path(name);
  for (const char* extension : {".safetensors", ".gguf"})
    for (const std::string& name : names)
      if (name.ends_with(extension)) return path(name);
  fail(ErrorKind::data, "read", folder,
       ": expected config.json, params.json, .safetensors or .gguf in the folder, got ",
       names.empty() ? "nothing" : files::listed(names));
}

Model read_file(const std::string& path, std::string_view as_type) {
  const files::Source source("read", path);
  if (!as_type.empty() && !path.ends_with(".json"))
    source.refuse("expected a config.json to be read as ", as_type);
  if (source.starts_with("GGUF")) return read_gguf(source);
  // Before JSON is thought of: the length that a header begins with may look like " {".
  if (path.ends_with(".safetensors")) return read_tensors(path);
  if (source.starts_with("\xef\xbb\xbf"))
    source.refuse(
        "expected JSON in UTF-8 without a byte order mark, got one that starts with it: other "
        "readers refuse it too");
  const std::string start = source.text(0, std::min<uint64_t>(source.size(), 256));
  const size_t first = start.find_first_not_of(" \t\r\n");
  if (first != start.npos && start[first] == '{') return read_json(path, source, as_type);
  source.refuse(
      "expected a config.json, params.json, .safetensors or GGUF file, got one that "
      "starts with ",
      files::in_quotes(start.substr(0, 8)));
}

}  // namespace

const Value* Component::find(std::string_view fact) const {
  const auto at =
      std::find_if(facts.begin(), facts.end(), [&](const auto& f) { return f.first == fact; });
  return at == facts.end() ? nullptr : &at->second;
}

Model read(const std::string& path, std::string_view as_type) {
  files::check_path("read", path);
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored);
  const std::string file = folder ? chosen_in(path) : path;
  try {
    Model out = read_file(file, as_type);
    out.path = path;
    if (folder && out.format == "config.json") compare_with_tensors(out, path);
    return out;
  } catch (const Error& error) {  // which file it is, where the sentence does not say
    if (error.sentence().find(path) != std::string_view::npos) throw;
    fail(error.kind, "read", file, ": ", error.sentence());
  }
}

Model read_config(std::string_view json, std::string_view as_type) {
  return read_config_tree(files::parse_json("read", json), as_type);
}

Model read_config_tree(const Json& tree, std::string_view as_type) {
  if (!tree.object()) fail(ErrorKind::data, "read", "expected an object, got ", files::brief(tree));
  Journal journal;
  journal.as_type = as_type;
  return read_configuration(Config(tree, journal));
}

}  // namespace posenc::model
