// files.h: model files that tests write themselves, and what is read of them.
#pragma once

#include <cmath>
#include <cstring>

#include "model/config.h"
#include "model/formats.h"
#include "posenc/model.h"
#include "tests/files/helpers.h"

namespace posenc::model {

template <class T>
std::string raw(T value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

// A GGUF file in the making.
struct GgufFile {
  uint32_t version = 3;
  uint64_t alignment = 32;
  std::string keys{}, infos{}, data{};
  uint64_t key_count = 0, tensor_count = 0;

  static std::string text(std::string_view s) { return raw<uint64_t>(s.size()) + std::string(s); }

  GgufFile& value(std::string_view key, uint32_t type, std::string_view bytes) {
    keys += text(key) + raw(type) + std::string(bytes);
    ++key_count;
    return *this;
  }
  GgufFile& u32(std::string_view key, uint32_t x) { return value(key, 4, raw(x)); }
  GgufFile& f32(std::string_view key, float x) { return value(key, 6, raw(x)); }
  GgufFile& flag(std::string_view key, bool x) { return value(key, 7, raw<uint8_t>(x)); }
  GgufFile& string(std::string_view key, std::string_view s) { return value(key, 8, text(s)); }
  // A list of elements that are written already.
  GgufFile& list(std::string_view key, uint32_t type, const std::vector<std::string>& items) {
    std::string bytes = raw(type) + raw<uint64_t>(items.size());
    for (const std::string& item : items) bytes += item;
    return value(key, 9, bytes);
  }
  template <class T>
  GgufFile& numbers(std::string_view key, uint32_t type, const std::vector<T>& items) {
    std::vector<std::string> bytes;
    for (const T item : items) bytes.push_back(raw(item));
    return list(key, type, bytes);
  }

  // Sizes as the file has them, the contiguous one first.
  GgufFile& info(std::string_view name, const std::vector<uint64_t>& sizes, uint32_t type,
                 uint64_t offset) {
    infos += text(name) + raw<uint32_t>(static_cast<uint32_t>(sizes.size()));
    for (const uint64_t size : sizes) infos += raw(size);
    infos += raw(type) + raw(offset);
    ++tensor_count;
    return *this;
  }
  GgufFile& tensor(std::string_view name, const std::vector<uint64_t>& sizes, uint32_t type,
                   std::string_view bytes) {
    info(name, sizes, type, data.size());
    data += bytes;
    data.resize((data.size() + alignment - 1) / alignment * alignment);
    return *this;
  }
  GgufFile& floats(std::string_view name, const std::vector<float>& numbers) {
    std::string bytes;
    for (const float x : numbers) bytes += raw(x);
    return tensor(name, {numbers.size()}, 0, bytes);
  }

  std::string bytes() const {
    std::string out = "GGUF" + raw(version) + raw(tensor_count) + raw(key_count) + keys + infos;
    out.resize((out.size() + alignment - 1) / alignment * alignment);
    return out + data;
  }
  Model read() const {
    const auto file = posenc::bytes(bytes());
    return read_gguf(files::Source("read", file));
  }
};

// The keys that every model has, with 4 heads of 64.
inline GgufFile gguf(std::string_view architecture, uint32_t layers = 2) {
  const std::string a = std::string(architecture) + ".";
  GgufFile out;
  out.string("general.architecture", architecture)
      .u32(a + "block_count", layers)
      .u32(a + "context_length", 4096)
      .u32(a + "embedding_length", 256)
      .u32(a + "attention.head_count", 4);
  return out;
}

// A .safetensors file of zeros: names with shapes, in their order.
inline std::string tensors(
    const std::vector<std::pair<std::string, std::vector<int64_t>>>& shapes) {
  NamedArrays arrays;
  for (const auto& [name, shape] : shapes) arrays.emplace_back(name, make_array(DType::f32, shape));
  return format_safetensors(arrays);
}

// A .safetensors file with the frequencies of a rotation in one tensor.
inline std::string inv_freq_file(const std::string& name, int64_t pairs, double base) {
  Array array = make_array(DType::f32, {pairs});
  for (int64_t i = 0; i < pairs; ++i)
    array.values<float>()[static_cast<size_t>(i)] =
        static_cast<float>(std::pow(base, -static_cast<double>(i) / static_cast<double>(pairs)));
  return format_safetensors({{name, array}});
}

// A fact as text, whole numbers without an exponent; "(none)" where it is not told.
inline std::string fact(const Component& part, std::string_view name) {
  const Value* value = part.find(name);
  const auto* number = value ? std::get_if<double>(value) : nullptr;
  if (number && std::floor(*number) == *number && std::abs(*number) < 1e15)
    return std::to_string(static_cast<int64_t>(*number));
  return value ? text::write(*value) : "(none)";
}

inline const Component& only(const Model& model) {
  EXPECT_EQ(model.components.size(), 1u);
  return model.components.at(0);
}
inline const Rope& rope_of(const Component& part) { return std::get<Rope>(part.ready.value()); }

inline std::string notes_of(const Model& model) {
  std::string out;
  for (const Note& note : model.notes)
    out += std::string(enum_name(note.kind)) + ": " + note.text + "\n";
  return out;
}

inline void expect_note(const Model& model, std::string_view part) {
  EXPECT_NE(notes_of(model).find(part), std::string::npos) << "wanted: " << part << "\ngot:\n"
                                                           << notes_of(model);
}

}  // namespace posenc::model
