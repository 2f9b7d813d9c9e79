// safetensors.cc: checking, reading and writing .safetensors.
#include "model/safetensors.h"

#include <algorithm>
#include <tuple>

#include "base/json_reader.h"
#include "base/text.h"

namespace posenc::files {
namespace {

constexpr uint64_t longest_header = 100'000'000;  // the limit of the reference reader
constexpr std::string_view safetensors_types = "F32, F64, F16, BF16, I32 or I64";
constexpr std::string_view names[] = {"F32", "F64", "F16", "BF16", "I32", "I64"};  // by DType

// Bits of an element of every dtype of the format; 0 for a name that is none.
int64_t bits_named(std::string_view dtype) {
  static constexpr std::pair<std::string_view, int64_t> bits[] = {
      {"BOOL", 8},        {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
      {"I8", 8},          {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
      {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
      {"I32", 32},        {"U32", 32},    {"F32", 32},    {"C64", 64},    {"F64", 64},
      {"I64", 64},        {"U64", 64}};
  for (const auto& [name, count] : bits) {
    if (name == dtype) return count;
  }
  return 0;
}

// Refuses a tensor whose dtype, shape and size do not fit each other.
void check(const Stored& tensor, const Source& source) {
  const std::string whose = "tensor " + in_quotes(tensor.name) + ": ";
  const int64_t bits = bits_named(tensor.dtype);
  if (!bits) source.refuse(whose, "expected a dtype such as F32, got ", in_quotes(tensor.dtype));
  if (const auto fault = shape_fault(tensor.shape, bits); !fault.empty()) {
    source.refuse(whose, fault);
  }
  const int64_t total = bits_of(tensor.shape, bits);
  if (total % 8 != 0) source.refuse(whose, "expected whole bytes, got ", total, " bits");
  if (tensor.end < tensor.begin || tensor.end - tensor.begin != static_cast<uint64_t>(total / 8)) {
    source.refuse(whose, "expected ", total / 8, " bytes for ", tensor.dtype, " ",
                  shape_text(tensor.shape), ", got data_offsets ", tensor.begin, " to ",
                  tensor.end);
  }
}

// Refuses data that does not fill the file without holes and overlaps.
void check(std::vector<Stored>& tensors, uint64_t size, const Source& source) {
  std::sort(tensors.begin(), tensors.end(), [](const Stored& a, const Stored& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  uint64_t end = 0;
  for (const Stored& tensor : tensors) {
    check(tensor, source);
    if (tensor.begin != end) {
      source.refuse("tensor ", in_quotes(tensor.name), ": expected data from byte ", end,
                    " on, where the one before ends, got ", tensor.begin);
    }
    end = tensor.end;
  }
  if (end != size) source.refuse("expected ", end, " bytes of data, got ", size);
}

// Widest elements first, as the reference writer does, so that all data is aligned.
bool lies_before(const std::pair<std::string, Array>* a, const std::pair<std::string, Array>* b) {
  constexpr int rank[] = {3, 4, 0, 1, 2, 5};  // by DType
  const int left = rank[static_cast<size_t>(a->second.dtype)];
  const int right = rank[static_cast<size_t>(b->second.dtype)];
  return left != right ? left > right : a->first < b->first;
}

std::string json_string(const std::string& text, std::string_view where) {
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(utf8_length(rest)))
    if (utf8_length(rest) == 0)
      fail(where, "expected names and metadata in UTF-8, got ", in_quotes(text));
  return json_text(text);
}

std::string json_metadata(const Metadata& metadata, std::string_view where) {
  std::string out = "\"__metadata__\":{";
  for (const auto& [key, value] : metadata) {
    if (out.back() != '{') out += ',';
    out += json_string(key, where) + ':' + json_string(value, where);
  }
  return out + '}';
}

uint64_t bytes_of(const Array& array) {
  return static_cast<uint64_t>(bits_of(array.shape, 8 * size_of(array.dtype)) / 8);
}

std::string json_tensor(const Array& array, uint64_t begin) {
  std::string shape = shape_text(array.shape);
  std::erase(shape, ' ');
  return "{\"dtype\":\"" + name_of(array.dtype) + "\",\"shape\":" + shape + ",\"data_offsets\":[" +
         std::to_string(begin) + ',' + std::to_string(begin + bytes_of(array)) + "]}";
}

}  // namespace

std::string name_of(DType dtype) { return std::string(names[static_cast<size_t>(dtype)]); }

std::optional<DType> Stored::supported() const {
  const auto* const at = std::find(std::begin(names), std::end(names), dtype);
  if (at == std::end(names)) return {};
  return static_cast<DType>(at - std::begin(names));
}

std::vector<std::string> Index::names() const {
  std::vector<std::string> out;
  for (const Stored& tensor : tensors) out.push_back(tensor.name);
  return out;
}

Index read_index(const Source& source) {
  if (source.size() < 8) {
    source.refuse("expected the 8 bytes of a header length, got ", source.size());
  }
  const uint64_t length = source.little_endian(0, 8);
  if (length > longest_header || length > source.size() - 8) {
    source.refuse("expected a .safetensors header of at most ",
                  std::min(longest_header, source.size() - 8), " bytes, got a length of ", length);
  }
  Index index = parse_safetensors_header(source.text(8, length), source);
  index.data_begin = 8 + length;
  check(index.tensors, source.size() - index.data_begin, source);
  std::sort(index.tensors.begin(), index.tensors.end(),
            [](const Stored& a, const Stored& b) { return a.name < b.name; });
  return index;
}

Array load(const Source& source, const Index& index, const Stored& tensor) {
  const auto dtype = tensor.supported();
  if (!dtype) {
    source.refuse("tensor ", in_quotes(tensor.name), ": expected ", safetensors_types, ", got ",
                  tensor.dtype);
  }
  Array array = make_array(*dtype, tensor.shape);
  source.read(index.data_begin + tensor.begin, array.bytes);
  return array;
}

NamedArrays load_safetensors(const Source& source) {
  const Index index = read_index(source);
  NamedArrays arrays;
  for (const Stored& tensor : index.tensors) {
    if (tensor.supported()) arrays.emplace_back(tensor.name, load(source, index, tensor));
  }
  if (arrays.empty() && !index.tensors.empty()) load(source, index, index.tensors[0]);
  return arrays;
}

std::string safetensors_header(std::vector<const std::pair<std::string, Array>*>& arrays,
                               const Metadata& metadata, std::string_view where) {
  std::sort(arrays.begin(), arrays.end(), lies_before);
  std::string text = "{";
  if (!metadata.empty()) text += json_metadata(metadata, where);
  uint64_t begin = 0;
  for (const auto* entry : arrays) {
    if (text.size() > 1) text += ',';
    text += json_string(entry->first, where) + ':' + json_tensor(entry->second, begin);
    begin += bytes_of(entry->second);
  }
  text += '}';
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string length;
  for (int i = 0; i < 8; ++i) length += static_cast<char>(text.size() >> (8 * i));
  return length + text;
}

}  // namespace posenc::files
