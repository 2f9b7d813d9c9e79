// array.h: arrays that own their memory, and the files that hold them: .npy and .safetensors.
#pragma once

#include <cstddef>
#include <map>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "posenc/tensor.h"

namespace posenc {

// Hands out memory that starts on a 64-byte boundary.
template <class T>
struct Aligned {
  using value_type = T;
  static constexpr std::align_val_t boundary{64};

  Aligned() = default;
  template <class U>
  explicit Aligned(const Aligned<U>&) {}

  T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), boundary)); }
  void deallocate(T* p, size_t) { ::operator delete(p, boundary); }
  bool operator==(const Aligned&) const = default;
};
using Bytes = std::vector<std::byte, Aligned<std::byte>>;

// A row-major array that owns its bytes; a copy is deep.
struct Array {
  DType dtype = DType::f32;
  std::vector<int64_t> shape{0};
  Bytes bytes;

  Tensor view() const;

  // The elements, where T is the type they have.
  template <class T>
  std::span<T> values() {
    if (dtype_of<T> != dtype) {
      fail("values", "expected ", to_string(dtype_of<T>), " elements, got ", to_string(dtype));
    }
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

// All elements zero.
Array make_array(DType dtype, std::vector<int64_t> shape);

using NamedArrays = std::vector<std::pair<std::string, Array>>;
using Metadata = std::map<std::string, std::string>;

// Everything of a supported dtype in the file, sorted by name. A .npy file gives one entry without
// a name. The content tells the format, not the extension; "-" is the standard input.
NamedArrays read_arrays(const std::string& path);

// The array called name, or without a name the only array of the file.
Array read_array(const std::string& path, const std::string& name = "");

// The "__metadata__" of a .safetensors file; empty for .npy.
Metadata read_metadata(const std::string& path);

// The extension tells the format. A .npy file takes one array and drops its name and the metadata.
void write_arrays(const std::string& path, const NamedArrays& arrays,
                  const Metadata& metadata = {});

// The same for files that lie in memory.
Array parse_npy(std::span<const std::byte> file);
NamedArrays parse_safetensors(std::span<const std::byte> file);
std::string format_npy(const Array& array);
std::string format_safetensors(const NamedArrays& arrays, const Metadata& metadata = {});

// What stands before the numbers in a file of one array, of which only type and shape are read.
std::string npy_start(const Array& like);
std::string safetensors_start(const std::string& name, const Array& like,
                              const Metadata& metadata = {});

}  // namespace posenc
