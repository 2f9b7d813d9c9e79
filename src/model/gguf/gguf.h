// gguf.h: the container of llama.cpp's models, versions 2 and 3: what it says before the data.
//
// Only the start of a file is read, whatever its size; of tensors those that are asked for.
#pragma once

#include "base/json.h"
#include "model/source.h"

namespace posenc::files {

// One tensor; the sizes in the order of PyTorch, the contiguous one last (the file has it first).
struct GgufTensor {
  std::string name;
  std::vector<int64_t> shape;
  uint32_t type = 0;
  uint64_t begin = 0, bytes = 0;  // from the start of the file
};

struct Gguf {
  uint32_t version = 0;
  Json keys{
      JsonObject{}};  // in their order; a long list or text is told as a text: "(32000 texts)"
  std::vector<GgufTensor> tensors;

  const GgufTensor* find(std::string_view name) const;
};

// Throws Error of kind data that names the byte or the key.
Gguf read_gguf_start(const Source& source);

// The numbers of a tensor of type F32, F16, BF16 or F64.
std::vector<double> gguf_numbers(const Source& source, const GgufTensor& tensor);

}  // namespace posenc::files
