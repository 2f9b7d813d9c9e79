// rotate_fast.cu: decides whether an order takes the fast path, and fills the parameters of its
// kernels.
#include "cuda/rotate_fast.h"

#include <algorithm>

namespace posenc::cuda {
namespace {

// Whether no feature and no head is left as it is somewhere else.
bool leaves_nothing(const RotateOrder& order, const RotaryHeads& h) {
  return h.in.rank == 0 || h.in.data == h.out.data ||
         (order.row() == order.span.dim && h.count == h.in.size(-2));
}

bool is_plain(const RotateOrder& order) {
  return order.span.blocks == 1 && order.span.layout != Layout::interleaved_in_half_out &&
         order.span.pairs > 0 && leaves_nothing(order, order.q) && leaves_nothing(order, order.k);
}

// Where halves of heads are shorter than a line of memory, 128 bytes, or there is much to do.
bool by_lines(const DeviceStream& stream, const PlainCall& c, int64_t head_bytes) {
  const int64_t packs = c.all_tokens * (c.q.count + c.k.count) * head_bytes / 16;
  return head_bytes <= line_bytes &&
         (head_bytes < 256 || packs >= int64_t{stream.processors()} * 65536);
}

}  // namespace

bool find_side(const RotaryHeads& h, int64_t first_feature, PlainSide& out) {
  if (h.in.rank == 0) return true;
  const bool writes = h.out.rank > 0;
  const View in(h.in, 3), to(writes ? h.out : h.in, 3);
  const auto small = [](int64_t step) { return step == static_cast<int>(step); };
  if (h.count == 0 || in.axes > 1 || to.axes > 1 || !in.aligned(3) || !to.aligned(3) ||
      !small(in.last[0]) || !small(in.last[1]) || !small(to.last[0]) || !small(to.last[1]) ||
      first_feature * size_of(h.in.dtype) % 16 != 0)
    return false;
  const int64_t size = size_of(h.in.dtype);
  out.in = in.data + (h.first * in.last[1] + first_feature) * size;
  out.out = writes ? to.data + (h.first * to.last[1] + first_feature) * size : nullptr;
  out.in_row = in.step[0], out.out_row = to.step[0];
  out.in_token = static_cast<int>(in.last[0]), out.out_token = static_cast<int>(to.last[0]);
  out.in_head = static_cast<int>(in.last[1]), out.out_head = static_cast<int>(to.last[1]);
  out.count = static_cast<int>(h.count);
  return true;
}

bool find_sides(const RotateOrder& order, int64_t first_feature, PlainCall& c) {
  const int64_t rows = View(order.any(), 3).rows, tokens = order.at.tokens;
  c.batched = rows > 1, c.tokens = Divider(std::max<int64_t>(tokens, 1));
  c.all_tokens = rows * tokens;
  return tokens < INT32_MAX && find_side(order.q, first_feature, c.q) &&
         find_side(order.k, first_feature, c.k);
}

bool rotate_plainly(const DeviceStream& stream, const RotateOrder& order) {
  const DType dtype = order.any().dtype;
  const int64_t pairs = order.span.pairs, pack = 16 / size_of(dtype);
  const bool halves = order.span.layout == Layout::half;
  if (dtype == DType::f64 || !is_plain(order) || pairs % (halves ? pack : pack / 2) != 0)
    return false;
  PlainCall c{};
  if (!find_sides(order, order.span.first, c) || !find_plain_angles(stream, order, c.angles))
    return false;
  c.apart = static_cast<int>(pairs);
  c.back = order.way == Way::adjoint;
  const bool lines = halves && by_lines(stream, c, 2 * pairs * size_of(dtype));
  lines ? rotate_by_lines(stream, c, dtype) : rotate_by_packs(stream, c, dtype, halves);
  return true;
}

}  // namespace posenc::cuda
