// rewrite.cc: header and data of a .safetensors file, pieced together anew.
#include "rewrite.h"

#include <algorithm>

#include "files/npy.h"
#include "files/output.h"
#include "files/safetensors.h"
#include "json.h"

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

// A place in the data and what is to stand there.
struct Patch {
  uint64_t begin, end;
  std::string_view bytes;
};

std::vector<Patch> patches_for(const std::string& path, const files::Index& index,
                               const NamedArrays& replaced) {
  std::vector<Patch> out;
  for (const auto& [name, array] : replaced)
    for (const auto& t : index.tensors)
      if (t.name == name && t.end - t.begin == array.bytes.size())
        out.push_back({index.data_begin + t.begin, index.data_begin + t.end, bytes_of(array)});
  if (out.size() != replaced.size())
    fail("rewrite", path, ": expected a file that rests, got one that changes");
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return out;
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

void rewrite(const std::string& in, const std::string& out, const NamedArrays& replaced,
             const Metadata& notes) {
  const files::Source source("rewrite", in);
  const auto index = files::read_index(source);
  const auto patches = patches_for(in, index, replaced);
  Json header = Json::parse(source.text(8, index.data_begin - 8));
  for (const auto& [key, value] : notes) header["__metadata__"][key] = value;
  std::vector<std::string> kept;
  uint64_t at = index.data_begin;
  for (const Patch& patch : patches) {
    kept.push_back(source.text(at, patch.begin - at));
    at = patch.end;
  }
  kept.push_back(source.text(at, source.size() - at));
  const std::string head = with_length(header.dump());
  std::vector<std::string_view> pieces{head};
  for (size_t i = 0; i < kept.size(); ++i) {
    pieces.push_back(kept[i]);
    if (i < patches.size()) pieces.push_back(patches[i].bytes);
  }
  atomic_write(out, pieces);
}

}  // namespace posenc::cli
