// safetensors.h: Hugging Face's .safetensors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/array.h"
#include "model/source.h"

namespace posenc::files {

// One tensor as the header tells it; begin and end count from the end of the header.
struct Stored {
  std::string name, dtype;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;

  std::optional<DType> supported() const;  // our name for the dtype, where we have one
};

// What the format calls the dtype.
std::string name_of(DType dtype);

// All that a file says about itself, checked; tensors are sorted by name.
struct Index {
  std::vector<Stored> tensors;
  Metadata metadata;
  uint64_t data_begin = 0;

  std::vector<std::string> names() const;
};
Index read_index(const Source& source);

// Only the JSON: what each tensor claims, unchecked and in the order of the file.
Index parse_safetensors_header(const std::string& text, const Source& source);

Array load(const Source& source, const Index& index, const Stored& tensor);
NamedArrays load_safetensors(const Source& source);

// Sorts arrays as they shall lie in the file, and gives everything before the data; reads only
// their types and shapes.
std::string safetensors_header(std::vector<const std::pair<std::string, Array>*>& arrays,
                               const Metadata& metadata, std::string_view where);

}  // namespace posenc::files
