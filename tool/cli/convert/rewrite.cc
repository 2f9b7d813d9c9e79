// rewrite.cc: header and data of a .safetensors file, pieced together anew.
#include "cli/convert/rewrite.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "cli/json.h"
#include "cli/sink.h"
#include "model/npy.h"

namespace posenc::cli {
namespace {

std::string with_length(std::string header) {
  header.append((8 - header.size() % 8) % 8, ' ');
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(header.size() >> (8 * i));
  return out + header;
}

std::string_view bytes_of(const Array& array) {
  return {reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()};
}

using InOrder = std::vector<const files::Stored*>;

InOrder as_they_lie(const files::Index& index) {
  InOrder out;
  for (const auto& tensor : index.tensors) out.push_back(&tensor);
  std::sort(out.begin(), out.end(), [](const auto* a, const auto* b) {
    return std::tie(a->begin, a->end) < std::tie(b->begin, b->end);
  });
  return out;
}

void copy(const files::Source& source, uint64_t begin, uint64_t end, std::span<std::byte> through,
          const Sink& out) {
  while (begin < end) {
    const auto part = through.first(std::min(through.size(), static_cast<size_t>(end - begin)));
    source.read(begin, part);
    out({reinterpret_cast<const char*>(part.data()), part.size()});
    begin += part.size();
  }
}

// Where tensors lie once some have other shapes.
void move_offsets(Json& header, const InOrder& tensors, const Shapes& shapes) {
  uint64_t begin = 0;
  for (const files::Stored* t : tensors) {
    uint64_t size = t->end - t->begin;
    if (const auto shape = shapes.find(t->name); shape != shapes.end()) {
      size = static_cast<uint64_t>(files::bits_of(shape->second, 8 * size_of(*t->supported())) / 8);
      header[t->name]["shape"] = shape->second;
    }
    header[t->name]["data_offsets"] = files::JsonList{begin, begin + size};
    begin += size;
  }
}

}  // namespace

bool holds_npy(const std::string& path) {
  return files::Source("read", path).starts_with(files::npy_magic);
}

std::string only_tensor(const std::string& path) {
  for (const auto& t : files::read_index(files::Source("read", path)).tensors)
    if (t.supported()) return t.name;
  return "";
}

void rewrite(const files::Source& source, const files::Index& index, const std::string& out,
             const Replacement& replacement, const Metadata& notes, const Watch& watch,
             const Shapes& shapes) {
  const InOrder tensors = as_they_lie(index);
  Json header = files::parse_json("rewrite", source.text(8, index.data_begin - 8));
  for (const auto& [key, value] : notes) header["__metadata__"][key] = value;
  if (!shapes.empty()) move_offsets(header, tensors, shapes);
  std::vector<std::byte> through(1 << 22);
  write_to(out, [&](const Sink& sink) {
    sink(with_length(files::write_json(header)));
    for (const files::Stored* t : tensors) {
      const uint64_t begin = index.data_begin + t->begin, end = index.data_begin + t->end;
      watch(static_cast<double>(begin) / static_cast<double>(source.size()));
      const Array* array = replacement(*t);
      array ? sink(bytes_of(*array)) : copy(source, begin, end, through, sink);
    }
  });
}

void rewrite(const std::string& in, const std::string& out, const NamedArrays& replaced,
             const Metadata& notes) {
  const files::Source source("rewrite", in);
  const auto index = files::read_index(source);
  const auto replacement = [&](const files::Stored& t) -> const Array* {
    for (const auto& [name, array] : replaced)
      if (name == t.name && array.bytes.size() == t.end - t.begin) return &array;
    return nullptr;
  };
  const auto found = std::count_if(index.tensors.begin(), index.tensors.end(),
                                   [&](const auto& t) { return replacement(t) != nullptr; });
  if (found != std::ssize(replaced))
    fail("rewrite", in, ": expected a file that rests, got one that changes");
  rewrite(source, index, out, replacement, notes, [](double) {});
}

}  // namespace posenc::cli
