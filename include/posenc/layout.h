// layout.h: which two features of a head form a pair that rotates together.
//
//   half                     a0 a1 a2 | b0 b1 b2     pairs (k, k + n); "NeoX", rotate_half
//   interleaved              a0 b0 a1 b1 a2 b2       pairs (2k, 2k + 1); "GPT-J", complex numbers
//   interleaved_in_half_out  reads a0 b0 a1 b1 a2 b2, writes a0 a1 a2 | b0 b1 b2
//
// A wrong layout raises no error; it only makes a model worse. So there is no default layout.
// "Interleaved" refers to pairs only; axes that take turns are called alternating.
#pragma once

#include <vector>

#include "posenc/field.h"

namespace POSENC_PUBLIC posenc {

enum class Layout : uint8_t { half, interleaved, interleaved_in_half_out };
constexpr auto enum_names(Layout) {
  return names({"half", "interleaved", "interleaved-in-half-out"});
}

// The rotating features of every head of a weight; see rope.h for rotary_dim and rotary_offset.
struct HeadSpan {
  int64_t heads = 1, dim = 128;
  std::optional<int64_t> rotary_dim{};
  int64_t rotary_offset = 0;
  int64_t blocks = 1;
};

// Entry i: which feature of a head in layout `from` becomes feature i in layout `to`.
std::vector<int64_t> layout_order(Layout from, Layout to, const HeadSpan& span);

// Reorders weights that make or scale queries or keys, so that a model trained with one layout
// gives the same scores with the other: rows of a projection [heads * dim, inputs], a bias [heads *
// dim], gains of a norm over a head [dim] (heads = 1). Any element type; out may be the weight.
void convert_layout(const Tensor& weight, const Tensor& out, Layout from, Layout to,
                    const HeadSpan& span, Stream stream = {});

}  // namespace posenc
