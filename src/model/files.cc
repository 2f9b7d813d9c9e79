// files.cc: from a path to arrays and back.
#include <algorithm>

#include "base/text.h"
#include "model/array.h"
#include "model/npy.h"
#include "model/output.h"
#include "model/safetensors.h"

namespace posenc {
namespace {

using files::Index;
using files::Source;

// The bytes of a file in pieces: a header, then arrays.
struct FileBytes {
  std::string header;
  std::vector<std::string_view> pieces{};

  void add(const Array& array) {
    pieces.emplace_back(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  }
};

// Whether the file is .npy and not .safetensors; refuses what it knows to be something else.
bool is_npy(const Source& source) {
  if (source.starts_with(files::npy_magic)) return true;
  constexpr std::string_view wanted = "expected a .npy or .safetensors file, got ";
  if (source.size() == 0) source.refuse(wanted, "an empty file");
  if (source.starts_with("PK\x03\x04"))
    source.refuse(wanted, "a zip: unpack an .npz, and save what torch.load reads as .safetensors");
  if (source.starts_with("GGUF")) source.refuse(wanted, "GGUF");
  // A .safetensors file begins with the length of its header, whose first byte may be any.
  if (source.size() >= 8 && source.little_endian(0, 8) <= source.size() - 8) return false;
  if (source.starts_with("{")) source.refuse(wanted, "text that begins with {, such as JSON");
  if (source.starts_with("\x80")) source.refuse(wanted, "a Python pickle, which is not read");
  return false;
}

void check_shape(const Array& array, std::string_view where) {
  const int64_t bits = 8 * size_of(array.dtype);
  if (const auto fault = files::shape_fault(array.shape, bits); !fault.empty()) fail(where, fault);
}

// Refuses an array whose bytes are not what its dtype and shape say.
void check(const Array& array, std::string_view where) {
  check_shape(array, where);
  const int64_t bits = 8 * size_of(array.dtype);
  if (const int64_t size = files::bits_of(array.shape, bits) / 8;
      static_cast<uint64_t>(size) != array.bytes.size()) {
    fail(where, "expected ", size, " bytes for ", describe(array.view()), ", got ",
         array.bytes.size());
  }
}

void check_names(const NamedArrays& arrays, std::string_view where) {
  std::vector<std::string> names;
  for (const auto& entry : arrays) names.push_back(entry.first);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) fail(where, "expected each name once, got ", files::in_quotes(*twice));
  if (std::binary_search(names.begin(), names.end(), "__metadata__")) {
    fail(where, "expected the name of a tensor, got __metadata__, which the format keeps");
  }
}

FileBytes lay_out_npy(const Array& array, std::string_view where) {
  check(array, where);
  FileBytes file{files::npy_header(array, where)};
  file.add(array);
  return file;
}

FileBytes lay_out_safetensors(const NamedArrays& arrays, const Metadata& metadata,
                              std::string_view where) {
  check_names(arrays, where);
  std::vector<const std::pair<std::string, Array>*> order;
  for (const auto& entry : arrays) {
    check(entry.second, where);
    order.push_back(&entry);
  }
  FileBytes file{files::safetensors_header(order, metadata, where)};
  for (const auto* entry : order) file.add(entry->second);
  return file;
}

std::string joined(const FileBytes& file) {
  std::string out = file.header;
  for (const auto piece : file.pieces) out += piece;
  return out;
}

// The tensor called name, or without a name the only one.
const files::Stored& choose(const Source& source, const Index& index, const std::string& name) {
  if (index.tensors.empty()) source.refuse("expected a tensor, got a file that holds none");
  if (name.empty() && index.tensors.size() == 1) return index.tensors[0];
  for (const auto& tensor : index.tensors) {
    if (tensor.name == name && !name.empty()) return tensor;
  }
  const std::string held = "; the file holds " + files::listed(index.names());
  if (name.empty()) source.refuse("expected --tensor NAME, got none", held);
  source.refuse("expected the name of a tensor, got ", files::in_quotes(name), held);
}

}  // namespace

NamedArrays read_arrays(const std::string& path) {
  const Source source("read_arrays", path);
  if (!is_npy(source)) return files::load_safetensors(source);
  NamedArrays arrays;
  arrays.emplace_back("", files::load_npy(source));
  return arrays;
}

Array read_array(const std::string& path, const std::string& name) {
  const Source source("read_array", path);
  if (!is_npy(source)) {
    const Index index = files::read_index(source);
    return files::load(source, index, choose(source, index, name));
  }
  if (!name.empty()) {
    source.refuse("expected no tensor name for a .npy file, got ", files::in_quotes(name));
  }
  return files::load_npy(source);
}

Metadata read_metadata(const std::string& path) {
  const Source source("read_metadata", path);
  return is_npy(source) ? Metadata() : files::read_index(source).metadata;
}

void write_arrays(const std::string& path, const NamedArrays& arrays, const Metadata& metadata) {
  FileBytes file;
  if (path.ends_with(".safetensors")) {
    file = lay_out_safetensors(arrays, metadata, "write_arrays");
  } else if (!path.ends_with(".npy")) {
    fail("write_arrays", "expected a name that ends in .npy or .safetensors, got ", path);
  } else if (arrays.size() != 1) {
    fail("write_arrays", "expected one array for ", path, ", got ", arrays.size(),
         ": use .safetensors");
  } else {
    file = lay_out_npy(arrays[0].second, "write_arrays");
  }
  file.pieces.insert(file.pieces.begin(), file.header);
  atomic_write(path, file.pieces);
}

Array parse_npy(std::span<const std::byte> file) {
  return files::load_npy(Source("parse_npy", file));
}

NamedArrays parse_safetensors(std::span<const std::byte> file) {
  return files::load_safetensors(Source("parse_safetensors", file));
}

std::string format_npy(const Array& array) { return joined(lay_out_npy(array, "format_npy")); }

std::string format_safetensors(const NamedArrays& arrays, const Metadata& metadata) {
  return joined(lay_out_safetensors(arrays, metadata, "format_safetensors"));
}

std::string npy_start(const Array& like) {
  check_shape(like, "npy_start");
  return files::npy_header(like, "npy_start");
}

std::string safetensors_start(const std::string& name, const Array& like,
                              const Metadata& metadata) {
  check_shape(like, "safetensors_start");
  const std::pair<std::string, Array> entry{name, {like.dtype, like.shape, {}}};
  std::vector<const std::pair<std::string, Array>*> order{&entry};
  return files::safetensors_header(order, metadata, "safetensors_start");
}

}  // namespace posenc
