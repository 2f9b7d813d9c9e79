// layout.cc: weights from one pair layout to the other.
#include "posenc/layout.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace posenc {
namespace {

void check_span(const HeadSpan& s) {
  check_size("convert_layout", "heads", s.heads);
  check_size("convert_layout", "dim", s.dim);
  const int64_t turning = s.rotary_dim.value_or(s.dim);
  if (turning < 0 || turning > s.dim || turning % 2 != 0)
    fail("convert_layout", "expected rotary_dim even and from 0 to ", s.dim, ", got ", turning);
  const int64_t first = s.rotary_offset < 0 ? s.dim + s.rotary_offset : s.rotary_offset;
  if (first < 0 || first > s.dim - turning)
    fail("convert_layout", "expected rotary_offset from ", -s.dim, " to ", s.dim - turning,
         ", got ", s.rotary_offset);
  if (s.blocks < 1 || turning / 2 % s.blocks != 0)
    fail("convert_layout", "expected blocks that divide the ", turning / 2, " pairs, got ",
         s.blocks);
}

// Where number `half` (a or b) of pair k stands.
int64_t place(bool interleaved, int64_t pairs, int64_t k, int64_t half) {
  return interleaved ? 2 * k + half : half * pairs + k;
}

}  // namespace

std::vector<int64_t> layout_order(Layout from, Layout to, const HeadSpan& span) {
  check_choices("convert_layout", from, "the layout");
  check_choices("convert_layout", to, "the layout");
  check_span(span);
  const int64_t first = span.rotary_offset < 0 ? span.dim + span.rotary_offset : span.rotary_offset;
  const int64_t pairs = span.rotary_dim.value_or(span.dim) / 2 / span.blocks;
  std::vector<int64_t> order(static_cast<size_t>(span.dim));
  for (int64_t f = 0; f < span.dim; ++f) order[static_cast<size_t>(f)] = f;
  for (int64_t b = 0; b < span.blocks; ++b)
    for (int64_t k = 0; k < pairs; ++k)
      for (const int64_t half : {0, 1}) {
        const int64_t begin = first + 2 * b * pairs;
        const int64_t there = begin + place(to != Layout::half, pairs, k, half);
        order[static_cast<size_t>(there)] = begin + place(from != Layout::half, pairs, k, half);
      }
  return order;
}

void convert_layout(const Tensor& weight, const Tensor& out, Layout from, Layout to,
                    const HeadSpan& span, Stream) {
  const auto order = layout_order(from, to, span);
  if (weight.rank < 1 || weight.rank > 2 || weight.size(0) != span.heads * span.dim)
    fail(ErrorKind::tensor, "convert_layout", "expected a weight [", span.heads * span.dim,
         "] or [", span.heads * span.dim, ", inputs] for ", span.heads, " heads of ", span.dim,
         ", got ", describe(weight));
  check_memory("convert_layout", "the weight", weight);
  check_same("convert_layout", "the output", out, weight);
  check_output("convert_layout", out);
  check_overlap("convert_layout", weight, out);
  const int64_t columns = weight.rank == 2 ? weight.size(1) : 1, size = size_of(weight.dtype);
  const auto at = [&](const Tensor& t, int64_t row, int64_t column) {
    return static_cast<char*>(t.data) +
           (row * t.step(0) + (t.rank == 2 ? column * t.step(1) : 0)) * size;
  };
  // A head goes through a buffer, some columns at a time, so that out may be the weight.
  constexpr int64_t together = 64;
  const bool dense = weight.rank == 2 && weight.step(1) == 1 && out.step(1) == 1;
  std::vector<char> head(static_cast<size_t>(span.dim * together * size));
  for (int64_t h = 0; h < span.heads; ++h)
    for (int64_t first = 0; first < columns; first += together) {
      const int64_t n = std::min(together, columns - first), run = dense ? n : 1;
      for (int64_t f = 0; f < span.dim; ++f)
        for (int64_t c = 0; c < n; c += run)
          std::memcpy(head.data() + (f * n + c) * size, at(weight, h * span.dim + f, first + c),
                      static_cast<size_t>(run * size));
      for (int64_t f = 0; f < span.dim; ++f)
        for (int64_t c = 0; c < n; c += run)
          std::memcpy(at(out, h * span.dim + f, first + c),
                      head.data() + (order[static_cast<size_t>(f)] * n + c) * size,
                      static_cast<size_t>(run * size));
    }
}

}  // namespace posenc
