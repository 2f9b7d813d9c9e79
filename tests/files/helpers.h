// helpers.h: what the tests of array files share.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "model/array.h"
#include "tests/support/message.h"

namespace posenc {

inline constexpr DType all_dtypes[] = {DType::f32,  DType::f64, DType::f16,
                                       DType::bf16, DType::i32, DType::i64};
inline const std::vector<std::vector<int64_t>> some_shapes = {
    {}, {0}, {1}, {5}, {2, 3}, {3, 0, 2}, {2, 1, 3, 2}, {1, 2, 1, 2, 1, 2, 1, 3}};

// An exact copy, so that a sanitizer sees the first byte read past the end.
inline std::vector<std::byte> bytes(std::string_view text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

// An array whose bytes all differ from their neighbours.
inline Array numbered(DType dtype, std::vector<int64_t> shape) {
  Array array = make_array(dtype, std::move(shape));
  for (size_t i = 0; i < array.bytes.size(); ++i) array.bytes[i] = static_cast<std::byte>(i + 1);
  return array;
}

inline void expect_same(const Array& a, const Array& b) {
  EXPECT_EQ(describe(a.view()), describe(b.view()));
  EXPECT_EQ(a.bytes, b.bytes) << describe(a.view());
}

// A folder of its own for each test, removed at the end.
class Folder : public testing::Test {
 protected:
  Folder() {
    std::string name = testing::TempDir() + "posenc-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~Folder() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }

  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  size_t count() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_;
};

}  // namespace posenc
