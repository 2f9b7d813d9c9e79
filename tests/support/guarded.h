// guarded.h: a strided view inside memory that notices every write beside it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "posenc/tensor.h"

namespace posenc {

// How the elements of a view lie in memory.
enum class Placement {
  dense,
  padded,    // a gap after each row
  spaced,    // gaps between elements, and after each row
  reversed,  // every stride negative
  swapped,   // the last axis is the slowest
};
inline constexpr Placement all_placements[] = {Placement::dense, Placement::padded,
                                               Placement::spaced, Placement::reversed,
                                               Placement::swapped};

// Every byte starts as 0xff, so that what is not written, or read from a gap, is NaN (or id -1).
class Guarded {
 public:
  Guarded(DType dtype, const std::vector<int64_t>& shape, Placement placement = Placement::dense) {
    view_ = tensor(nullptr, dtype, shape);
    const int64_t length = place(placement);
    memory_.assign(static_cast<size_t>((length + 2 * guard) * size_of(dtype)), canary);
    view_.data = memory_.data() + (guard + first_) * size_of(dtype);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  const Tensor& view() const { return view_; }
  const std::vector<unsigned char>& bytes() const { return memory_; }

  // Whether all bytes outside the view are as they were.
  bool intact() const {
    auto rest = memory_;
    const auto size = static_cast<size_t>(size_of(view_.dtype));
    for (int64_t n = 0; n < view_.elements(); ++n)
      std::memset(rest.data() + offset(n), canary, size);
    return std::all_of(rest.begin(), rest.end(), [](unsigned char b) { return b == canary; });
  }

 private:
  static constexpr unsigned char canary = 0xff;
  static constexpr int64_t guard = 64;  // elements before and after

  // Sets the strides and returns how many elements lie between the first and the last.
  int64_t place(Placement placement) {
    const auto rank = static_cast<size_t>(view_.rank);
    std::vector<size_t> axes(rank);  // the fastest first
    std::iota(axes.rbegin(), axes.rend(), size_t{0});
    if (placement == Placement::swapped) std::rotate(axes.begin(), axes.begin() + 1, axes.end());
    int64_t step = placement == Placement::spaced ? 2 : 1;
    for (size_t axis : axes) {
      view_.stride[axis] = step;
      step *= std::max<int64_t>(view_.shape[axis], 1);
      if (placement == Placement::padded || placement == Placement::spaced) step += 3;
    }
    if (placement == Placement::reversed)
      for (size_t axis = 0; axis < rank; ++axis) {
        first_ += view_.stride[axis] * std::max<int64_t>(view_.shape[axis] - 1, 0);
        view_.stride[axis] *= -1;
      }
    return step;
  }

  size_t offset(int64_t n) const {
    int64_t at = guard + first_;
    for (int i = view_.rank - 1; i >= 0; --i) {
      at += n % view_.size(i) * view_.step(i);
      n /= view_.size(i);
    }
    return static_cast<size_t>(at * size_of(view_.dtype));
  }

  std::vector<unsigned char> memory_;
  Tensor view_;
  int64_t first_ = 0;
};

}  // namespace posenc
