// rewrite.h: a .safetensors file in which some tensors get other numbers.
#pragma once

#include "files/array.h"

namespace posenc::cli {

bool holds_npy(const std::string& path);

// The name of the only tensor of a .safetensors file that can be read.
std::string only_tensor(const std::string& path);

// Writes the file `in` as `out`, which may be the same, with the bytes of some tensors replaced by
// as many others and some metadata added; every other byte of data stays as it is, whatever its
// type.
void rewrite(const std::string& in, const std::string& out, const NamedArrays& replaced,
             const Metadata& notes);

}  // namespace posenc::cli
