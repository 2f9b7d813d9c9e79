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

constexpr unsigned plain_threads = 64;

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

// Heads that turn, from their first feature that does; steps in elements.
struct PlainSide {
  const char* in = nullptr;
  char* out = nullptr;
  int in_token = 0, in_head = 0, out_token = 0, out_head = 0, count = 0, groups = 0;
};

// One token takes little more than a launch, which fetches all this anew: what every thread reads
// lies together, in small numbers.
struct PlainCall {
  Divider units, groups;
  int apart;                    // features between the halves of a head
  bool back, batched, nowhere;  // nowhere: positions that are not kept have no row
  PlainSide q, k;
  int64_t all_tokens, first;
  const float *cosines, *sines;  // kept rows
  int64_t kept_rows, row_step;
  DevicePlaces::Kind kind;
  // What is made rather than kept, read by ids, or of several batch rows.
  Amplitude amplitude;
  const uint64_t *hi, *lo;  // of the pairs, in turns
  int64_t shift, end;
  DevicePlaces at;
  Divider tokens;
  int64_t q_in_row, q_out_row, k_in_row, k_out_row;
  int packs, warp_heads;  // of a head, and heads that a warp holds

  // Batch row and token.
  __device__ Divided token(int64_t n) const { return batched ? tokens(n) : Divided{0, n}; }
  __device__ int64_t position(const Divided& t) const {
    return kind == DevicePlaces::Kind::range ? first + t.rest : at.integer(0, t.quotient, t.rest);
  }
  template <class T>
  __device__ const T* input(bool is_query, const Divided& t, int head) const {
    const PlainSide& side = is_query ? q : k;
    const T* out = reinterpret_cast<const T*>(side.in) + t.rest * side.in_token +
                   static_cast<int64_t>(head) * side.in_head;
    return batched ? out + t.quotient * (is_query ? q_in_row : k_in_row) : out;
  }
  template <class T>
  __device__ T* output(bool is_query, const Divided& t, int head) const {
    const PlainSide& side = is_query ? q : k;
    T* out = reinterpret_cast<T*>(side.out) + t.rest * side.out_token +
             static_cast<int64_t>(head) * side.out_head;
    return batched ? out + t.quotient * (is_query ? q_out_row : k_out_row) : out;
  }
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
    if (position >= c.end) sine[i] = cosine[i] = not_a_number<float>();
  }
}

// Angles of a row that is kept; false where there is none, and they are to be made.
template <bool kKept, int kCount>
__device__ bool find_kept(const PlainCall& c, int64_t position, int64_t k, float* cosine,
                          float* sine) {
  if (!kKept) return false;
  if (position >= 0 && position < c.kept_rows) {
    read_kept<kCount>(c.cosines + position * c.row_step + k, cosine);
    read_kept<kCount>(c.sines + position * c.row_step + k, sine);
    return true;
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) cosine[i] = sine[i] = not_a_number<float>();
  return c.nowhere;
}

template <class T, bool kHalves, int kHeads, bool kKept>
__global__ void __launch_bounds__(plain_threads, kHalves ? 1 : 12)
    turn_packs(const __grid_constant__ PlainCall c) {
  constexpr int count = kHalves ? Pack<T>::size : Pack<T>::size / 2;
  const Divided by_unit = c.units(blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x);
  const Divided by_group = c.groups(by_unit.quotient);
  if (by_group.quotient >= c.all_tokens) return;
  const bool is_query = by_group.rest < c.q.groups;
  const PlainSide& side = is_query ? c.q : c.k;
  const int head = (static_cast<int>(by_group.rest) - (is_query ? 0 : c.q.groups)) * kHeads;
  const Divided token = c.token(by_group.quotient);
  const int64_t at = by_unit.rest * Pack<T>::size;
  const T* from = c.input<T>(is_query, token, head) + at;
  T* to = c.output<T>(is_query, token, head) + at;
  const int64_t in_head = side.in_head, out_head = side.out_head;
  const int heads = min(kHeads, side.count - head);
  Pairs<count, kHalves, T> x[kHeads];
#pragma unroll
  for (int h = 0; h < kHeads; ++h)
    if (h < heads) x[h].load(from + h * in_head, 1, c.apart);
  const int64_t k = by_unit.rest * count, position = c.position(token);
  float cosine[count], sine[count];
  if (!find_kept<kKept, count>(c, position, k, cosine, sine))
    make_angles<count>(c, position, k, cosine, sine);
  if (c.back) {
#pragma unroll
    for (int i = 0; i < count; ++i) sine[i] = -sine[i];
  }
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    if (h >= heads) break;
    x[h].turn_by(cosine, sine);
    x[h].store(to + h * out_head, 1, c.apart);
  }
}

// Halves shorter than a line of 128 bytes: the threads of a warp take the packs of some heads
// as they lie in memory, so that lines are moved whole, and give each other what they turn with.
// Both threads of a pair of packs make half of its angles.
template <class T, int kHeads, bool kKept>
__global__ void __launch_bounds__(plain_threads) turn_lines(const __grid_constant__ PlainCall c) {
  constexpr int count = Pack<T>::size, half = count / 2;
  constexpr unsigned all = 0xffffffffu;
  const int lane = static_cast<int>(threadIdx.x % 32), apart = c.packs / 2;
  const int local = lane / c.packs, pack = lane - local * c.packs;
  const bool second = pack >= apart, active = local < c.warp_heads;
  const int mate = !active ? lane : second ? lane - apart : lane + apart;
  const int64_t warp = (blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x) / 32;
  const Divided by_group = c.groups(warp);
  if (by_group.quotient >= c.all_tokens) return;  // the whole warp
  const bool is_query = by_group.rest < c.q.groups;
  const PlainSide& side = is_query ? c.q : c.k;
  const int head =
      (static_cast<int>(by_group.rest) - (is_query ? 0 : c.q.groups)) * kHeads * c.warp_heads +
      local;
  const Divided token = c.token(by_group.quotient);
  const T* from = c.input<T>(is_query, token, head) + pack * count;
  T* to = c.output<T>(is_query, token, head) + pack * count;
  Pack<T> x[kHeads];
#pragma unroll
  for (int h = 0; h < kHeads; ++h)
    if (active && head + h * c.warp_heads < side.count)
      x[h] = load_pack(from + h * static_cast<int64_t>(side.in_head) * c.warp_heads);
  const int64_t k = (second ? pack - apart : pack) * count, position = c.position(token);
  float cosine[count], sine[count];
  if (!find_kept<kKept, count>(c, position, k, cosine, sine)) {
    float mine[2][half];
    make_angles<half>(c, position, active ? k + (second ? half : 0) : 0, mine[0], mine[1]);
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const float other[2] = {__shfl_sync(all, mine[0][i], mate),
                              __shfl_sync(all, mine[1][i], mate)};
      cosine[i] = second ? other[0] : mine[0][i], sine[i] = second ? other[1] : mine[1][i];
      cosine[half + i] = second ? mine[0][i] : other[0];
      sine[half + i] = second ? mine[1][i] : other[1];
    }
  }
  const bool negative = c.back == second;  // a cos - b sin, or b cos + a sin; back the other way
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    Pack<T> y;
#pragma unroll
    for (int i = 0; i < 4; ++i) y.words[i] = __shfl_sync(all, x[h].words[i], mate);
    float turned[count];
#pragma unroll
    for (int i = 0; i < count; ++i)
      turned[i] = fmaf(wide(y.of[i]), negative ? -sine[i] : sine[i], wide(x[h].of[i]) * cosine[i]);
    if (active && head + h * c.warp_heads < side.count)
      store_pack(to + h * static_cast<int64_t>(side.out_head) * c.warp_heads,
                 posenc::cuda::pack<T>(turned));
  }
}

// ---- host -------------------------------------------------------------------------------------

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
  const int64_t units = pairs / (kHalves ? Pack<T>::size : Pack<T>::size / 2);
  c.q.groups = (c.q.count + kHeads - 1) / kHeads, c.k.groups = (c.k.count + kHeads - 1) / kHeads;
  c.units = Divider(units), c.groups = Divider(c.q.groups + c.k.groups);
  const int64_t work = c.all_tokens * (c.q.groups + c.k.groups) * units;
  launch(place, "heads turned", shape_of(work, plain_threads),
         c.kept_rows > 0 ? turn_packs<T, kHalves, kHeads, true>
                         : turn_packs<T, kHalves, kHeads, false>,
         c);
}

template <class T, int kHeads>
void launch_lines(const Place& place, PlainCall& c) {
  const int heads = kHeads * c.warp_heads;
  c.q.groups = (c.q.count + heads - 1) / heads, c.k.groups = (c.k.count + heads - 1) / heads;
  c.groups = Divider(c.q.groups + c.k.groups);
  const int64_t warps = c.all_tokens * (c.q.groups + c.k.groups);
  launch(place, "heads turned", shape_of(warps * 32, plain_threads),
         c.kept_rows > 0 ? turn_lines<T, kHeads, true> : turn_lines<T, kHeads, false>, c);
}

// As many heads a thread as leave enough threads for the device.
template <class T, bool kHalves>
void turn_layout(const Place& place, PlainCall& c, int64_t pairs) {
  const int64_t units = pairs / (kHalves ? Pack<T>::size : Pack<T>::size / 2);
  const int64_t threads = c.all_tokens * (c.q.count + c.k.count) * units;
  const int64_t enough = int64_t{place.processors()} * 256;
  c.packs = static_cast<int>(2 * units);
  if (kHalves && pairs * sizeof(T) < 128 && c.packs <= 32) {
    c.warp_heads = 32 / c.packs;
    return threads < 2 * enough ? launch_lines<T, 1>(place, c) : launch_lines<T, 4>(place, c);
  }
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
