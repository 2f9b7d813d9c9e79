// shards.h: a model in one .safetensors file or in several.
#pragma once

#include <memory>

#include "model/safetensors.h"

namespace posenc::cli {

// A file of a model, open, and the name of the one to be written for it.
struct Shard {
  std::string in, out;
  std::unique_ptr<const files::Source> source;
  files::Index index = files::read_index(*source);
};
using Shards = std::vector<Shard>;

// Whether the path is that of a model in several files: a folder, or an index in one.
bool is_sharded(const std::string& path);

// Opens the files of a folder that its model.safetensors.index.json names, or without one every
// .safetensors file there; they are to be written to another folder. Throws Error.
Shards open_shards(const std::string& folder, const std::string& out);

// Copies what a model folder holds besides its shards: configuration, tokenizer, and the index,
// whose total_size changes by `grown` bytes. Weights in other files and folders inside, which were
// not converted, stay behind: returns a sentence that names them, or nothing.
std::string copy_rest(const std::string& folder, const std::string& out, int64_t grown = 0);

}  // namespace posenc::cli
