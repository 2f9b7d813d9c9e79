// sets.h: the tensors of cases.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/cuda/graph.h"

namespace posenc::bench {

std::string text(const auto&... parts) {
  std::string out;
  const auto add = [&](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>) {
      out += std::to_string(part);
    } else {
      out += part;
    }
  };
  (add(parts), ...);
  return out;
}

inline std::string size_name(int64_t n) {
  return n % (1 << 20) == 0 ? text(n >> 20, "M") : n % 1024 == 0 ? text(n >> 10, "k") : text(n);
}

// How many sets, so that no cache holds them all. A step of decoding has one: it finds its few
// bytes in the cache, where the layer before left them.
inline int sets_for(int64_t bytes) {
  constexpr int64_t cached = int64_t{256} << 20;
  return bytes < (8 << 20) ? 1 : static_cast<int>(std::clamp<int64_t>(cached / bytes, 1, 16));
}

// A tensor of each set.
struct Sets {
  std::vector<Buffer> all;
  Sets(int count, int64_t bytes) {
    for (int i = 0; i < count; ++i) all.emplace_back(bytes);
  }
  const Buffer& operator[](int i) const { return all[static_cast<size_t>(i) % all.size()]; }
};
using Shared = std::shared_ptr<const Sets>;
inline Shared make_sets(int count, int64_t bytes) {
  return std::make_shared<const Sets>(count, bytes);
}

// One tensor for all sets: numbers of the host, or zeros.
using SharedBuffer = std::shared_ptr<const Buffer>;
template <class T>
SharedBuffer on_device(const std::vector<T>& numbers) {
  const auto bytes = static_cast<int64_t>(numbers.size() * sizeof(T));
  auto out = std::make_shared<const Buffer>(bytes);
  check_cuda(
      cudaMemcpy(out->data(), numbers.data(), static_cast<size_t>(bytes), cudaMemcpyHostToDevice),
      "cudaMemcpy");
  return out;
}
inline SharedBuffer zeros_on_device(int64_t bytes) {
  auto out = std::make_shared<const Buffer>(bytes);
  check_cuda(cudaMemset(out->data(), 0, static_cast<size_t>(bytes)), "cudaMemset");
  return out;
}

// What is compared: four numbers from the given one on, of a row that is near enough for phases in
// f32.
inline Tensor four(const Buffer& b, DType dtype, int64_t first) {
  Tensor t = b.tensor(dtype, {4});
  t.data = static_cast<char*>(t.data) + first * size_of(dtype);
  return t;
}
inline int64_t compared_row(int64_t tokens) { return std::min<int64_t>(tokens, 4096) - 1; }

// Numbers from 0 to below `end`, scattered; they differ where end is a power of two that is at
// least `count`.
inline int64_t scattered(int64_t i, int64_t end) {
  const bool is_power = (end & (end - 1)) == 0;
  return (is_power ? i * 2654435761 : (i * 2654435761 & 0xffffffff) >> 12) % end;
}
inline SharedBuffer scattered_ids(int64_t count, int64_t end) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < count; ++i) ids.push_back(static_cast<int32_t>(scattered(i, end)));
  return on_device(ids);
}

}  // namespace posenc::bench
