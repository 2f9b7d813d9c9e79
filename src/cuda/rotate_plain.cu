// rotate_plain.cu: whether a turn is one of those that most models need, and what its kernels are
// told.
#include "cuda/rotate_plain.h"

#include <algorithm>

namespace posenc::cuda {
namespace {

// False where batch rows do not lie at one distance, packs are not aligned, or a head is too far
// from the next.
bool find_side(const TurningHeads& h, int64_t first_feature, PlainSide& out, int64_t& in_row,
               int64_t& out_row) {
  if (h.in.rank == 0) return true;
  const View in(h.in, 3), to(h.out, 3);
  const auto small = [](int64_t step) { return step == static_cast<int>(step); };
  if (h.count == 0 || in.axes > 1 || to.axes > 1 || !in.aligned(3) || !to.aligned(3) ||
      !small(in.last[0]) || !small(in.last[1]) || !small(to.last[0]) || !small(to.last[1]) ||
      first_feature * size_of(h.in.dtype) % 16 != 0)
    return false;
  const int64_t size = size_of(h.in.dtype);
  out.in = in.data + (h.first * in.last[1] + first_feature) * size;
  out.out = to.data + (h.first * to.last[1] + first_feature) * size;
  in_row = in.step[0], out_row = to.step[0];
  out.in_token = static_cast<int>(in.last[0]), out.out_token = static_cast<int>(to.last[0]);
  out.in_head = static_cast<int>(in.last[1]), out.out_head = static_cast<int>(to.last[1]);
  out.count = static_cast<int>(h.count);
  return true;
}

// Whether no feature and no head is left as it is somewhere else.
bool leaves_nothing(const TurnOrder& order, const TurningHeads& h) {
  return h.in.rank == 0 || h.in.data == h.out.data ||
         (order.row() == order.span.dim && h.count == h.in.size(-2));
}

bool is_plain(const TurnOrder& order) {
  const RowSource& rows = order.rows;
  return order.way != Way::inverse && !order.magnitudes.any() && order.row_heads == 1 &&
         order.span.blocks == 1 && order.span.layout != Layout::interleaved_in_half_out &&
         order.span.pairs > 0 && order.at.tokens < INT32_MAX && order.at.whole() &&
         rows.axes == 1 && leaves_nothing(order, order.q) && leaves_nothing(order, order.k) &&
         (rows.table || (!rows.waves.f32_product && rows.waves.shift_part == 0));
}

// Cosines and sines that someone else made, as kept rows; false where their layout is another.
bool use_table(const Table& t, PlainCall& c) {
  const auto fits = [](const Tensor& part) {
    return part.dtype == DType::f32 && part.step(1) == 1 && part.step(0) % 4 == 0 &&
           reinterpret_cast<uintptr_t>(part.data) % 16 == 0;
  };
  if (t.more.rank == 0 || t.offset != 0 || t.factor != 1 || !fits(t.rows) || !fits(t.more) ||
      t.rows.step(0) != t.more.step(0))
    return false;
  c.cosines = static_cast<const float*>(t.rows.data),
  c.sines = static_cast<const float*>(t.more.data);
  c.kept_rows = t.rows.size(0), c.row_step = t.rows.step(0), c.nowhere = true;
  return true;
}

void use_waves(const Place& place, const RowSource& source, int64_t pairs, PlainCall& c) {
  const DeviceRows rows = rows_on(place, source);
  c.hi = rows.waves.hi + pairs, c.lo = rows.waves.lo + pairs;
  c.shift = rows.waves.shift_whole, c.end = rows.end;
  c.amplitude = split_amplitude(source.waves.amplitude[0]);
  c.mirrored = source.waves.amplitude[static_cast<size_t>(pairs)] < 0;
  c.cosines = rows.kept, c.sines = rows.kept + pairs;
  c.kept_rows = rows.kept_rows, c.row_step = rows.dim;
}

}  // namespace

bool turn_plainly(const Place& place, const TurnOrder& order) {
  const DType dtype = order.any().dtype;
  const int64_t pairs = order.span.pairs, pack = 16 / size_of(dtype);
  const bool halves = order.span.layout == Layout::half;
  if (dtype == DType::f64 || !is_plain(order) || pairs % (halves ? pack : pack / 2) != 0)
    return false;
  PlainCall c{};
  if (!find_side(order.q, order.span.first, c.q, c.q_in_row, c.q_out_row) ||
      !find_side(order.k, order.span.first, c.k, c.k_in_row, c.k_out_row))
    return false;
  c.end = INT64_MAX;
  if (order.rows.table) {
    if (!use_table(*order.rows.table, c)) return false;
  } else {
    use_waves(place, order.rows, pairs, c);
  }
  c.at = DevicePlaces(order.at), c.kind = c.at.kind, c.first = c.at.first,
  c.apart = static_cast<int>(pairs);
  const int64_t rows = View(order.any(), 3).rows;
  c.batched = rows > 1, c.tokens = Divider(std::max<int64_t>(order.at.tokens, 1));
  c.all_tokens = rows * order.at.tokens;
  c.back = order.way == Way::adjoint;
  const bool lines = halves && pairs * size_of(dtype) < 128;
  lines ? turn_by_lines(place, c, dtype) : turn_by_packs(place, c, dtype, halves);
  return true;
}

}  // namespace posenc::cuda
