// scratch.h: memory for the length of a call, from a pool to which earlier calls gave theirs back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace posenc {

// Aligned to 64 bytes; any thread may take and give. The pool holds at most 64 MiB.
struct Memory {
  void* data = nullptr;
  size_t bytes = 0;
};
Memory take_memory(size_t bytes);
void give_memory(Memory memory);
// Empties the pool.
void release_memory();

// So many numbers, not set to anything; up to kFew of them lie in the object itself.
template <class T, size_t kFew = 0>
class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(int64_t count) : count_(count) {
    const auto n = static_cast<size_t>(count);
    if (n > kFew) memory_ = take_memory(n * sizeof(T));
  }
  Scratch(int64_t count, T value) : Scratch(count) { std::fill(begin(), end(), value); }
  Scratch(Scratch&& other) noexcept requires(kFew == 0)
      : memory_(std::exchange(other.memory_, {})), count_(std::exchange(other.count_, 0)) {}
  Scratch& operator=(Scratch&& other) noexcept requires(kFew == 0) {
    std::swap(memory_, other.memory_), std::swap(count_, other.count_);
    return *this;
  }
  ~Scratch() {
    if (memory_.data) give_memory(memory_);
  }

  T* data() { return memory_.data ? static_cast<T*>(memory_.data) : few_; }
  const T* data() const { return memory_.data ? static_cast<const T*>(memory_.data) : few_; }
  int64_t size() const { return count_; }
  T* begin() { return data(); }
  T* end() { return data() + count_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + count_; }
  T& operator[](int64_t i) { return data()[i]; }
  const T& operator[](int64_t i) const { return data()[i]; }

 private:
  Memory memory_;
  int64_t count_ = 0;
  T few_[kFew > 0 ? kFew : 1];
};

}  // namespace posenc
