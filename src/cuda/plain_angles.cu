// plain_angles.cu: whether the angles of a rotation are plain, and where they come from.
#include "cuda/plain_angles.h"

#include <algorithm>

namespace posenc::cuda {
namespace {

// Whether keys have phases in addition to the angles of their positions.
bool have_phases(const RowSource& rows, int64_t pairs) {
  const auto first = rows.waves.phase.begin() + pairs;  // of the sines
  return !rows.shapes.empty() &&
         std::any_of(first, first + pairs, [](const Turn phase) { return phase != 0; });
}

bool are_plain(const RotateOrder& order) {
  const RowSource& rows = order.rows;
  return order.way != Way::inverse && !order.magnitudes.any() && order.row_heads == 1 &&
         order.span.pairs > 0 && order.at.whole() && rows.axes == 1 &&
         (rows.table || (!rows.waves.f32_product && rows.waves.shift_part == 0 &&
                         !have_phases(rows, order.span.pairs)));
}

// Cosines and sines that someone else made, as kept rows; false where their layout is another.
bool use_table(const Table& t, PlainAngles& out) {
  const auto fits = [](const Tensor& part) {
    return part.dtype != DType::f64 && part.step(1) == 1 &&
           part.step(0) * size_of(part.dtype) % 16 == 0 &&
           reinterpret_cast<uintptr_t>(part.data) % 16 == 0;
  };
  if (t.more.rank == 0 || t.offset != 0 || t.factor != 1 || !fits(t.rows) || !fits(t.more) ||
      t.rows.dtype != t.more.dtype || t.rows.step(0) != t.more.step(0))
    return false;
  out.cosines = t.rows.data, out.sines = t.more.data, out.kept_type = t.rows.dtype;
  out.kept_rows = t.rows.size(0), out.row_step = t.rows.step(0), out.nowhere = true;
  return true;
}

void use_waves(const DeviceStream& stream, const RowSource& source, int64_t pairs,
               PlainAngles& out) {
  const DeviceRows rows = rows_on(stream, source);
  out.hi = rows.waves.hi + pairs, out.lo = rows.waves.lo + pairs;
  out.shift = rows.waves.shift_whole, out.end = rows.end;
  out.amplitude = split_amplitude(source.waves.amplitude[0]);
  out.mirrored = source.waves.amplitude[static_cast<size_t>(pairs)] < 0;
  out.cosines = rows.kept, out.sines = rows.kept + pairs;
  out.kept_rows = rows.kept_rows, out.row_step = rows.dim;
}

}  // namespace

bool find_plain_angles(const DeviceStream& stream, const RotateOrder& order, PlainAngles& out) {
  if (!are_plain(order)) return false;
  if (order.rows.table) {
    if (!use_table(*order.rows.table, out)) return false;
  } else {
    use_waves(stream, order.rows, order.span.pairs, out);
  }
  out.at = DevicePlaces(order.at), out.kind = out.at.kind, out.first = out.at.first;
  return true;
}

}  // namespace posenc::cuda
