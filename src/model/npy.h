// npy.h: NumPy's .npy, versions 1.0 to 3.0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/array.h"
#include "model/source.h"

namespace posenc::files {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

Array load_npy(const Source& source);

// Everything before the data, byte for byte as NumPy writes it. where names the caller in messages.
std::string npy_header(const Array& array, std::string_view where);

// The three values of the dictionary that opens a file.
struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};
NpyHeader parse_npy_header(const std::string& text, const Source& source);

}  // namespace posenc::files
