// tensor_files.cc: the headers of the .safetensors files of one model.
#include "model/tensors/tensor_files.h"

#include <filesystem>
#include <set>

#include "base/half.h"
#include "base/text.h"

namespace posenc::model {
namespace {

constexpr size_t most_files = 10000;
constexpr uint64_t longest_index = uint64_t{1} << 28;

// A name in the same folder: no way to another.
bool is_plain(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos &&
         name.find('\\') == name.npos && name.find('\0') == name.npos;
}

// All of NAME-00001-of-00003.safetensors and on; the path alone where it is called otherwise.
std::vector<std::string> shards_of(const std::string& path) {
  constexpr size_t digits = 5, tail = 2 * digits + 4;  // "00001-of-00003"
  constexpr std::string_view extension = ".safetensors";
  const size_t begin = path.size() - std::min(path.size(), tail + extension.size());
  const std::string number = path.substr(begin, tail);
  const auto is_digits = [](std::string_view text) {
    return text.find_first_not_of("0123456789") == text.npos;
  };
  if (!path.ends_with(extension) || number.size() != tail || number.substr(digits, 4) != "-of-" ||
      !is_digits(number.substr(0, digits)) || !is_digits(number.substr(digits + 4)))
    return {path};
  const int64_t count = std::stoll(number.substr(digits + 4));
  if (const int64_t own = std::stoll(number); own < 1 || own > count) return {path};
  std::vector<std::string> out;
  for (int64_t i = 1; i <= std::min<int64_t>(count, most_files); ++i) {
    const std::string own = std::to_string(i);
    out.push_back(path.substr(0, begin) + std::string(digits - own.size(), '0') + own +
                  number.substr(digits) + std::string(extension));
  }
  return out;
}

template <class T>
double number_of(T x) {
  if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>)
    return to_f32(x);
  else
    return static_cast<double>(x);
}

template <class T>
std::vector<double> all_numbers(Array& array) {
  std::vector<double> out;
  for (const T& x : array.values<T>()) out.push_back(number_of(x));
  return out;
}

}  // namespace

void TensorFiles::add(const std::string& path) {
  const files::Source source("read", path);
  files::Index index = files::read_index(source);
  for (files::Stored& stored : index.tensors)
    tensors_.push_back({files_.size(), std::move(stored)});
  files_.push_back({path, index.data_begin});
  for (const auto& [key, value] : index.metadata)
    if (key.starts_with("posenc.") && value.starts_with("layout "))
      layouts_.emplace_back(key.substr(7), value.substr(7));
}

std::vector<std::string> TensorFiles::add_all(const std::string& path) {
  std::vector<std::string> missing;
  for (const std::string& shard : shards_of(path)) {
    std::error_code ignored;
    const bool there = std::filesystem::exists(shard, ignored);
    there ? add(shard) : missing.push_back(std::filesystem::path(shard).filename().string());
  }
  return missing;
}

std::vector<double> TensorFiles::numbers(const HeldTensor& tensor, int64_t most) const {
  const File& file = files_[tensor.file];
  const files::Source source("read", file.path);
  const int64_t count = files::bits_of(tensor.stored.shape, 1);
  if (count > most)
    source.refuse("tensor ", files::in_quotes(tensor.stored.name), ": expected at most ", most,
                  " numbers, got ", count);
  files::Index index;
  index.data_begin = file.data_begin;
  Array array = files::load(source, index, tensor.stored);
  switch (array.dtype) {
    case DType::f32:
      return all_numbers<float>(array);
    case DType::f64:
      return all_numbers<double>(array);
    case DType::f16:
      return all_numbers<F16>(array);
    case DType::bf16:
      return all_numbers<BF16>(array);
    case DType::i32:
      return all_numbers<int32_t>(array);
    default:
      return all_numbers<int64_t>(array);
  }
}

TensorFiles files_beside(const std::string& folder) {
  namespace fs = std::filesystem;
  TensorFiles out;
  const fs::path index = fs::path(folder) / "model.safetensors.index.json";
  const fs::path single = fs::path(folder) / "model.safetensors";
  if (fs::exists(index)) {
    const files::Source source("read", index.string());
    if (source.size() > longest_index)
      source.refuse("expected an index of at most ", longest_index, " bytes, got ", source.size());
    const files::Json json = files::parse_json("read", source.text(0, source.size()));
    for (const std::string& path : files_of_index(index.string(), json))
      if (fs::exists(path)) out.add(path);
  } else if (fs::exists(single)) {
    out.add(single.string());
  } else {
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().filename().string().find("-00001-of-") != std::string::npos &&
          entry.path().extension() == ".safetensors")
        out.add_all(entry.path().string());
  }
  return out;
}

std::vector<std::string> files_of_index(const std::string& path, const files::Json& index) {
  const files::Json* map = index.find("weight_map");
  if (!map || !map->object())
    fail(ErrorKind::data, "read", path, ": expected an object as weight_map, got ",
         map ? files::brief(*map) : "none");
  std::set<std::string> names;
  for (const auto& [tensor, file] : *map->object()) {
    const auto* name = std::get_if<std::string>(&file.value);
    if (!name || !is_plain(*name))
      fail(ErrorKind::data, "read", path,
           ": expected the name of a file in the same folder for tensor ", files::in_quotes(tensor),
           ", got ", files::brief(file));
    names.insert(*name);
  }
  if (names.size() > most_files)
    fail(ErrorKind::data, "read", path, ": expected at most ", most_files, " files, got ",
         names.size());
  const auto folder = std::filesystem::path(path).parent_path();
  std::vector<std::string> out;
  out.reserve(names.size());
  for (const std::string& name : names) out.push_back((folder / name).string());
  return out;
}

}  // namespace posenc::model
