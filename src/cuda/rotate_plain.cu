// rotate_plain.cu: queries and keys turned at the speed of memory.
//
// A thread takes a pack (or two, of a head's halves) of several heads of a token: the more heads,
// the fewer sines are made, as long as threads are left for the whole device. Angles are made in
// registers while the features are on their way, which costs less than to read a table.
#include "cuda/rotate_plain.h"

#include <algorithm>

#include "base/dispatch.h"
#include "cuda/pairs.h"
#include "cuda/rows.h"

namespace posenc::cuda {
namespace {

// n / d for n below 2^31, by a multiplication.
struct Divider {
  uint32_t d = 1, factor = 0, shift = 0;

  Divider() = default;
  explicit Divider(int64_t divisor) : d(static_cast<uint32_t>(divisor)) {
    while ((uint64_t{1} << shift) < d) ++shift;
    factor = static_cast<uint32_t>(((uint64_t{1} << 32) * ((uint64_t{1} << shift) - d)) / d + 1);
  }
  __device__ uint32_t divide(uint32_t n) const {
    return static_cast<uint32_t>((static_cast<uint64_t>(n) * factor >> 32) + n) >> shift;
  }
  __device__ Divided operator()(int64_t n) const {
    if (n >> 31 != 0) return {n / d, n % d};
    const uint32_t q = divide(static_cast<uint32_t>(n));
    return {q, static_cast<int64_t>(static_cast<uint32_t>(n) - q * d)};
  }
};

struct PlainSide {
  View in, out;  // from the first feature of the first head that turns
  int64_t count = 0, groups = 0;
};

struct PlainCall {
  PlainSide q, k;
  DevicePlaces at;
  Divider units, groups, tokens;
  int64_t all_tokens;
  int apart;                    // features between the halves of a head
  bool back, batched, nowhere;  // nowhere: positions that are not kept have no row
  const uint64_t *hi, *lo;      // of the pairs, in turns
  Amplitude amplitude;
  int64_t shift, end;
  const float *cosines, *sines;  // kept rows
  int64_t kept_rows, row_step;
};

template <int kCount>
__device__ void read_kept(const float* from, float* out) {
  if constexpr (kCount == 2) {
    const float2 v = *reinterpret_cast<const float2*>(from);
    out[0] = v.x, out[1] = v.y;
  } else {
#pragma unroll
    for (int i = 0; i < kCount; i += 4) {
      const float4 v = *reinterpret_cast<const float4*>(from + i);
      out[i] = v.x, out[i + 1] = v.y, out[i + 2] = v.z, out[i + 3] = v.w;
    }
  }
}

template <int kCount>
__device__ void make_angles(const PlainCall& c, int64_t position, int64_t k, float* cosine,
                            float* sine) {
  const int64_t p = position + c.shift;
  // What is below hi turns less than 2^-33 within 2^31 positions.
  const bool far = p != static_cast<int32_t>(p);
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const uint64_t hi = c.hi[k + i];
    const Turn turn = far ? turn_at(hi, c.lo[k + i], p) : hi * static_cast<uint64_t>(p);
    const float2 both = sine_cosine(turn, c.amplitude);
    sine[i] = both.x, cosine[i] = both.y;
  }
}

template <class T, bool kHalves, int kHeads, bool kKept>
__global__ void __launch_bounds__(128) turn_packs(const __grid_constant__ PlainCall c) {
  constexpr int count = kHalves ? Pack<T>::size : Pack<T>::size / 2;
  const Divided by_unit = c.units(blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x);
  const Divided by_group = c.groups(by_unit.quotient);
  if (by_group.quotient >= c.all_tokens) return;
  const bool is_query = by_group.rest < c.q.groups;
  const PlainSide& side = is_query ? c.q : c.k;
  const int64_t head = (by_group.rest - (is_query ? 0 : c.q.groups)) * kHeads;
  Divided token{0, by_group.quotient};  // batch row and token
  if (c.batched) token = c.tokens(by_group.quotient);
  const int64_t at = by_unit.rest * Pack<T>::size;
  const T* from =
      side.in.at<T>(token.quotient) + token.rest * side.in.last[0] + head * side.in.last[1] + at;
  T* to =
      side.out.at<T>(token.quotient) + token.rest * side.out.last[0] + head * side.out.last[1] + at;
  const int heads = static_cast<int>(min(static_cast<int64_t>(kHeads), side.count - head));
  Pairs<count, kHalves, T> x[kHeads];
#pragma unroll
  for (int h = 0; h < kHeads; ++h)
    if (h < heads) x[h].load(from + h * side.in.last[1], 1, c.apart);
  const int64_t k = by_unit.rest * count, position = c.at.integer(0, token.quotient, token.rest);
  float cosine[count], sine[count];
  if (kKept && position >= 0 && position < c.kept_rows) {
    read_kept<count>(c.cosines + position * c.row_step + k, cosine);
    read_kept<count>(c.sines + position * c.row_step + k, sine);
  } else if (kKept && c.nowhere) {
#pragma unroll
    for (int i = 0; i < count; ++i) cosine[i] = sine[i] = not_a_number<float>();
  } else {
    make_angles<count>(c, position, k, cosine, sine);
  }
  const float sign = position >= c.end ? not_a_number<float>() : c.back ? -1.0F : 1.0F;
#pragma unroll
  for (int i = 0; i < count; ++i) sine[i] *= sign;
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    if (h >= heads) break;
    x[h].turn_by(cosine, sine);
    x[h].store(to + h * side.out.last[1], 1, c.apart);
  }
}

// ---- host -------------------------------------------------------------------------------------

PlainSide side_of(const TurningHeads& h, int64_t first_feature) {
  PlainSide out;
  if (h.in.rank == 0) return out;
  Tensor in = h.in, to = h.out;
  for (Tensor* t : {&in, &to})
    t->data = static_cast<char*>(t->data) +
              (h.first * t->step(-2) + first_feature * t->step(-1)) * size_of(t->dtype);
  out.in = View(in, 3), out.out = View(to, 3), out.count = h.count;
  return out;
}

// Whether no feature and no head is left as it is somewhere else.
bool leaves_nothing(const TurnOrder& order, const TurningHeads& h) {
  return h.in.rank == 0 || h.in.data == h.out.data ||
         (order.row() == order.span.dim && h.count == h.in.size(-2));
}

bool is_aligned(const TurningHeads& h, const PlainSide& s) {
  return h.in.rank == 0 || (h.count > 0 && s.in.aligned(3) && s.out.aligned(3));
}

bool is_plain(const TurnOrder& order) {
  const RowSource& rows = order.rows;
  return order.way != Way::inverse && !order.magnitudes.any() && order.row_heads == 1 &&
         order.span.blocks == 1 && order.span.layout != Layout::interleaved_in_half_out &&
         order.span.pairs > 0 && order.at.whole() && rows.axes == 1 &&
         leaves_nothing(order, order.q) && leaves_nothing(order, order.k) &&
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
  c.cosines = rows.kept, c.sines = rows.kept + pairs;
  c.kept_rows = rows.kept_rows, c.row_step = rows.dim;
}

template <class T, bool kHalves, int kHeads>
void launch_packs(const Place& place, PlainCall& c, int64_t pairs) {
  constexpr unsigned threads = 128;
  const int64_t units = pairs / (kHalves ? Pack<T>::size : Pack<T>::size / 2);
  c.q.groups = pieces(c.q.count, kHeads), c.k.groups = pieces(c.k.count, kHeads);
  c.units = Divider(units), c.groups = Divider(c.q.groups + c.k.groups);
  const int64_t work = c.all_tokens * (c.q.groups + c.k.groups) * units;
  launch(place, "heads turned", shape_of(work, threads),
         c.kept_rows > 0 ? turn_packs<T, kHalves, kHeads, true>
                         : turn_packs<T, kHalves, kHeads, false>,
         c);
}

template <class T, bool kHalves>
void turn_layout(const Place& place, PlainCall& c, int64_t pairs) {
  const int64_t units = pairs / (kHalves ? Pack<T>::size : Pack<T>::size / 2);
  const int64_t threads = c.all_tokens * (c.q.count + c.k.count) * units;
  const int64_t enough = int64_t{place.processors()} * 512;
  if (threads < enough) return launch_packs<T, kHalves, 1>(place, c, pairs);
  if (threads < 2 * enough) return launch_packs<T, kHalves, 2>(place, c, pairs);
  launch_packs<T, kHalves, 4>(place, c, pairs);
}

}  // namespace

bool turn_plainly(const Place& place, const TurnOrder& order) {
  const DType dtype = order.any().dtype;
  const int64_t pairs = order.span.pairs, pack = 16 / size_of(dtype);
  const bool halves = order.span.layout == Layout::half;
  if (dtype == DType::f64 || !is_plain(order) || pairs % (halves ? pack : pack / 2) != 0)
    return false;
  PlainCall c{};
  c.q = side_of(order.q, order.span.first), c.k = side_of(order.k, order.span.first);
  if (!is_aligned(order.q, c.q) || !is_aligned(order.k, c.k)) return false;
  c.end = INT64_MAX;
  if (order.rows.table) {
    if (!use_table(*order.rows.table, c)) return false;
  } else {
    use_waves(place, order.rows, pairs, c);
  }
  c.at = DevicePlaces(order.at), c.apart = static_cast<int>(pairs);
  const int64_t rows = (order.q.in.rank > 0 ? c.q : c.k).in.rows;
  c.batched = rows > 1, c.tokens = Divider(std::max<int64_t>(order.at.tokens, 1));
  c.all_tokens = rows * order.at.tokens;
  c.back = order.way == Way::adjoint;
  if (!order.rows.table)
    c.back =
        c.back != (c.kept_rows == 0 && order.rows.waves.amplitude[static_cast<size_t>(pairs)] < 0);
  dispatch(dtype, [&]<class T>() {
    if constexpr (sizeof(T) < 8)
      halves ? turn_layout<T, true>(place, c, pairs) : turn_layout<T, false>(place, c, pairs);
  });
  return true;
}

}  // namespace posenc::cuda
