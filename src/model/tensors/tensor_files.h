// tensor_files.h: the headers of the .safetensors files of one model.
#pragma once

#include "base/json.h"
#include "model/safetensors.h"

namespace posenc::model {

// A tensor, and the file it is in.
struct HeldTensor {
  size_t file;
  files::Stored stored;
};

class TensorFiles {
 public:
  // Reads the header of a file, in the name of `read`.
  void add(const std::string& path);

  // Reads those of a model in several files, of which the path is one: NAME-00001-of-00003, ...
  // Those that are not there are told.
  std::vector<std::string> add_all(const std::string& path);

  const std::vector<HeldTensor>& tensors() const { return tensors_; }
  const std::string& path_of(const HeldTensor& tensor) const { return files_[tensor.file].path; }
  // What `posenc convert` left in the files: the layout of tensors that it moved.
  const std::vector<std::pair<std::string, std::string>>& layouts() const { return layouts_; }
  // All its numbers; an Error where there are more than `most`, or where it has another type than
  // those that can be read.
  std::vector<double> numbers(const HeldTensor& tensor, int64_t most) const;

 private:
  struct File {
    std::string path;
    uint64_t data_begin;
  };
  std::vector<File> files_;
  std::vector<HeldTensor> tensors_;
  std::vector<std::pair<std::string, std::string>> layouts_;
};

// Those of the files in a folder that are there: that of an index, one alone, or several.
TensorFiles files_beside(const std::string& folder);

// The files that an index names, beside it. Refuses names that lead elsewhere.
std::vector<std::string> files_of_index(const std::string& path, const files::Json& index);

}  // namespace posenc::model
