// formats.h: what each kind of file says of a model.
#pragma once

#include "model/config.h"
#include "model/source.h"

namespace posenc::model {

// Throws Error where there is no file or folder of that name, which may be meant as a hub's name of
// a model; `wanted` is what to download.
void check_exists(std::string_view where, const std::string& path, std::string_view wanted);

// A config.json as a tree.
Model read_config_tree(const Json& tree, std::string_view as_type = {});

// A GGUF file, version 2 or 3.
Model read_gguf(const files::Source& source);

// The header of a .safetensors file, or of every file that an index names.
Model read_tensors(const std::string& path);
Model read_tensor_index(const std::string& path, const Json& index);

// Meta's params.json.
Model read_params(const Config& params);

// Compares what a configuration says with the tensors that lie beside it: tables of other shapes,
// frequencies that are stored.
void compare_with_tensors(Model& model, const std::string& folder);

// The tensor of that name among the files of a folder, of which either may lack the prefix of a
// model.
struct TensorAt {
  std::string file, name;
};
std::optional<TensorAt> tensor_in(const std::string& folder, std::string_view name);

}  // namespace posenc::model
