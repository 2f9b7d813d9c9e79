// gguf.cc: the start of a GGUF file: keys with their values, and where the tensors are.
#include "model/gguf/gguf.h"

#include <bit>
#include <limits>
#include <set>

#include "base/half.h"
#include "base/text.h"
#include "model/gguf/gguf_cursor.h"

namespace posenc::files {
namespace {

constexpr uint64_t most_keys = 1 << 16, most_tensors = 1 << 20;
constexpr uint64_t longest_name = 65535;  // of a key, as the format says, or a tensor
constexpr uint64_t longest_text = 4096, most_items = 1024;
constexpr int deepest = 8;  // lists inside each other

enum ValueType : uint32_t { u8, i8, u16, i16, u32, i32, f32, flag, text, list, u64, i64, f64 };
struct TypeInfo {
  uint64_t bytes;  // the least, where it varies
  std::string_view many;
};
constexpr TypeInfo value_types[] = {
    {1, "u8"},   {1, "i8"},    {2, "u16"},    {2, "i16"}, {4, "u32"}, {4, "i32"}, {4, "f32"},
    {1, "bool"}, {8, "texts"}, {12, "lists"}, {8, "u64"}, {8, "i64"}, {8, "f64"}};

// How many numbers of a type are in a block, and its bytes; by ggml's number of the type.
struct GgufBlock {
  uint32_t type;
  int64_t numbers, bytes;
};
constexpr GgufBlock blocks[] = {
    {0, 1, 4},      {1, 1, 2},      {2, 32, 18},   {3, 32, 20},    {6, 32, 22},    {7, 32, 24},
    {8, 32, 34},    {9, 32, 36},    {10, 256, 84}, {11, 256, 110}, {12, 256, 144}, {13, 256, 176},
    {14, 256, 210}, {15, 256, 292}, {16, 256, 66}, {17, 256, 74},  {18, 256, 98},  {19, 256, 50},
    {20, 32, 18},   {21, 256, 110}, {22, 256, 82}, {23, 256, 136}, {24, 1, 1},     {25, 1, 2},
    {26, 1, 4},     {27, 1, 8},     {28, 1, 8},    {29, 256, 56},  {30, 1, 2},     {31, 32, 18},
    {32, 32, 18},   {33, 32, 18},   {34, 256, 54}, {35, 256, 66},  {36, 32, 18},   {37, 32, 18},
    {38, 32, 18},   {39, 32, 17},   {40, 64, 36},  {41, 128, 18},  {42, 64, 18}};
constexpr uint32_t type_f32 = 0, type_f16 = 1, type_f64 = 28, type_bf16 = 30;

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string read_name(GgufCursor& in, std::string_view what) {
  const uint64_t begin = in.at();
  std::string name = in.text(longest_name, what);
  if (name.empty() || !is_utf8(name))
    in.source().refuse("expected ", what, " in UTF-8 at byte ", begin, ", got ", in_quotes(name));
  return name;
}

uint32_t read_type(GgufCursor& in, const std::string& key) {
  const uint64_t begin = in.at(), type = in.number(4, "the type of " + key);
  if (type >= std::size(value_types))
    in.source().refuse(key, ": expected a type of 0 to 12 at byte ", begin, ", got ", type);
  return static_cast<uint32_t>(type);
}

Json read_number(GgufCursor& in, uint32_t type, const std::string& key) {
  const uint64_t begin = in.at();
  const uint64_t raw = in.number(static_cast<int>(value_types[type].bytes), key);
  switch (type) {
    case i8:
      return {int64_t{static_cast<int8_t>(raw)}};
    case i16:
      return {int64_t{static_cast<int16_t>(raw)}};
    case i32:
      return {int64_t{static_cast<int32_t>(raw)}};
    case f32:
      return {double{bit_cast<float>(static_cast<uint32_t>(raw))}};
    case f64:
      return {bit_cast<double>(raw)};
    case flag:
      if (raw > 1) in.source().refuse(key, ": expected 0 or 1 at byte ", begin, ", got ", raw);
      return {raw == 1};
    case u64:
      if (raw > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        return {static_cast<double>(raw)};
      [[fallthrough]];
    default:
      return {static_cast<int64_t>(raw)};
  }
}

Json read_text(GgufCursor& in, const std::string& key) {
  const uint64_t length = in.number(8, key);
  if (length <= longest_text) return {printable(in.bytes(length, key))};
  in.skip(length, key);
  return {"(" + std::to_string(length) + " bytes)"};
}

Json read_value(GgufCursor& in, uint32_t type, const std::string& key, int depth);

Json read_list(GgufCursor& in, const std::string& key, int depth) {
  if (depth == deepest)
    in.source().refuse(key, ": expected at most ", deepest,
                       " lists inside each other, got more at byte ", in.at());
  const uint32_t type = read_type(in, key);
  const uint64_t count = in.number(8, "the length of " + key);
  in.check_count(count, value_types[type].bytes, value_types[type].many);
  const bool stored = count <= most_items && type != list, varies = type == text || type == list;
  JsonList items;
  if (!stored && !varies) in.skip(count * value_types[type].bytes, key);
  for (uint64_t i = 0; i < count && (stored || varies); ++i) {
    if (type == text && !stored)
      in.skip(in.number(8, key), key);
    else if (Json item = read_value(in, type, key, depth + 1); stored)
      items.push_back(std::move(item));
  }
  if (stored) return {std::move(items)};
  return {"(" + std::to_string(count) + " " + std::string(value_types[type].many) + ")"};
}

Json read_value(GgufCursor& in, uint32_t type, const std::string& key, int depth) {
  if (type == text) return read_text(in, key);
  return type == list ? read_list(in, key, depth) : read_number(in, type, key);
}

JsonObject read_keys(GgufCursor& in, uint64_t count) {
  JsonObject out;
  std::set<std::string> seen;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t begin = in.at();
    std::string key = read_name(in, "a key");
    const std::string shown = "key " + in_quotes(key);
    if (!seen.insert(key).second)
      in.source().refuse("expected every key once, got ", shown, " again at byte ", begin);
    const uint32_t type = read_type(in, shown);
    out.emplace_back(std::move(key), read_value(in, type, shown, 0));
  }
  return out;
}

uint64_t alignment_of(const Json& keys, const Source& source) {
  const Json* json = keys.find("general.alignment");
  if (!json) return 32;
  const auto* value = std::get_if<int64_t>(&json->value);
  if (!value || *value < 1 || *value > (1 << 30) ||
      !std::has_single_bit(static_cast<uint64_t>(*value)))
    source.refuse("expected a power of two as general.alignment, got ", brief(*json));
  return static_cast<uint64_t>(*value);
}

// Its bytes, from its type and shape.
uint64_t size_of(const GgufTensor& tensor, const std::string& shown, const Source& source) {
  const GgufBlock* block = nullptr;
  for (const GgufBlock& b : blocks)
    if (b.type == tensor.type) block = &b;
  if (!block) source.refuse(shown, ": expected a type of ggml of 0 to 42, got ", tensor.type);
  if (const auto fault = shape_fault(tensor.shape, 8 * block->bytes); !fault.empty())
    source.refuse(shown, ": ", fault);
  const int64_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
  if (row % block->numbers != 0)
    source.refuse(shown, ": expected rows of whole blocks of ", block->numbers, ", got ", row,
                  " numbers");
  const int64_t numbers = bits_of(tensor.shape, 1);
  return static_cast<uint64_t>(numbers / block->numbers * block->bytes);
}

GgufTensor read_tensor(GgufCursor& in) {
  GgufTensor out;
  out.name = read_name(in, "the name of a tensor");
  const std::string shown = "tensor " + in_quotes(out.name);
  const uint64_t dims = in.number(4, shown);
  if (dims > 4) in.source().refuse(shown, ": expected at most 4 sizes, got ", dims);
  out.shape.resize(dims);
  for (uint64_t i = dims; i-- > 0;) {
    const uint64_t size = in.number(8, shown);
    if (size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      in.source().refuse(shown, ": expected sizes of less than 2^63, got ", size);
    out.shape[i] = static_cast<int64_t>(size);
  }
  out.type = static_cast<uint32_t>(in.number(4, shown));
  out.begin = in.number(8, shown);
  out.bytes = size_of(out, shown, in.source());
  return out;
}

// Offsets count from the end of what is told of the tensors, filled to a whole alignment.
void place(std::vector<GgufTensor>& tensors, uint64_t told, uint64_t alignment,
           const Source& source) {
  const uint64_t begin = (told + alignment - 1) / alignment * alignment;
  const uint64_t size = source.size() > begin ? source.size() - begin : 0;
  for (GgufTensor& tensor : tensors) {
    const std::string shown = "tensor " + in_quotes(tensor.name);
    if (tensor.begin % alignment != 0)
      source.refuse(shown, ": expected an offset that is a multiple of ", alignment, ", got ",
                    tensor.begin);
    if (tensor.begin > size || tensor.bytes > size - tensor.begin)
      source.refuse(shown, ": expected ", tensor.bytes, " bytes at offset ", tensor.begin,
                    " of the data, got ", size, " bytes of data");
    tensor.begin += begin;
  }
}

uint32_t read_version(GgufCursor& in) {
  if (!in.source().starts_with("GGUF")) in.source().refuse("expected a file that starts with GGUF");
  in.skip(4, "GGUF");
  const auto version = static_cast<uint32_t>(in.number(4, "the version"));
  if (version != 0 && version % 65536 == 0)
    in.source().refuse("expected a little-endian file, got version ", version,
                       ": it was written for a big-endian machine");
  if (version != 2 && version != 3)
    in.source().refuse("expected version 2 or 3 of GGUF, got ", version);
  return version;
}

void check_most(uint64_t count, uint64_t most, std::string_view what, const Source& source) {
  if (count > most) source.refuse("expected at most ", most, " ", what, ", got ", count);
}

}  // namespace

const GgufTensor* Gguf::find(std::string_view name) const {
  for (const GgufTensor& tensor : tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

Gguf read_gguf_start(const Source& source) {
  GgufCursor in(source);
  Gguf out;
  out.version = read_version(in);
  const uint64_t tensors = in.number(8, "the number of tensors");
  const uint64_t keys = in.number(8, "the number of keys");
  check_most(tensors, most_tensors, "tensors", source);
  check_most(keys, most_keys, "keys", source);
  in.check_count(keys, 14, "keys");
  out.keys = {read_keys(in, keys)};
  in.check_count(tensors, 25, "tensors");
  std::set<std::string_view> seen;
  out.tensors.reserve(tensors);
  for (uint64_t i = 0; i < tensors; ++i) {
    out.tensors.push_back(read_tensor(in));
    if (!seen.insert(out.tensors.back().name).second)
      source.refuse("expected every tensor once, got ", in_quotes(out.tensors.back().name),
                    " again before byte ", in.at());
  }
  place(out.tensors, in.at(), alignment_of(out.keys, source), source);
  return out;
}

std::vector<double> gguf_numbers(const Source& source, const GgufTensor& tensor) {
  const std::string raw = source.text(tensor.begin, tensor.bytes);
  const auto at = [&]<class T>(size_t i, T) {
    T out;
    __builtin_memcpy(&out, raw.data() + i * sizeof(T), sizeof(T));
    return out;
  };
  const auto all = [&](auto sample, auto&& number) {
    std::vector<double> out(raw.size() / sizeof sample);
    for (size_t i = 0; i < out.size(); ++i) out[i] = number(at(i, sample));
    return out;
  };
  switch (tensor.type) {
    case type_f32:
      return all(float{}, [](float x) { return double{x}; });
    case type_f64:
      return all(double{}, [](double x) { return x; });
    case type_f16:
      return all(F16{}, [](F16 x) { return double{to_f32(x)}; });
    case type_bf16:
      return all(BF16{}, [](BF16 x) { return double{to_f32(x)}; });
    default:
      source.refuse("tensor ", in_quotes(tensor.name),
                    ": expected numbers of type F32, F16, BF16 or F64, got type ", tensor.type);
  }
}

}  // namespace posenc::files
