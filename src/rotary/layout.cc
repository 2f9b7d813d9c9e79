// layout.cc: weights from one pair layout to the other.
#include "posenc/layout.h"

#include "base/check.h"
#include "orders/orders.h"

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

Reordering reordering(Layout from, Layout to, const HeadSpan& span) {
  check_choices("convert_layout", from, "the layout");
  check_choices("convert_layout", to, "the layout");
  check_span(span);
  return {.first = span.rotary_offset < 0 ? span.dim + span.rotary_offset : span.rotary_offset,
          .pairs = span.rotary_dim.value_or(span.dim) / 2 / span.blocks,
          .blocks = span.blocks,
          .from_interleaved = from != Layout::half,
          .to_interleaved = to != Layout::half};
}

}  // namespace

std::vector<int64_t> layout_order(Layout from, Layout to, const HeadSpan& span) {
  const Reordering how = reordering(from, to, span);
  std::vector<int64_t> order(static_cast<size_t>(span.dim));
  for (int64_t f = 0; f < span.dim; ++f) order[static_cast<size_t>(f)] = how.source(f);
  return order;
}

void convert_layout(const Tensor& weight, const Tensor& out, Layout from, Layout to,
                    const HeadSpan& span, Stream stream) {
  const Reordering how = reordering(from, to, span);
  if (weight.rank < 1 || weight.rank > 2 || weight.size(0) != span.heads * span.dim)
    fail(ErrorKind::tensor, "convert_layout", "expected a weight [", span.heads * span.dim,
         "] or [", span.heads * span.dim, ", inputs] for ", span.heads, " heads of ", span.dim,
         ", got ", describe(weight));
  check_memory("convert_layout", "the weight", weight);
  check_same("convert_layout", "the output", out, weight);
  check_output("convert_layout", out);
  check_overlap("convert_layout", weight, out);
  run(ReorderOrder{.weight = weight, .out = out, .dim = span.dim, .how = how, .stream = stream});
}

}  // namespace posenc
