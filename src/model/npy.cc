// npy.cc: reading and writing NumPy's .npy.
#include "model/npy.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "base/text.h"

namespace posenc::files {
namespace {

static_assert(std::endian::native == std::endian::little, "data is copied as it lies in the file");

constexpr uint64_t longest_npy_header = 10000;  // NumPy's own limit
constexpr std::string_view npy_types = "f4, f8, f2, i4 or i8";

std::optional<DType> dtype_named(std::string_view kind_and_size) {
  if (kind_and_size == "f4") return DType::f32;
  if (kind_and_size == "f8") return DType::f64;
  if (kind_and_size == "f2") return DType::f16;
  if (kind_and_size == "i4") return DType::i32;
  if (kind_and_size == "i8") return DType::i64;
  return {};
}

DType dtype_of_descr(const std::string& descr, const Source& source) {
  const bool ordered = !descr.empty() && std::string_view("<>=|").find(descr[0]) != descr.npos;
  const auto dtype = ordered ? dtype_named(std::string_view(descr).substr(1)) : std::nullopt;
  if (dtype) return *dtype;
  if (ordered && descr.substr(1) == "V2") {
    source.refuse("expected elements of type ", npy_types, ", got ", in_quotes(descr),
                  ", which is what NumPy makes of bf16: store bf16 as .safetensors");
  }
  source.refuse("expected elements of type ", npy_types, ", got ", in_quotes(descr));
}

// Reads version and header; sets begin to where the data starts.
NpyHeader read_header(const Source& source, uint64_t& begin) {
  const uint64_t major = source.little_endian(6, 1), minor = source.little_endian(7, 1);
  if (major < 1 || major > 3 || minor != 0) {
    source.refuse("expected .npy version 1.0, 2.0 or 3.0, got ", major, ".", minor);
  }
  const int width = major == 1 ? 2 : 4;
  const uint64_t length = source.little_endian(8, width);
  begin = 8 + static_cast<uint64_t>(width);
  if (length > longest_npy_header) {
    source.refuse("expected a header of at most ", longest_npy_header, " bytes, got ", length);
  }
  if (length > source.size() - begin) {
    source.refuse("expected ", length, " bytes of header, got ", source.size() - begin);
  }
  const std::string text = source.text(begin, length);
  begin += length;
  return parse_npy_header(text, source);
}

void swap_each(std::span<std::byte> bytes, size_t item) {
  for (size_t i = 0; i < bytes.size(); i += item) {
    std::reverse(bytes.data() + i, bytes.data() + i + item);
  }
}

// The same array in row-major order; its bytes come with the first axis fastest.
Bytes row_major(const Bytes& bytes, const Tensor& t) {
  const auto item = static_cast<size_t>(size_of(t.dtype));
  Bytes out(bytes.size());
  Dims index{};
  int64_t to = 0;
  for (size_t from = 0; from < bytes.size(); from += item) {
    std::memcpy(out.data() + static_cast<size_t>(to) * item, bytes.data() + from, item);
    for (int i = 0; i < t.rank; ++i) {
      const auto axis = static_cast<size_t>(i);
      to += t.stride[axis];
      if (++index[axis] < t.shape[axis]) break;
      to -= t.stride[axis] * t.shape[axis];
      index[axis] = 0;
    }
  }
  return out;
}

std::string tuple_text(std::span<const int64_t> shape) {
  std::string out = "(";
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

Array load_npy(const Source& source) {
  if (source.size() < 10 || !source.starts_with(npy_magic)) {
    source.refuse("expected a .npy file, which starts with \\x93NUMPY, a version and a length, ",
                  "got ", in_quotes(source.text(0, std::min<uint64_t>(source.size(), 10))));
  }
  uint64_t begin = 0;
  NpyHeader header = read_header(source, begin);
  const DType dtype = dtype_of_descr(header.descr, source);
  const int64_t bits = 8 * size_of(dtype);
  if (const auto fault = shape_fault(header.shape, bits); !fault.empty()) source.refuse(fault);
  const auto size = static_cast<uint64_t>(bits_of(header.shape, bits) / 8);
  if (size != source.size() - begin) {
    source.refuse("expected ", size, " bytes of data for ", to_string(dtype), " ",
                  shape_text(header.shape), ", got ", source.size() - begin);
  }
  Array array = make_array(dtype, std::move(header.shape));
  source.read(begin, array.bytes);
  if (header.descr[0] == '>') swap_each(array.bytes, static_cast<size_t>(size_of(dtype)));
  if (header.fortran_order) array.bytes = row_major(array.bytes, array.view());
  return array;
}

std::string npy_header(const Array& array, std::string_view where) {
  if (array.dtype == DType::bf16) {
    fail(where,
         "expected f32, f64, f16, i32 or i64 for .npy, got bf16, which NumPy does not know: "
         "use .safetensors");
  }
  constexpr std::string_view descrs[] = {"f4", "f8", "f2", "", "i4", "i8"};
  std::string text = "{'descr': '<";
  text += descrs[static_cast<size_t>(array.dtype)];
  text += "', 'fortran_order': False, 'shape': " + tuple_text(array.shape) + ", }";
  // NumPy leaves room for the first size to grow to 21 digits, then fills up to 64 bytes.
  if (!array.shape.empty()) text.append(21 - std::to_string(array.shape[0]).size(), ' ');
  text.append(64 - (10 + text.size() + 1) % 64, ' ');
  text += '\n';
  const auto low = static_cast<char>(text.size() & 255), high = static_cast<char>(text.size() >> 8);
  return std::string(npy_magic) + std::string{1, 0, low, high} + text;
}

}  // namespace posenc::files
