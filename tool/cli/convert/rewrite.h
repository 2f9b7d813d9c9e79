// rewrite.h: a .safetensors file in which some tensors get other numbers.
#pragma once

#include <functional>

#include "model/safetensors.h"

namespace posenc::cli {

bool holds_npy(const std::string& path);

// The name of the only tensor of a .safetensors file that can be read.
std::string only_tensor(const std::string& path);

// The new numbers of a tensor, until the next call; null: the old ones stay.
using Replacement = std::function<const Array*(const files::Stored&)>;
// Is told which part of a file is done, 0 .. 1.
using Watch = std::function<void(double)>;

// Writes the file again as `out`, which may be the same, with other numbers in some tensors and
// some metadata added; every other byte of data stays as it is, whatever its type. Memory holds one
// replaced tensor at a time. A tensor that gets another shape is among `shapes`.
using Shapes = std::map<std::string, std::vector<int64_t>>;
void rewrite(const files::Source& source, const files::Index& index, const std::string& out,
             const Replacement& replacement, const Metadata& notes, const Watch& watch,
             const Shapes& shapes = {});

// The same with arrays of the names and sizes of tensors of the file `in`.
void rewrite(const std::string& in, const std::string& out, const NamedArrays& replaced,
             const Metadata& notes);

}  // namespace posenc::cli
